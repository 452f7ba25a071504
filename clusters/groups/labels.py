"""Labels and taints of nodes as HyperPod and Kubernetes take them. Patterns: SageMaker's API model, ClusterKubernetesLabelKey and on."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

RESERVED = ("sagemaker.amazonaws.com/", "kubernetes.io/", "k8s.io/", "eks.amazonaws.com/")
"""What Kubernetes, EKS and HyperPod write themselves: a scheduler that finds another value places pods wrongly."""
_PREFIX = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_NAME = re.compile(r"[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?")


def _is_name(text: str) -> bool:
    return len(text) <= 63 and _NAME.fullmatch(text) is not None


def _key(key: str) -> str:
    prefix, slash, name = key.rpartition("/")
    if not _is_name(name) or (slash and not (len(prefix) <= 253 and _PREFIX.fullmatch(prefix))):
        raise PydanticCustomError(
            "not_a_label_key", "this is no key: it is a name of 1 to 63 letters, digits, -, _ and ., which may follow a domain and a slash"
        )
    if key.startswith(RESERVED):
        raise PydanticCustomError("reserved_label_key", "keys of this domain are set by Kubernetes, EKS or HyperPod; choose another")
    return key


def _value(value: str) -> str:
    if not _is_name(value):
        raise PydanticCustomError(
            "not_a_label_value", "this is no value: it has 1 to 63 letters, digits, -, _ and ., and begins and ends with a letter or digit"
        )
    return value


LabelKey = Annotated[str, AfterValidator(_key)]
LabelValue = Annotated[str, AfterValidator(_value)]
TaintValue = Annotated[str, AfterValidator(lambda value: value and _value(value))]
"""Empty: a taint without one."""
