"""The gradings of a trial: numbered, chained, never changed, and refused where they can't be read."""

import contextlib
import hashlib
import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from assay.adapters.jobs.annotations import last_grading, read_stored_gradings, write_grading
from assay.adapters.machine.safe_read import read_below
from assay.core.errors import InputError
from assay.engine.ports import NumberTakenError
from assay.engine.run.grading_record import Before
from tests.dialects.evaluation.gradings import grading


def test_gradings_are_kept_beside_the_result_in_their_order(tmp_path: Path) -> None:
    records = [grading(number, number / 10) for number in (1, 2, 3)]
    paths = [write_grading(str(tmp_path), record) for record in records]
    assert paths == [f"{tmp_path}/gradings/000{number}.json" for number in (1, 2, 3)]
    assert read_stored_gradings(str(tmp_path)) == records


def test_a_trial_without_gradings(tmp_path: Path) -> None:
    assert read_stored_gradings(str(tmp_path)) == []
    assert last_grading(str(tmp_path)) == Before((), None)
    assert last_grading(str(tmp_path)).number == 0


def test_a_second_grading_is_a_second_record(tmp_path: Path) -> None:
    """It never changes the first."""
    write_grading(str(tmp_path), grading(1, 0.0))
    first = (tmp_path / "gradings" / "0001.json").read_bytes()
    with pytest.raises(InputError, match="already exists"):
        write_grading(str(tmp_path), grading(1, 1.0))
    write_grading(str(tmp_path), grading(2, 1.0))
    assert (tmp_path / "gradings" / "0001.json").read_bytes() == first


def test_each_grading_can_name_the_hash_of_the_one_before_it(tmp_path: Path) -> None:
    for number in (1, 2, 3):
        before = last_grading(str(tmp_path))
        assert before.number == number - 1
        write_grading(str(tmp_path), grading(number, previous=before.sha256))
    files = [(tmp_path / "gradings" / f"000{number}.json").read_bytes() for number in (1, 2, 3)]
    hashes = [hashlib.sha256(data).hexdigest() for data in files]
    found = [record.provenance.previous for record in read_stored_gradings(str(tmp_path))]
    assert found == [None, hashes[0], hashes[1]]
    assert last_grading(str(tmp_path)).sha256 == hashes[2]


def test_the_hash_is_that_of_the_newest_that_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another grading may be written while the gradings so far are read."""
    write_grading(str(tmp_path), grading(1))
    read = read_below

    def while_another_writes(*args: Any) -> Any:
        data = read(*args)
        with contextlib.suppress(NumberTakenError):
            write_grading(str(tmp_path), grading(2))
        return data

    monkeypatch.setattr("assay.adapters.machine.numbered_files.read_below", while_another_writes)
    before = last_grading(str(tmp_path))
    assert before.number == 1
    assert before.sha256 == hashlib.sha256((tmp_path / "gradings" / "0001.json").read_bytes()).hexdigest()


def test_a_record_under_another_number_is_refused(tmp_path: Path) -> None:
    """Else the next would be looked for under a number that is taken, for ever."""
    write_grading(str(tmp_path), grading(1))
    write_grading(str(tmp_path), grading(2))
    shutil.copy(tmp_path / "gradings" / "0001.json", tmp_path / "gradings" / "0002.json")
    for read in (read_stored_gradings, last_grading):
        with pytest.raises(
            InputError, match=r"gradings/0002\.json isn't a valid grading: number must be 2 as in its name, got 1"
        ):
            read(str(tmp_path))


def test_a_change_to_a_record_breaks_the_chain(tmp_path: Path) -> None:
    write_grading(str(tmp_path), grading(1, 0.0))
    write_grading(str(tmp_path), grading(2, previous=last_grading(str(tmp_path)).sha256))
    path = tmp_path / "gradings" / "0001.json"
    path.write_text(path.read_text().replace('"reward": 0.0', '"reward": 1.0'))
    one, two = read_stored_gradings(str(tmp_path))
    assert two.provenance.previous != hashlib.sha256(path.read_bytes()).hexdigest()
    assert one.result.reward == 1.0


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"{}",
        b"\xff",
        b"null",
        json.dumps(json.loads(grading().model_dump_json()) | {"colour": 1}).encode(),
        json.dumps(json.loads(grading().model_dump_json()) | {"schema_version": "1"}).encode(),
        json.dumps(json.loads(grading().model_dump_json()) | {"number": 0}).encode(),
        grading().model_dump_json().replace('"reward":1.0,"validity"', '"reward":2.0,"validity"').encode(),
    ],
    ids=[
        "empty",
        "cut off",
        "list",
        "no fields",
        "no text",
        "null",
        "unknown field",
        "version",
        "number",
        "reward",
    ],
)
def test_a_record_that_can_not_be_read_is_an_input_error(tmp_path: Path, content: bytes) -> None:
    write_grading(str(tmp_path), grading())
    (tmp_path / "gradings" / "0001.json").write_bytes(content)
    for read in (read_stored_gradings, last_grading):
        with pytest.raises(InputError, match=r"gradings/0001\.json isn't a valid grading: "):
            read(str(tmp_path))


def test_a_reward_for_unparseable_output_is_not_even_read(tmp_path: Path) -> None:
    """The rule across fields holds for what somebody wrote into a record, too."""
    write_grading(str(tmp_path), grading(1, 0.0, parseable=False, schema_valid=False))
    path = tmp_path / "gradings" / "0001.json"
    path.write_text(path.read_text().replace('"reward": 0.0', '"reward": 1.0'))
    with pytest.raises(InputError, match="the output can't be parsed"):
        read_stored_gradings(str(tmp_path))


def test_a_grading_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "gradings").mkdir()
    (tmp_path / "elsewhere.json").write_text(grading().model_dump_json())
    (tmp_path / "gradings" / "0001.json").symlink_to("../elsewhere.json")
    with pytest.raises(InputError, match="can't be read"):
        read_stored_gradings(str(tmp_path))


def test_nothing_half_written_is_left(tmp_path: Path) -> None:
    write_grading(str(tmp_path), grading())
    with pytest.raises(InputError):
        write_grading(str(tmp_path), grading())
    assert os.listdir(tmp_path / "gradings") == ["0001.json"]
