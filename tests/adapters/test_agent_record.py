"""What an agent left about itself is read with care: no link, no huge file, no surprise."""

import json
import os
from pathlib import Path

import pytest

from assay.adapters.jobs import agent_record
from assay.adapters.jobs.agent_record import read_agent_record
from assay.evidence.coding_run import Form
from tests.builders import REPO
from tests.coding import write_files

ATIF = json.dumps(
    {"schema_version": "ATIF-v1.4", "agent": {"name": "a"}, "steps": [{"source": "agent", "message": "Done."}]}
)


def test_trajectory_response_and_output(tmp_path: Path) -> None:
    write_files(tmp_path, {"trajectory.json": ATIF, "output.txt": "[the beginning was cut off]\nlast line\n"})
    found = read_agent_record(str(tmp_path))
    assert found.trajectory is not None
    assert (found.trajectory.form, found.final_response) == (Form.ATIF, "Done.")
    assert [(one.name, one.text, one.cut) for one in found.outputs] == [("output.txt", "last line\n", True)]


def test_streams_that_are_known_apart_are_read_in_place_of_both_together(tmp_path: Path) -> None:
    said = '{"role": "assistant", "content": "Hello"}\n'
    write_files(tmp_path, {"output.txt": f"{said}warning\n", "agent-stderr.txt": "warning\n"})
    assert [one.name for one in read_agent_record(str(tmp_path)).outputs] == ["agent-stderr.txt", "output.txt"]
    write_files(tmp_path, {"agent-stdout.txt": said, "stdout.txt": "of a program"})
    found = read_agent_record(str(tmp_path))
    assert [one.name for one in found.outputs] == ["agent-stdout.txt", "agent-stderr.txt", "stdout.txt"]
    assert (found.trajectory and found.trajectory.form, found.final_response) == (Form.MESSAGES, "Hello")
    write_files(tmp_path, {"agent-stdout.txt": ""})
    assert read_agent_record(str(tmp_path)).final_response == "warning\n"


def test_a_file_with_the_response_wins(tmp_path: Path) -> None:
    write_files(tmp_path, {"trajectory.json": ATIF, "final_response.md": "All fixed.\n"})
    assert read_agent_record(str(tmp_path)).final_response == "All fixed."


def test_without_a_trajectory_what_was_printed_is_one(tmp_path: Path) -> None:
    write_files(tmp_path, {"output.txt": '{"role": "assistant", "content": "Hello"}\n'})
    found = read_agent_record(str(tmp_path))
    assert found.trajectory is not None
    assert (found.trajectory.form, found.final_response) == (Form.MESSAGES, "Hello")


def test_harbor_names_the_output_after_the_agent(tmp_path: Path) -> None:
    write_files(tmp_path, {"codex.txt": "I did it."})
    assert read_agent_record(str(tmp_path), agent="codex").final_response == "I did it."
    assert read_agent_record(str(tmp_path), agent="../codex").outputs == ()


def test_nothing_is_nothing(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "missing"):
        found = read_agent_record(str(folder))
        assert (found.trajectory, found.final_response, found.outputs, found.remarks) == (None, None, (), ())


def test_no_link_is_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_text(ATIF)
    logs = tmp_path / "agent"
    logs.mkdir()
    for name in ("trajectory.json", "final_response.md", "output.txt"):
        (logs / name).symlink_to(tmp_path / "secret")
    found = read_agent_record(str(logs))
    assert (found.trajectory, found.final_response, found.outputs) == (None, None, ())
    assert "trajectory.json isn't read: it is a symbolic link" in found.remarks


def test_references_stay_in_the_folder_of_logs(tmp_path: Path) -> None:
    (tmp_path / "secret.json").write_text(ATIF)
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent/inside").symlink_to(tmp_path)
    for where in ("../secret.json", str(tmp_path / "secret.json"), "inside/secret.json"):
        written = json.loads(ATIF) | {"continued_trajectory_ref": where}
        (tmp_path / "agent/trajectory.json").write_text(json.dumps(written))
        found = read_agent_record(str(tmp_path / "agent"))
        assert found.trajectory is not None
        assert len(found.trajectory.steps) == 1


def test_pipes_and_huge_files_are_remarks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_record, "LIMIT", 10)
    os.mkfifo(tmp_path / "output.txt")
    (tmp_path / "trajectory.json").write_text(ATIF)
    found = read_agent_record(str(tmp_path))
    assert found.trajectory is None
    assert found.remarks == (
        "output.txt isn't read: it is a named pipe",
        "trajectory.json isn't read: it is larger than the limit of 10 bytes",
    )


SESSIONS = sorted((REPO / "tests" / "data" / "trajectories").iterdir())


@pytest.mark.parametrize("session", SESSIONS, ids=lambda path: path.name)
def test_a_session_under_the_name_that_its_program_gave_it(tmp_path: Path, session: Path) -> None:
    settings = {"a-settings.json": "{}", "events.jsonl": '{"level": "info"}\n', "output.txt": "a log"}
    write_files(tmp_path, settings)
    (tmp_path / session.name).write_bytes(session.read_bytes())
    found = read_agent_record(str(tmp_path))
    assert found.trajectory is not None
    assert found.trajectory.steps
    assert found.trajectory.form is Form.MESSAGES
    (tmp_path / session.name).unlink()
    (tmp_path / session.name).symlink_to(session)
    assert (read_agent_record(str(tmp_path)).trajectory or found.trajectory).form is Form.TEXT


def test_a_trajectory_of_the_usual_name_comes_first(tmp_path: Path) -> None:
    write_files(tmp_path, {"a.jsonl": '{"role": "assistant", "content": "Hello"}\n', "trajectory.json": ATIF})
    assert read_agent_record(str(tmp_path)).final_response == "Done."
