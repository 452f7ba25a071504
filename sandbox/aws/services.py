"""The services that are simulated: each package below sandbox/aws/ whose modules register handlers when they are imported."""

from __future__ import annotations

import importlib
import importlib.util
import os
import pkgutil

PACKAGES = ("sts", "s3", "service_quotas", "pricing", "logs", "tagging", "iam", "ec2", "cloudformation", "cloudtrail", "eks", "sagemaker")

_loaded = False


def load() -> None:
    """Import every module of every service that is there; SANDBOX_SERVICES="sts,s3" narrows it.

    Service models are not read yet: that happens on first use.
    """
    global _loaded
    if _loaded:
        return
    chosen = os.environ.get("SANDBOX_SERVICES", "")
    for package in chosen.split(",") if chosen else PACKAGES:
        name = f"sandbox.aws.{package}"
        spec = importlib.util.find_spec(name)
        if spec is None:
            continue
        importlib.import_module(name)
        for module in pkgutil.iter_modules(spec.submodule_search_locations or []):
            if module.name != "tests":
                importlib.import_module(f"{name}.{module.name}")
    _loaded = True
