"""Existing configurations as input and output: AWS's `create-cluster` JSON and `hyp`'s cluster configuration.

`read(text)` gives the input of `cluster.create` and a finding for everything that is in the text and not in that input;
`exported(described)` gives what `aws sagemaker create-cluster --cli-input-json` takes.
"""

from clusters.configs.converted import Converted, Finding
from clusters.configs.export import exported
from clusters.configs.read import ConfigRefused, read

__all__ = ["ConfigRefused", "Converted", "Finding", "exported", "read"]
