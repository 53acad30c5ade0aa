"""Recorded answers of harbor 0.13.1, one test for each file of them."""

from pathlib import Path

import pytest

from tests.builders import HARBOR_VECTORS
from tests.conformance import check, main, rows_of

FILES = sorted(HARBOR_VECTORS.glob("*.jsonl"))


def test_there_is_a_file_of_every_kind() -> None:
    names = [file.name for file in FILES]
    assert names == ["multistep.jsonl", "parse.jsonl", "passk.jsonl", "passk_k_values.jsonl", "stats.jsonl"]


@pytest.mark.statement("harbor.pipeline", "harbor.same-bits")
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_recorded_answer_is_given_again(file: Path) -> None:
    rows = list(rows_of(file))
    assert len(rows) >= 30
    assert [f"{row['name']}: {difference}" for row in rows if (difference := check(row))] == []


def test_a_wrong_answer_would_be_noticed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "passk.jsonl").write_text(
        '{"name": "right", "n": 5, "c": 1, "k": 2, "expect": "0.3999999999999999"}\n'
        '{"name": "wrong", "n": 5, "c": 1, "k": 2, "expect": "0.4"}\n'
        '{"name": "strange", "question": 1, "expect": "0.4"}\n'
    )
    assert main(str(tmp_path)) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "passk.jsonl: wrong: answer: expected 0.4, got 0.3999999999999999"
    assert lines[1].startswith("passk.jsonl: strange:")
    assert lines[2] == "1 passed, 2 failed"


def test_an_empty_folder_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(str(tmp_path)) == 2
    assert "holds no .jsonl files" in capsys.readouterr().err
