"""Plans read AWS and Kubernetes while a person waits: what can't be read becomes a refusal with the fix."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from instantstart.cloud.errors import CloudError
from instantstart.cloud.problems import problem
from instantstart.kube.errors import KubeError
from instantstart.problem import Problem


@contextmanager
def readable() -> Iterator[None]:
    """Problem 502 or 503 in place of a CloudError or KubeError."""
    try:
        yield
    except CloudError as error:
        raise problem(error) from error
    except KubeError as error:
        raise Problem(
            503,
            "kubernetes_unreadable",
            "Kubernetes cannot be read",
            f"The cluster's Kubernetes API could not be read ({error.operation}, {error.code}): {error.message}",
            "Check the network between here and the cluster's endpoint, and the access entry of the identity in use; then try again.",
        ) from error
