"""Amazon EKS: clusters, updates, add-ons, access entries, pod identities; each module registers its handlers when imported.

Facts: reference/aws.md §2; messages are written as EKS writes them where a public source shows them.
"""
