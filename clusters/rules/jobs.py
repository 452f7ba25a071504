"""Rules about training jobs: elastic, checkpointless, and what they can't be combined with."""

from __future__ import annotations

from clusters.rules.facts import GroupFacts, JobFacts
from clusters.rules.rule import Noun, Rule, each_job, each_job_and_group
from clusters.spec import Capacity
from operations.choices import Severity

_ELASTIC = "AWS documentation, elastic training"
_CHECKPOINTLESS = frozenset({"p5", "p5e", "p5en"})


def _wrong_order(job: JobFacts) -> bool:
    known = [size for size in (job.smallest, job.replicas, job.largest) if size is not None]
    return job.elastic and known != sorted(known)


def _outside(job: JobFacts) -> bool:
    low, high = job.smallest, job.largest
    return job.elastic and any((low is not None and size < low) or (high is not None and size > high) for size in job.sizes)


def _not_for_checkpointless(job: JobFacts, group: GroupFacts) -> bool:
    return job.checkpointless and bool(group.known) and all(kind.family not in _CHECKPOINTLESS for kind in group.known)


ROWS: tuple[Rule, ...] = (
    Rule(
        "elastic_with_checkpointless",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: job.elastic and job.checkpointless),
        "{job.name} is elastic and checkpointless: an elastic job restarts from checkpoints, a checkpointless one has none.",
        "Choose one.",
        "elastic",
        f"{_ELASTIC}: not with checkpointless training",
    ),
    Rule(
        "elastic_with_tiered_checkpointing",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: job.elastic and job.tiered),
        "{job.name} is elastic and uses managed tiered checkpointing, which keeps checkpoints for a fixed number of nodes.",
        "Let it checkpoint to S3 or FSx, or give it a fixed size.",
        "elastic",
        f"{_ELASTIC}: not with managed tiered checkpointing",
    ),
    Rule(
        "elastic_on_spot",
        Noun.JOB,
        Severity.ERROR,
        each_job_and_group(lambda job, group: job.elastic and group.capacity is Capacity.SPOT),
        "{job.name} is elastic and may run on {group.name}, a Spot group: elastic training does not work with Spot.",
        "Keep it to on-demand or reserved groups.",
        "capacity",
        f"{_ELASTIC}: not with Spot",
    ),
    Rule(
        "elastic_needs_operator",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: job.elastic and job.operator_version is not None and job.operator_version < (1, 2)),
        "{job.name} is elastic, and the training operator is older than version 1.2.",
        "Update the training operator.",
        "elastic",
        f"{_ELASTIC}: operator 1.2 or newer",
    ),
    Rule(
        "elastic_sizes_out_of_order",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: _wrong_order(job)),
        "{job.name} must have smallest ≤ initial ≤ largest size, and has {job.smallest}, {job.replicas}, {job.largest}.",
        "Put the sizes in order.",
        "elastic",
        f"{_ELASTIC}: minReplicas, replicas, maxReplicas",
    ),
    Rule(
        "elastic_step_and_sizes",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: job.elastic and job.step is not None and bool(job.sizes)),
        "{job.name} gives both a step and a list of sizes.",
        "Give one of them.",
        "elastic",
        f"{_ELASTIC}: an increment step or discrete values",
    ),
    Rule(
        "elastic_sizes_outside",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: _outside(job)),
        "{job.name} lists sizes outside {job.smallest} to {job.largest}.",
        "List sizes within the range.",
        "elastic",
        f"{_ELASTIC}: discrete values within the range",
    ),
    Rule(
        "elastic_largest_differs",
        Noun.JOB,
        Severity.ERROR,
        each_job(lambda _, job: job.elastic and None not in (job.largest, job.spec_largest) and job.largest != job.spec_largest),
        "{job.name} may grow to {job.largest} replicas by its elastic policy and to {job.spec_largest} by its replica specs.",
        "Give both the same largest size.",
        "elastic",
        f"{_ELASTIC}: maxReplicas of the policy and of the replica specs",
    ),
    Rule(
        "checkpointless_type",
        Noun.JOB,
        Severity.WARNING,
        each_job_and_group(_not_for_checkpointless),
        "{job.name} trains checkpointless and may run on {group.name} ({group.types}); its library is made for p5 instances.",
        "Keep it to p5, p5e or p5en.",
        "instance_type",
        "Observed in AWS's recipes: p5-class nodes",
    ),
)
