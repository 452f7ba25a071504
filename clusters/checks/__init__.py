"""What is looked at before a cluster is made: one check a file, each with code, sentence and fix.

`run(spec, region)` reads AWS, decides every default and returns the rows.
"""

from clusters.checks.registry import Existing
from clusters.checks.running import CheckedSpec, run

__all__ = ["CheckedSpec", "Existing", "run"]
