"""SageMaker HyperPod: clusters, instance groups, nodes, events, training plans; each module registers its handlers when imported.

Facts: reference/aws.md §1, §8–§11, §16. What AWS does not document (exact event texts, error sentences) is worded plausibly.
"""
