"""Sessions of several agents that tell the same story, each in its own format, are told apart and read alike."""

import io
import json
import zipfile
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.explorer.trace_page import TraceQuery, trace_part
from assay.evidence.coding_run import Form, Speaker, StatedUsage, Trajectory
from assay.evidence.files import HeldBytes
from assay.formats.trajectories import inspect_log
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.stream import head_of, steps_from
from tests.builders import REPO
from tests.formats.trajectories.inspect_samples import HEADER, SAMPLE, eval_log

SAMPLES = REPO / "tests" / "data" / "trajectories"
DONE = "The sum began at 1; now it begins at 0."
FILES = {path.name: path.read_bytes() for path in sorted(SAMPLES.iterdir())} | {
    "log.eval": eval_log([SAMPLE]),
    "log.json": json.dumps({**HEADER, "samples": [SAMPLE]}).encode(),
}
AGENTS = {
    "claude-code.jsonl": ("claude-code", "claude-sonnet-4-5", StatedUsage(2000, 60, 1890)),
    "codex-exec.jsonl": ("codex", None, StatedUsage(2000, 60, 890)),
    "codex.jsonl": ("codex", "gpt-5-codex", StatedUsage(2000, 60, 890)),
    "log.eval": ("inspect", "openai/gpt-5", StatedUsage(2000, 60, 890, 0.02)),
    "log.json": ("inspect", "openai/gpt-5", StatedUsage(2000, 60, 890, 0.02)),
    "openhands-events.jsonl": ("openhands", None, StatedUsage()),
    "openhands.json": ("openhands", None, StatedUsage(2000, 60, 890, 0.02)),
    "otel.json": (None, "gpt-5", StatedUsage(2000, 60)),
    "swe-agent.traj": ("swe-agent", None, StatedUsage(2000, 60, None, 0.02)),
}


def read(data: bytes) -> Trajectory:
    return read_trajectory(data, "x", lambda _: None)


def test_every_format_has_a_sample() -> None:
    assert FILES.keys() == AGENTS.keys()


@pytest.mark.parametrize("name", FILES)
def test_the_same_story_in_every_format(name: str) -> None:
    found = read(FILES[name])
    assert (found.form, (found.agent, found.model, found.usage)) == (Form.MESSAGES, AGENTS[name])
    texts = "\n".join((*(step.text for step in found.steps), *(step.reasoning for step in found.steps)))
    assert "Run the tests first." in texts
    assert found.last_message == DONE
    call = next(call for step in found.steps for call in step.calls)
    result = next(result for step in found.steps for result in step.results)
    assert "pytest -q" in call.arguments
    assert (result.text, result.call_id) == ("1 failed", call.id)
    assert result.failed is (name != "swe-agent.traj")  # which doesn't tell
    asked = [step.text for step in found.steps if step.speaker is Speaker.USER]
    assert asked == ([] if name == "codex-exec.jsonl" else ["Make total() right."])
    assert found.remarks == ()


@pytest.mark.parametrize("name", [one for one in FILES if one not in ("log.eval", "log.json", "otel.json")])
def test_the_same_steps_when_it_is_read_piece_by_piece(name: str) -> None:
    source = HeldBytes(FILES[name])
    head = head_of(source)
    streamed = [replace(one.step, number=0) for one in steps_from(source, head, head.start)]
    whole = [replace(one, number=0) for one in read(FILES[name]).steps]
    assert streamed == (whole[2:] if name == "swe-agent.traj" else whole)  # its questions come behind


@pytest.mark.parametrize("name", FILES)
def test_a_page_shows_them(name: str) -> None:
    shown = trace_part(HeldBytes(FILES[name]), name, lambda _: None, TraceQuery(text="pytest -q"))
    assert any(step.calls for step in shown.steps)


def test_spans_one_a_line() -> None:
    spans = json.loads(FILES["otel.json"])["resourceSpans"][0]["scopeSpans"][0]["spans"]
    batches = [{"resourceSpans": [{"scopeSpans": [{"spans": [one]}]}]} for one in spans]
    data = "".join(f"{json.dumps(one)}\n" for one in batches).encode()
    assert read(data) == read(FILES["otel.json"])
    assert read(json.dumps(spans).encode()) == read(FILES["otel.json"])


def test_spans_without_content_still_tell_the_tools() -> None:
    tool = {"name": "execute_tool bash", "attributes": {"gen_ai.tool.name": "bash"}, "start_time": "2026-01-01"}
    found = read(json.dumps([tool, tool]).encode())
    assert [call.name for step in found.steps for call in step.calls] == ["bash", "bash"]


def test_a_log_with_several_samples_shows_the_first() -> None:
    found = read(eval_log([SAMPLE, {**SAMPLE, "id": "z"}]))
    assert found.remarks == ("the log has 2 samples; this is total",)
    assert found.last_message == DONE


def test_parts_of_an_archive_that_can_not_be_read_are_remarks() -> None:
    broken = eval_log([], more={"samples/a_epoch_1.json": b"{"})
    assert read(broken).remarks == (
        f"samples/a_epoch_1.json must be a JSON object of at most {inspect_log.MAX_MEMBER} bytes, and isn't",
    )
    damaged = bytearray(eval_log([SAMPLE]))
    damaged[damaged.index(b"samples/") + 40] ^= 255
    assert "can't be read" in read(bytes(damaged)).remarks[0]


def test_an_archive_that_unpacks_to_more_than_anybody_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    data = eval_log([{**SAMPLE, "input": " " * 200_000}])
    monkeypatch.setattr(inspect_log, "MAX_ALL", 100_000)
    assert "exceed 100000 bytes" in read(data).remarks[0]


def test_any_other_archive_is_no_trajectory() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.txt", "x")
    assert read(file.getvalue()).form is Form.TEXT


def _pieces(value: Any) -> Any:
    """Every value in some JSON, so that any can stand in the place of any other."""
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
    return [value, *(piece for one in inner for piece in _pieces(one))]


PARSED = [
    json.loads(line) for name, data in FILES.items() if name.endswith(".jsonl") for line in data.splitlines()
]
PARSED += [json.loads(FILES[name]) for name in FILES if name.endswith((".json", ".traj"))]


def _swap(value: Any, place: int, other: Any) -> Any:
    """The value with another one in a place of it."""
    seen = iter(range(10**6))

    def walk(one: Any) -> Any:
        if next(seen) == place:
            return other
        if isinstance(one, dict):
            return {key: walk(inner) for key, inner in one.items()}
        return [walk(inner) for inner in one] if isinstance(one, list) else one

    return walk(value)


PIECES = _pieces(PARSED)
ODD: st.SearchStrategy[Any] = st.one_of(
    *(st.none(), st.booleans(), st.integers(), st.floats()),
    *(st.text(max_size=4), st.lists(st.just({}), max_size=2), st.sampled_from(PIECES)),
)


@given(st.sampled_from(PARSED), st.integers(0, 300), ODD)
def test_no_value_in_any_place_breaks_the_reader(value: Any, place: int, other: Any) -> None:
    changed = json.dumps(_swap(value, place, other))
    for data in (changed.encode(), f'{changed}\n{{"role": "user"}}\n'.encode()):
        found = read(data)
        json.dumps([step.text for step in found.steps]).encode()
        hash(found)
        source = HeldBytes(data)
        head = head_of(source)
        assert all(one.after <= len(data) for one in steps_from(source, head, head.start))


@given(st.integers(0, 4000), st.binary(min_size=1, max_size=30))
def test_no_bytes_break_the_reader_of_archives(place: int, other: bytes) -> None:
    data = FILES["log.eval"]
    assert isinstance(read(data[:place] + other + data[place + len(other) :]), Trajectory)
