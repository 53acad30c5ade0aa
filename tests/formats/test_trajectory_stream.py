"""A trajectory that is read a few steps at a time has the same steps as one that is read as a whole."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.explorer.trace_page import AT_ONCE, WHOLE, TracePart, TraceQuery, trace_part
from assay.evidence.files import HeldBytes
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.stream import CHUNK, FIRST_LINE, head_of, rest_of, steps_from
from tests.web.traces import atif, large_atif, step

LONG = "ä" * 30_000
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "do it"},
    {"role": "assistant", "content": LONG, "reasoning_content": "hm", "tool_calls": []},
    {"type": "event", "nothing": 1},
    {"role": "tool", "tool_call_id": "1", "content": '[{]}\\"'},
    {"message": {"role": "assistant", "content": [{"type": "text", "text": "done"}]}},
]
STEPS = [
    step(1, "user", "do it"),
    step(2, "agent", LONG),
    {"source": "nobody"},
    step(3, "agent", "é\u2028]}", is_copied_context=False),
]
FORMS = {
    "lines": "\n".join(map(json.dumps, MESSAGES)),
    "lines that are not ascii": "\n".join(json.dumps(one, ensure_ascii=False) for one in MESSAGES),
    "list": json.dumps(MESSAGES, indent=2, ensure_ascii=False),
    "messages": json.dumps({"id": "x", "messages": MESSAGES}),
    "atif": json.dumps(atif(STEPS), ensure_ascii=False),
    "atif, indented": json.dumps(atif(STEPS), indent=1),
    "nothing": "",
    "text": "just a log\nwith lines\n",
}


def streamed(data: bytes) -> list[Any]:
    source = HeldBytes(data)
    head = head_of(source)
    return [replace(one.step, number=0) for one in steps_from(source, head, head.start)]


@pytest.mark.parametrize("form", FORMS)
def test_the_same_steps_as_when_it_is_read_at_once(form: str) -> None:
    data = FORMS[form].encode()
    whole = read_trajectory(data, "x", lambda _: None)
    assert streamed(data) == [replace(one, number=0) for one in whole.steps]


@pytest.mark.parametrize("form", [one for one in FORMS if one not in ("nothing", "text")])
def test_every_place_leads_to_the_rest(form: str) -> None:
    source = HeldBytes(FORMS[form].encode())
    head = head_of(source)
    every = list(steps_from(source, head, head.start))
    for count, placed in enumerate(every, start=1):
        assert list(steps_from(source, head, placed.after)) == every[count:]


@given(st.binary(max_size=300), st.sampled_from(["", '{"steps": [', "[", '{"role": "user"}\n', '{"a": {"b": "']))
def test_no_bytes_break_it(data: bytes, before: str) -> None:
    source = HeldBytes(before.encode() + data)
    head = head_of(source)
    for placed in steps_from(source, head, head.start):
        assert placed.after <= source.size
    rest_of(source, 0)


class ReadBytes(HeldBytes):
    """Bytes that remember how far somebody read them."""

    furthest = 0

    def read(self, start: int, length: int) -> bytes:
        ReadBytes.furthest = max(ReadBytes.furthest, start + length)
        return super().read(start, length)


def test_the_head_of_a_large_file_is_found_near_its_beginning(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ReadBytes, "furthest", 0)
    assert head_of(ReadBytes("".join(large_atif(2 * FIRST_LINE)).encode())).form == "list"
    assert 0 < ReadBytes.furthest < 2 * CHUNK


@pytest.mark.parametrize("size", [CHUNK // 2, CHUNK + 1, FIRST_LINE // 2])
def test_a_long_first_line_is_still_a_line(size: int) -> None:
    long = json.dumps({"role": "user", "content": "x" * size})
    assert [len(one.text) for one in streamed(f"{long}\n{json.dumps(MESSAGES[0])}\n".encode())] == [size, 5]


def large() -> HeldBytes:
    return HeldBytes("".join(large_atif(WHOLE + 100_000)).encode())


def test_a_large_trace_is_shown_part_by_part() -> None:
    source = large()
    seen: list[int] = []
    place: str | None = ""
    while place is not None:
        part = trace_part(source, "trajectory.json", lambda _: None, TraceQuery(place=place))
        seen += [one.number for one in part.steps]
        assert len(part.steps) <= AT_ONCE
        place = part.next
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) == (WHOLE + 100_000) // 5000
    assert part.agent == "coder"


def test_a_large_trace_is_searched() -> None:
    found = trace_part(large(), "trajectory.json", lambda _: None, TraceQuery(text="Step Number 700"))
    assert [one.number for one in found.steps] == [700]
    assert found.next is None


def test_kinds_can_be_hidden_in_a_large_trace() -> None:
    part = trace_part(large(), "x", lambda _: None, TraceQuery(hidden=frozenset({"calls", "results"})))
    assert part.steps[0].text == "step number 1"
    assert (part.steps[0].calls, part.steps[0].results) == ((), ())


def test_a_large_trace_goes_on_in_its_continuation() -> None:
    text = "".join(large_atif(WHOLE + 100_000))
    first = HeldBytes((text[:-1] + ', "continued_trajectory_ref": "more.json"}').encode())
    more = HeldBytes(json.dumps(atif([step(1, "agent", "the end")])).encode())
    place: str | None = ""
    part = TracePart(())
    while place is not None:
        part = trace_part(first, "trajectory.json", {"more.json": more}.get, TraceQuery(place=place))
        place = part.next
    assert [one.text for one in part.steps] == ["the end"]
    assert part.steps[0].number == (WHOLE + 100_000) // 5000 + 1


@pytest.mark.parametrize("place", ["x", "1.2", "-1.0.", "1." + "9" * 14 + ".", "1.5.nowhere.json"])
def test_a_place_that_nobody_gave_out(place: str) -> None:
    found = trace_part(large(), "x", lambda _: None, TraceQuery(place=place))
    assert isinstance(found, TracePart)


def test_a_link_to_a_step_of_a_large_trace_begins_there() -> None:
    part = trace_part(large(), "x", lambda _: None, TraceQuery(place="699.0."))
    every = trace_part(large(), "x", lambda _: None, TraceQuery(text="Step Number 700"))
    assert part.steps[0] == every.steps[0]
    assert part.steps[0].number == 700
