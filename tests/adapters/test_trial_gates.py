"""The gates of a trial, read from its numbered records."""

from pathlib import Path

import pytest

from assay.adapters.jobs.job_folder import read_gates
from assay.adapters.jobs.run_scoring import write_scored
from assay.adapters.jobs.run_store import LocalCases
from assay.core.errors import InputError
from assay.dialects.scorers.report import OverallVerdict, Row, RowVerdict, ScorersReport, with_verdict
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.jobs.trial_additions import gates_of
from tests.engine.test_judge_run import report
from tests.judge.cases import FAIL, said
from tests.judge.verdicts import AT, verdict_of

PASSES, FAILS, PROSE = said(), said(FAIL), "prose"


def score(trial: Path, number: int, answer: str | None, found: ScorersReport | None = None) -> None:
    found = found or report(OverallVerdict.PASS)
    found = found if answer is None else with_verdict(found, verdict_of(answer))
    record = Scoring(number=number, task="t", scenario=Scenario(scorers=[]), scored_at=AT, report=found)
    write_scored(str(trial), record, None)


@pytest.mark.parametrize(
    ("scored", "judged", "expected"),
    [
        ([], [], None),
        ([None], [], "PENDING"),
        ([PASSES], [], "PASS"),
        ([PASSES, FAILS], [], "FAIL"),
        # Scored again without a judge: the verdict on the run stands.
        ([FAILS, None], [], "FAIL"),
        ([], [FAILS, PASSES], "PASS"),
        ([PASSES], [FAILS], "FAIL"),
        ([PASSES], [PROSE], "unparseable"),
    ],
)
def test_the_last_verdict_is_that_of_the_run_store(
    tmp_path: Path, scored: list[str | None], judged: list[str], expected: str | None
) -> None:
    store = LocalCases()
    for number, answer in enumerate(scored, 1):
        score(tmp_path, number, answer)
    for answer in judged:
        store.keep(str(tmp_path), verdict_of(answer))
    known = store.judgements(str(tmp_path))
    found = read_gates(str(tmp_path))
    assert (None if found is None else found.judge) == expected
    assert not known or known[-1].state == expected
    if scored:
        assert found is not None
        assert (found.checks, found.run_status, found.failed, found.broken) == ("PASS", "completed", (), False)


def row(verdict: str, name: str = "tests", kind: str = "command", *, required: bool = True) -> Row:
    return Row(name=name, type=kind, required=required, verdict=RowVerdict(verdict), score=None, detail="")


@pytest.mark.parametrize(
    ("rows", "failed", "broken"),
    [
        ([row("PASS")], (), False),
        ([row("FAIL"), row("FAIL", "lint", required=False)], ("tests",), False),
        ([row("FAIL"), row("FAIL", "note", "llm_judge")], ("tests",), False),
        ([row("ERROR"), row("FAIL", "lint")], ("tests", "lint"), False),
        ([row("ERROR"), row("PASS", "lint")], ("tests",), True),
        ([row("ERROR", required=False)], (), False),
    ],
)
def test_which_scorers_failed_and_whether_they_only_broke(
    tmp_path: Path, rows: list[Row], failed: tuple[str, ...], broken: bool
) -> None:
    """As from the report itself."""
    found = report(OverallVerdict.FAIL).model_copy(update={"scorers": rows})
    score(tmp_path, 1, FAILS, found)
    read = read_gates(str(tmp_path))
    assert read is not None
    assert (read.failed, read.broken) == (failed, broken)
    assert read == gates_of(with_verdict(found, verdict_of(FAILS)))


def test_a_ledger_run_has_no_checks(tmp_path: Path) -> None:
    score(tmp_path, 1, PASSES, report(None))
    read = read_gates(str(tmp_path))
    assert read is not None
    assert (read.checks, read.judge, read.run_status) == (None, "PASS", "completed")


def test_the_newest_scoring_counts(tmp_path: Path) -> None:
    score(tmp_path, 1, None, report(OverallVerdict.FAIL))
    score(tmp_path, 2, None, report(OverallVerdict.PASS))
    read = read_gates(str(tmp_path))
    assert read is not None
    assert read.checks == "PASS"


@pytest.mark.parametrize("folder", ["judgements", "scores"])
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[" * 100_000,
        b"\xff",
        b'{"opinion": {"state": "pass"}, "report": {"judge": {"verdict": {"opinion": {"state": "pass"}}}}}',
        b'{"opinion": null, "report": {"judge": {"verdict": 1}}}',
    ],
)
def test_a_record_that_can_not_be_read_is_an_input_error(tmp_path: Path, folder: str, content: bytes) -> None:
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "0001.json").write_bytes(content)
    with pytest.raises(InputError, match=rf"{folder}/0001\.json isn't a record of a judge or a scoring"):
        read_gates(str(tmp_path))


@pytest.mark.parametrize("folder", ["judgements", "scores"])
def test_no_link_is_followed(tmp_path: Path, folder: str) -> None:
    (tmp_path / "elsewhere.json").write_text(verdict_of(PASSES).model_dump_json())
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "0001.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(InputError, match=r"0001\.json can't be read"):
        read_gates(str(tmp_path))
