"""One rule: when it strikes, the sentence, the way out, and where the fact comes from."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from clusters.rules.facts import EndpointFacts, Facts, GroupFacts, JobFacts, NodeGroupFacts
from operations.choices import Severity
from operations.plan import Check

TITLE = "Combination"
_PLACE = re.compile(r"\{(facts|group|job|endpoint|node_group)\.(\w+)\}")


class Noun(StrEnum):
    """What a rule is about."""

    CLUSTER = "cluster"
    GROUP = "group"
    FEATURE = "feature"
    JOB = "job"
    ENDPOINT = "endpoint"

    @property
    def phrase(self) -> str:
        """With its article."""
        return f"{'an' if self.value[0] in 'aeiou' else 'a'} {self.value}"


@dataclass(frozen=True)
class Struck:
    """Where a rule strikes: at a group, at a job, at an endpoint, at an EKS node group, or (none of them) at the whole."""

    group: GroupFacts | None = None
    job: JobFacts | None = None
    endpoint: EndpointFacts | None = None
    node_group: NodeGroupFacts | None = None


Strikes = Callable[[Facts], Iterable[Struck]]


@dataclass(frozen=True)
class Rule:
    """One row.

    sentence, fix: format strings over `facts`, `group`, `job`, `endpoint` and `node_group`. field: the input field at fault; of a
    group's rule the name within the group. source: where the fact is from, in the words of the place: AWS's API
    model, documentation, observation.
    """

    code: str
    noun: Noun
    severity: Severity
    strikes: Strikes
    sentence: str
    fix: str
    field: str
    source: str

    @property
    def general(self) -> str:
        """The sentence for no group in particular: what a case fills in stands as ‹words›."""

        def word(place: re.Match[str]) -> str:
            noun, name = place.groups()
            return f"‹{'cluster' if noun == 'facts' else noun.replace('_', ' ')} {name.replace('_', ' ')}›"

        return _PLACE.sub(word, self.sentence)

    def checks(self, facts: Facts) -> Iterator[Check]:
        """A row for each place where it strikes."""
        for struck in self.strikes(facts):
            words = {
                "facts": facts,
                "group": struck.group,
                "job": struck.job,
                "endpoint": struck.endpoint,
                "node_group": struck.node_group,
            }
            yield Check(
                code=self.code,
                severity=self.severity,
                title=TITLE,
                detail=self.sentence.format(**words),
                fix=self.fix.format(**words),
                field=struck.group.address(self.field) if struck.group is not None else self.field,
            )


def whole(holds: Callable[[Facts], bool]) -> Strikes:
    """Strikes once, when `holds`."""
    return lambda facts: (Struck(),) if holds(facts) else ()


def each_group(holds: Callable[[GroupFacts], bool]) -> Strikes:
    """Strikes at every group of which it holds."""
    return lambda facts: [Struck(group=group) for group in facts.groups if holds(group)]


def each_group_in(holds: Callable[[Facts, GroupFacts], bool]) -> Strikes:
    """The same, where the cluster matters too."""
    return lambda facts: [Struck(group=group) for group in facts.groups if holds(facts, group)]


def each_job(holds: Callable[[Facts, JobFacts], bool]) -> Strikes:
    """Strikes at every job of which it holds."""
    return lambda facts: [Struck(job=job) for job in facts.jobs if holds(facts, job)]


def each_node_group(holds: Callable[[NodeGroupFacts], bool]) -> Strikes:
    """Strikes at every EKS node group of which it holds."""
    return lambda facts: [Struck(node_group=group) for group in facts.node_groups if holds(group)]


def each_job_and_group(holds: Callable[[JobFacts, GroupFacts], bool]) -> Strikes:
    """Strikes at every pair of which it holds."""
    return lambda facts: [Struck(group, job) for job in facts.jobs for group in facts.groups if holds(job, group)]


def each_endpoint(holds: Callable[[Facts, EndpointFacts], bool]) -> Strikes:
    """Strikes at every endpoint of which it holds."""
    return lambda facts: [Struck(endpoint=endpoint) for endpoint in facts.endpoints if holds(facts, endpoint)]
