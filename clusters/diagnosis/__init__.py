"""What is the matter with a cluster or a node: evidence from what was observed, against a table of known errors.

`examine(cluster)` reads and judges; nothing is changed, and what is proposed is never run from here.
"""

from clusters.diagnosis.examine import Diagnosis, examine

__all__ = ["Diagnosis", "examine"]
