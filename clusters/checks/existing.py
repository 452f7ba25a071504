"""What is there under the cluster's names: another's, or an attempt of ours that was not finished."""

from __future__ import annotations

from collections.abc import Iterator

from clusters import names
from clusters.checks.facts import Facts
from clusters.checks.registry import Existing, Subject, check, failed, info, passed
from operations.plan import Check

CODE, TITLE = "existing", "Names"


def read(facts: Facts) -> Existing:
    """CloudError when stack, EKS or HyperPod can't be read: what exists must be known before anything is made."""
    stack, eks, hyperpod = facts.stack, facts.eks, facts.hyperpod
    ours = facts.stack_is_ours
    stack_status = str((stack or {}).get("StackStatus", ""))
    return Existing(
        stack=stack_status,
        eks=str((eks or {}).get("status", "")),
        hyperpod=str((hyperpod or {}).get("ClusterStatus", "")),
        ours=ours,
        resumes=names.stack(facts.spec.name) if ours else None,
        previous=facts.previous if ours else None,
        facts={"stack": stack_status, "stack_id": str((stack or {}).get("StackId", ""))},
    )


@check(CODE, TITLE)
def names_are_free(subject: Subject) -> Iterator[Check]:
    """Every name that would be taken: stack, EKS cluster, HyperPod cluster, roles, log group. The bucket has its own check."""
    name, existing = subject.input.name, subject.existing
    stack = names.stack(name)
    other_name = "Choose another name"
    rows: list[Check] = []
    if existing.stack and not existing.ours:
        rows.append(
            failed(
                "stack_name_taken",
                TITLE,
                f"A CloudFormation stack {stack} exists that does not carry the tag of the cluster {name}.",
                f"{other_name}, or delete that stack.",
                "name",
            )
        )
    if existing.stack.startswith("DELETE_IN_PROGRESS"):
        rows.append(
            failed(
                "being_deleted",
                TITLE,
                f"The stack {stack} of an earlier {name} is being deleted.",
                "Wait until it is gone, then plan again.",
                "name",
            )
        )
    if existing.eks and not existing.ours:
        rows.append(
            failed(
                "eks_name_taken", TITLE, f"An EKS cluster {name} exists ({existing.eks}) that was not made here.", f"{other_name}.", "name"
            )
        )
    if existing.hyperpod and not existing.ours:
        rows.append(
            failed(
                "hyperpod_name_taken",
                TITLE,
                f"A HyperPod cluster {name} exists ({existing.hyperpod}) that was not made here.",
                f"{other_name}.",
                "name",
            )
        )
    rows += _leftovers(subject)
    if rows:
        yield from rows
    elif existing.resumes:
        yield info("resumes", TITLE, f"{_state(existing)}: this plan goes on with that attempt.")
    else:
        yield passed(CODE, TITLE, f"No stack, cluster, role or log group of the name {name} exists.")


def _leftovers(subject: Subject) -> Iterator[Check]:
    """What an earlier cluster may have left behind, over which the stack would fail half an hour later."""
    if subject.existing.stands or (subject.existing.stack and not subject.existing.ours):
        return
    for role in subject.facts.wait("roles"):
        yield failed(
            "role_name_taken",
            TITLE,
            f"An IAM role {role} exists without its stack.",
            f"Delete it (aws iam delete-role --role-name {role}) or choose another name.",
            "name",
        )
    group = subject.facts.wait("log_group")
    if group is not None:
        yield failed(
            "log_group_exists",
            TITLE,
            f"The log group {group['logGroupName']} exists, left by an earlier cluster: CloudFormation could not make it.",
            f"Delete it (aws logs delete-log-group --log-group-name {group['logGroupName']}) or choose another name.",
            "name",
        )


def _state(existing: Existing) -> str:
    parts = [f"the stack is {existing.stack}"]
    parts.append(f"EKS is {existing.eks}" if existing.eks else "there is no EKS cluster yet")
    parts.append(f"HyperPod is {existing.hyperpod}" if existing.hyperpod else "there is no HyperPod cluster yet")
    return f"A half-made attempt exists ({', '.join(parts)})"
