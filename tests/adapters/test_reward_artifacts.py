"""A verifier's artifacts, written whole or not at all: details first, then the reward."""

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.jobs.job_folder import read_reward_files
from assay.adapters.jobs.reward_writer import write_artifacts
from assay.adapters.machine.safe_read import read_file
from assay.core.errors import InputError
from assay.evaluation import Ingested, ingest
from assay.evidence.coding_run import ProcessEnd, VerifierEvidence

DETAILS = {"voltage_drop_v": {"score": 0.95, "max_score": 1.0, "evidence": "within 2% of reference"}}


def ingested(folder: Path) -> Ingested:
    evidence = VerifierEvidence(
        rewards=read_reward_files(folder),
        details=read_file(str(folder / "details.json"), 2**20),
        output=None,
        end=ProcessEnd(0),
    )
    return ingest(evidence)


@pytest.mark.parametrize("reward", [0, 1, 0.0, 0.93, 1.0, 5e-324])
@pytest.mark.parametrize("details", [None, {}, DETAILS, {"flat": 0.5}])
def test_what_is_written_is_ingested_as_it_is(
    tmp_path: Path, reward: float, details: dict[str, Any] | None
) -> None:
    write_artifacts(tmp_path, reward, details)
    found = ingested(tmp_path)
    assert (found.result.reward, found.reason_code, found.result.breakdown) == (reward, None, details)
    assert sorted(os.listdir(tmp_path)) == ["reward.json"] if details is None else ["details.json", "reward.json"]


def test_the_minimal_reward_json(tmp_path: Path) -> None:
    write_artifacts(str(tmp_path), 0.93)
    assert (tmp_path / "reward.json").read_text() == '{"reward": 0.93}\n'


@pytest.mark.parametrize("reward", [-0.1, 1.0000001, math.nan, math.inf, -math.inf, True, False, 2, -1])
def test_a_reward_that_is_none_is_refused_and_nothing_is_written(tmp_path: Path, reward: float) -> None:
    with pytest.raises(InputError, match="the reward must be a finite number from 0 to 1, got"):
        write_artifacts(tmp_path, reward, DETAILS)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("reward", ["1", None, 10**400, [1]], ids=["text", "nothing", "huge", "list"])
def test_nor_is_anything_that_is_no_number_at_all(tmp_path: Path, reward: Any) -> None:
    with pytest.raises(InputError, match="the reward must be a finite number from 0 to 1, got"):
        write_artifacts(tmp_path, reward)
    assert os.listdir(tmp_path) == []


def test_what_is_refused_leaves_what_was_there(tmp_path: Path) -> None:
    write_artifacts(tmp_path, 0.25, {"old": 1})
    for reward, details in ((2, None), (1, {"a": math.nan})):
        with pytest.raises(InputError):
            write_artifacts(tmp_path, reward, details)
    assert (ingested(tmp_path).result.reward, ingested(tmp_path).result.breakdown) == (0.25, {"old": 1})


@pytest.mark.parametrize("value", [math.nan, math.inf, {1, 2}, object()])
def test_details_that_are_no_json_leave_no_reward_behind(tmp_path: Path, value: object) -> None:
    with pytest.raises((InputError, ValueError, TypeError)):
        write_artifacts(tmp_path, 1.0, {"a": {"evidence": value}})
    assert os.listdir(tmp_path) == []


def test_where_there_is_a_reward_its_details_are_there_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader that sees the reward sees the details: they are written first."""
    seen: list[list[str]] = []
    real = os.replace

    def watched(source: str, target: str) -> None:
        real(source, target)
        seen.append(sorted(name for name in os.listdir(tmp_path) if not name.startswith(".")))

    monkeypatch.setattr(os, "replace", watched)
    write_artifacts(tmp_path, 1.0, DETAILS)
    assert seen == [["details.json"], ["details.json", "reward.json"]]


def test_what_was_there_is_replaced_whole(tmp_path: Path) -> None:
    write_artifacts(tmp_path, 0.123456789, DETAILS)
    write_artifacts(tmp_path, 1, {"a": 1})
    found = ingested(tmp_path)
    assert (found.result.reward, found.result.breakdown) == (1.0, {"a": 1})


def test_a_reward_without_details_takes_the_older_ones_away(tmp_path: Path) -> None:
    """They belong to the reward that they were written with."""
    write_artifacts(tmp_path, 0.5, DETAILS)
    write_artifacts(tmp_path, 1.0)
    assert os.listdir(tmp_path) == ["reward.json"]
    assert ingested(tmp_path).result.breakdown is None


@pytest.mark.parametrize("details", [None, {"new": 1}])
def test_at_no_moment_is_a_reward_beside_the_details_of_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, details: dict[str, Any] | None
) -> None:
    """Whoever looks in between finds no reward, which is no score; never one with the wrong reasons."""
    write_artifacts(tmp_path, 0.25, {"old": 1})
    seen: list[tuple[object, object]] = []

    def look(name: str) -> object:
        path = tmp_path / name
        return json.loads(path.read_text()) if path.exists() else None

    def watched(real: Any) -> Any:
        def act(*args: Any, **kwargs: Any) -> None:
            real(*args, **kwargs)
            seen.append((look("reward.json"), look("details.json")))

        return act

    for name in ("replace", "unlink"):
        monkeypatch.setattr(os, name, watched(getattr(os, name)))
    write_artifacts(tmp_path, 1, details)
    assert seen[-1] == ({"reward": 1}, details)
    assert {reward is None for reward, _ in seen[:-1]} == {True}


def test_a_link_in_place_of_older_details_is_removed_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    folder = tmp_path / "verifier"
    folder.mkdir()
    (folder / "details.json").symlink_to("../victim")
    write_artifacts(folder, 1.0)
    assert (tmp_path / "victim").read_text() == "precious"
    assert os.listdir(folder) == ["reward.json"]


def test_links_that_an_agent_left_are_replaced_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("precious")
    folder = tmp_path / "verifier"
    folder.mkdir()
    for name in ("reward.json", "details.json"):
        (folder / name).symlink_to("../victim")
    write_artifacts(folder, 1.0, DETAILS)
    assert (tmp_path / "victim").read_text() == "precious"
    assert ingested(folder).result.reward == 1.0


@pytest.mark.parametrize("obstacle", ["no folder", "a file", "a folder in its place"])
def test_where_it_can_not_be_written_it_says_so(tmp_path: Path, obstacle: str) -> None:
    folder = tmp_path / "verifier"
    if obstacle == "a file":
        folder.write_text("")
    elif obstacle == "a folder in its place":
        (folder / "reward.json").mkdir(parents=True)
    with pytest.raises(InputError, match=r"can't write to .*verifier: "):
        write_artifacts(folder, 1.0)


@given(
    st.floats(0, 1),
    st.dictionaries(
        st.text(), st.floats(allow_nan=False, allow_infinity=False) | st.text() | st.none(), max_size=4
    ),
)
def test_any_reward_and_any_details_come_back(
    tmp_path_factory: pytest.TempPathFactory, reward: float, details: dict[str, Any]
) -> None:
    folder = tmp_path_factory.mktemp("verifier")
    write_artifacts(folder, reward, details)
    assert json.loads((folder / "reward.json").read_text()) == {"reward": reward}
    assert ingested(folder).result.breakdown == details
