"""The wizard's form. It only gathers input: what is allowed is decided by the action, whose errors it shows beside the fields."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.conf import settings

from clusters.catalog.reading import TrainingPlan
from clusters.spec import NAME_RULE, Capacity, DeepHealthCheck, GroupInput
from clusters.web.offered import Offered
from clusters.web.type_choices import type_choices
from instantstart.web.forms import ProblemForm

CAPACITY_WORDS = {
    Capacity.ON_DEMAND: "On-demand: pay by the hour, when AWS has the capacity",
    Capacity.SPOT: "Spot: cheaper, and AWS may take the nodes back with two minutes' notice",
    Capacity.TRAINING_PLAN: "Training plan: capacity reserved and paid ahead",
}
HEALTH_WORDS = {
    DeepHealthCheck.INSTANCE_STRESS: "Stress every instance",
    DeepHealthCheck.INSTANCE_CONNECTIVITY: "Test the network between instances",
    DeepHealthCheck.MULTI_NODE_TRAINING_VALIDATION: "Validate with a short multi-node training",
}


def _plan_words(plan: TrainingPlan) -> str:
    """ "p5-week: 2 of 4 × ml.p5.48xlarge free, us-west-2a, 2026-12-01 to 2026-12-08, Active"."""
    parts = [f"{plan.available} of {plan.total} × {' + '.join(plan.instance_types) or 'instances'} free", *plan.zones]
    if plan.starts and plan.ends:
        parts.append(f"{plan.starts:%Y-%m-%d} to {plan.ends:%Y-%m-%d}")
    return f"{plan.name}: {', '.join([*parts, plan.status])}"


def _words(text: str) -> list[str]:
    return text.replace(",", " ").split()


class ClusterForm(ProblemForm):
    """All of clusters.spec.ClusterInput. Choices of zones and versions are given by the view, which reads them from AWS."""

    aliases = {
        "availability_zones": "zone",
        "group": "group_training_plan_arn",
        "network": "network_vpc_cidr",
        "network.existing": "network_existing_vpc_id",
    }

    name = forms.CharField(max_length=40, help_text=f"{NAME_RULE} AWS resources carry it.")
    account = forms.ChoiceField(required=False, label="AWS account")
    region = forms.ChoiceField()
    zone = forms.ChoiceField(required=False, label="Availability zone of the nodes")
    kubernetes_version = forms.ChoiceField(required=False, label="Kubernetes version")

    group_name = forms.CharField(initial="workers", max_length=63, label="Group name")
    group_instance_type = forms.ChoiceField(label="Instance type", initial=GroupInput.model_fields["instance_type"].default)
    group_count = forms.IntegerField(min_value=0, max_value=6758, initial=1, label="Instances")
    group_capacity = forms.ChoiceField(
        choices=[(mode.value, words) for mode, words in CAPACITY_WORDS.items()], initial=Capacity.ON_DEMAND.value, label="Capacity"
    )
    group_training_plan_arn = forms.ChoiceField(
        required=False, label="Training plan", help_text="Only for capacity from a training plan; its zone and type hold for the group."
    )
    group_volume_gb = forms.IntegerField(min_value=1, max_value=16384, initial=500, label="EBS volume (GB)")
    group_threads_per_core = forms.ChoiceField(
        required=False, choices=[("", "As usual for the type"), ("1", "1"), ("2", "2")], label="Threads per core"
    )
    groups = forms.CharField(
        required=False,
        label="Further groups (JSON)",
        help_text="A list of objects with name, instance_type, count, capacity, volume_gb; empty: one group.",
        widget=forms.Textarea(attrs={"rows": 2, "spellcheck": "false"}),
    )
    deep_health_checks = forms.MultipleChoiceField(
        required=False,
        choices=[(check.value, words) for check, words in HEALTH_WORDS.items()],
        widget=forms.CheckboxSelectMultiple,
        label="Deep health checks before a node is used",
        help_text="They take an hour or more, and need accelerators.",
    )

    network_vpc_cidr = forms.CharField(required=False, label="CIDR of the new VPC", help_text="Empty: a free one is chosen.")
    network_existing_vpc_id = forms.CharField(required=False, label="Existing VPC", help_text="vpc-…; empty: a VPC is made.")
    network_existing_private_subnet_ids = forms.CharField(
        required=False, label="Its private subnets", help_text="Two or more, in two zones."
    )
    network_existing_compute_subnet_id = forms.CharField(required=False, label="Its subnet for the nodes")
    network_public_access_cidrs = forms.CharField(
        required=False,
        label="Who may reach the Kubernetes API from outside",
        help_text="CIDRs; empty: this control plane's own address, shown in the plan.",
    )

    storage_bucket = forms.CharField(required=False, label="Existing bucket to share", help_text="Empty: one is made for the cluster.")
    storage_claim = forms.CharField(initial="shared", label="Name of the volume claim")
    fsx = forms.BooleanField(required=False, label="FSx for Lustre driver")
    kuberay = forms.BooleanField(required=False, label="KubeRay operator")
    deletion_protection = forms.BooleanField(
        required=False, label="Deletion protection", help_text="The cluster can't be deleted until this is switched off."
    )
    tags = forms.CharField(required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="One key=value a line.")

    def __init__(self, *args: Any, offered: Offered, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        others = [(name, f"{name} ({digits})") for name, digits in offered.accounts.items()]
        own = [("", "That of the installation's own credentials")] if offered.own else []
        self._choices("account", [*own, *others])
        self._choices("region", [(region, region) for region in offered.regions])
        self._choices("zone", [("", "Chosen for you: one that offers the type"), *((zone, zone) for zone in offered.zones)])
        self._choices("kubernetes_version", [("", "Newest that HyperPod documents"), *((version, version) for version in offered.versions)])
        none = "Choose one" if offered.plans else "This region has no training plan that could be used"
        self._choices("group_training_plan_arn", [("", none), *((plan.arn, _plan_words(plan)) for plan in offered.plans)])
        self._choices("group_instance_type", type_choices(str(self["region"].value() or settings.DEFAULT_REGION)))

    def _choices(self, name: str, choices: list[tuple[str, str]]) -> None:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 (narrows for the type checker)
        field.choices = choices

    def clean_groups(self) -> list[Any]:
        """The action judges what is in it."""
        text = self.cleaned_data["groups"].strip()
        try:
            found = json.loads(text or "[]")
        except ValueError as error:
            raise forms.ValidationError(f"This is no JSON: {error}.") from error
        if not isinstance(found, list):
            raise forms.ValidationError("This is no list of groups.")
        return found

    def clean_tags(self) -> dict[str, str]:
        tags: dict[str, str] = {}
        for line in self.cleaned_data["tags"].splitlines():
            key, equals, value = line.partition("=")
            if not line.strip():
                continue
            if not equals or not key.strip():
                raise forms.ValidationError(f"“{line}” is no tag: write key=value.")
            tags[key.strip()] = value.strip()
        return tags

    def to_input(self) -> dict[str, Any]:
        """The input of `cluster.create`; what was left empty is left out, so that the action's own defaults hold."""
        data = self.cleaned_data
        group = {
            "name": data["group_name"],
            "instance_type": data["group_instance_type"],
            "count": data["group_count"],
            "capacity": data["group_capacity"],
            # Hidden while another capacity is chosen, so it says nothing then.
            "training_plan_arn": data["group_training_plan_arn"] if data["group_capacity"] == Capacity.TRAINING_PLAN else "",
            "volume_gb": data["group_volume_gb"],
        }
        if data["group_threads_per_core"]:
            group["threads_per_core"] = int(data["group_threads_per_core"])
        network: dict[str, Any] = {"public_access_cidrs": _words(data["network_public_access_cidrs"])}
        if data["network_vpc_cidr"]:
            network["vpc_cidr"] = data["network_vpc_cidr"]
        if data["network_existing_vpc_id"]:
            network["existing"] = {
                "vpc_id": data["network_existing_vpc_id"],
                "private_subnet_ids": _words(data["network_existing_private_subnet_ids"]),
                "compute_subnet_id": data["network_existing_compute_subnet_id"],
            }
        return {
            "name": data["name"],
            "account": data["account"],
            "region": data["region"],
            "kubernetes_version": data["kubernetes_version"],
            "availability_zones": [data["zone"]] if data["zone"] else [],
            "network": network,
            "group": group,
            "groups": data["groups"],
            "deep_health_checks": data["deep_health_checks"],
            "storage": {"bucket": data["storage_bucket"], "claim": data["storage_claim"]},
            "fsx": data["fsx"],
            "kuberay": data["kuberay"],
            "deletion_protection": data["deletion_protection"],
            "tags": data["tags"],
        }
