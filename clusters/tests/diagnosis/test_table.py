"""The table of known errors as a whole, without a cluster."""

from __future__ import annotations

from datetime import UTC, datetime

from clusters.diagnosis.entry import Confidence
from clusters.diagnosis.evidence import Evidence, Level, Source, quoted
from clusters.diagnosis.findings import judge
from clusters.diagnosis.table import BY_CODE, TABLE
from clusters.tests.diagnosis import test_hyperpod, test_installed, test_pods
from clusters.tests.diagnosis.shown import SHOWN
from operations import action

AT = datetime(2026, 12, 3, 12, 0, tzinfo=UTC)
FILES = (test_hyperpod, test_installed, test_pods)
"""Each notes what it shows when it is imported."""


def said(text: str, source: Source = Source.HYPERPOD_EVENT, subject: str = "i-1", **fields: object) -> Evidence:
    return Evidence(source, subject, text, AT, **fields)  # type: ignore[arg-type]


def test_every_known_error_is_shown_by_a_test_against_the_sandbox() -> None:
    assert all(FILES)
    assert sorted(BY_CODE) == sorted(SHOWN)
    assert len(TABLE) == len(BY_CODE) >= 25


def test_every_row_names_its_source_a_cause_a_fix_and_only_actions_and_rows_that_there_are() -> None:
    for row in TABLE:
        assert row.title and row.cause and row.fix and row.source and row.clues, row.code
        assert set(row.after) <= set(BY_CODE), row.code
        assert row.proposal is None or action.find(row.proposal.kind), row.code


def test_two_sources_that_agree_make_it_surer_and_nothing_makes_it_certain_twice() -> None:
    one = said("Back-off restarting failed container", Source.KUBERNETES_EVENT, "Pod a/b")
    other = said("CrashLoopBackOff: back-off 10s", Source.POD, "Pod a/b")
    assert [found.confidence for found in judge([one])[0]] == [Confidence.MEDIUM]
    assert [found.confidence for found in judge([one, other])[0]] == [Confidence.HIGH]


def test_what_is_past_comes_last_and_a_better_explanation_takes_the_place_of_a_general_one() -> None:
    past = said("We currently do not have sufficient ml.p5.48xlarge capacity", standing=False, group="a")
    marked = said("node-health-status=UnschedulablePendingReplacement; fault-reasons=Xid79", Source.HEALTH_LABEL, node="i-1")
    bare = said("node-health-status=UnschedulablePendingReplacement", Source.HEALTH_LABEL, node="i-2")
    found, left = judge([past, marked, bare])
    assert [(one.error.code, one.standing) for one in found] == [
        ("gpu_fell_off_bus", True),
        ("marked_for_replacement", True),
        ("insufficient_capacity", False),
    ]
    assert (found[1].nodes, left) == (["i-2"], [])


def test_what_nothing_explains_is_listed_the_likeliest_first_and_nothing_is_made_up() -> None:
    event = said("Something odd", Source.KUBERNETES_EVENT, level=Level.WARNING)
    label = said("fault-types=Strange", Source.HEALTH_LABEL)
    info = said("All is well", level=Level.INFO)
    assert judge([event, info, label]) == ([], [label, event])
    assert judge([]) == ([], [])


def test_words_from_outside_are_cut_and_lose_what_could_fool_a_reader() -> None:
    assert quoted("a\x1b[31m\u202eb\n\n c\x00") == "a [31m b c"
    assert (len(quoted("x" * 1000)), quoted("x" * 1000)[-1]) == (400, "…")
