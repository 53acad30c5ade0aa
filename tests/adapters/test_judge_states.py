"""What a judge said last of a trial, read from its numbered records."""

from pathlib import Path

import pytest
from assay.adapters.judge_states import last_state

from assay.adapters.run_store import LocalCases
from assay.adapters.scored_runs import write_scored
from assay.core.errors import InputError
from assay.dialects.scorers.report import OverallVerdict
from assay.dialects.scorers.scenario import Scenario
from assay.dialects.scorers.scored_run import Scoring
from assay.engine.judge_verdict import with_verdict
from tests.engine.test_judge_run import report
from tests.judge.cases import FAIL, said
from tests.judge.verdicts import AT, verdict_of

PASSES, FAILS, PROSE = said(), said(FAIL), "prose"


def score(trial: Path, number: int, answer: str | None) -> None:
    found = report(OverallVerdict.PASS)
    found = found if answer is None else with_verdict(found, verdict_of(answer))
    record = Scoring(number=number, task="t", scenario=Scenario(scorers=[]), scored_at=AT, report=found)
    write_scored(str(trial), record, None)


@pytest.mark.parametrize(
    ("scored", "judged", "expected"),
    [
        ([], [], None),
        ([None], [], None),
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
    assert last_state(str(tmp_path)) == (known[-1].state if known else None) == expected


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
        last_state(str(tmp_path))


@pytest.mark.parametrize("folder", ["judgements", "scores"])
def test_no_link_is_followed(tmp_path: Path, folder: str) -> None:
    (tmp_path / "elsewhere.json").write_text(verdict_of(PASSES).model_dump_json())
    (tmp_path / folder).mkdir()
    (tmp_path / folder / "0001.json").symlink_to(tmp_path / "elsewhere.json")
    with pytest.raises(InputError, match=r"0001\.json can't be read"):
        last_state(str(tmp_path))
