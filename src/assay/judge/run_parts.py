"""A run as labelled parts of a prompt, each within its bounds. What is cut is listed beside them."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from assay.dialects.scorers.monitor_answer import PartCut
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import (
    AgentEnd,
    AgentRecord,
    AuthorNote,
    CodingRecord,
    ScorerRow,
    SessionTurn,
    Tail,
    Trajectory,
    TrajectoryStep,
)
from assay.judge.bounds import PART as DIFF
from assay.judge.bounds import PromptBounds, Shown, cut_front, cut_middle, diff_lines
from assay.judge.fence import FencedPart, line

# No single piece may take more than this share of what the whole trajectory has.
_SHARE = 6
_WORTH_NAMING = 200


@dataclass(slots=True)
class PromptParts:
    """The parts of one run, in the order in which they are read, and what was cut.

    ``texts`` are those that are there, with their places and how much of each is shown.
    """

    parts: list[FencedPart] = field(default_factory=list)
    cuts: list[PartCut] = field(default_factory=list)
    texts: dict[str, tuple[str, float]] = field(default_factory=dict)

    def add(self, label: str, lines: Iterable[str]) -> None:
        """Add a part. One without a line is left out."""
        if given := tuple(lines):
            self.parts.append(FencedPart(label, given))

    def shown(self, label: str, name: str, shown: Shown) -> Shown:
        """Note what was cut."""
        if shown.bytes:
            self.cuts.append(PartCut(part=label, name=json_text(name), lines=shown.lines, bytes=shown.bytes))
        return shown

    def middle(self, label: str, name: str, text: str, limit: int, key: str = "text") -> dict[str, object]:
        """The fields of a text without its middle, where it is too long."""
        return self.shown(label, name, cut_middle(text, limit)).record(key)

    def record(self, label: str, name: str, text: str, shown: Shown, key: str = "text") -> dict[str, object]:
        """The fields of a text. One of which as much is there already is only named, unless it is short."""
        size = len(shown.head) + len(shown.tail) if shown.bytes else math.inf
        known, most = self.texts.get(text.strip(), ("", -1))
        if most >= size:
            return {"same_as": known}
        if len(text) >= _WORTH_NAMING:
            self.texts[text.strip()] = (f"{label}, {name}" if name else label, size)
        return self.shown(label, name, shown).record(key)


def run_parts(run: CodingRecord, bounds: PromptBounds) -> PromptParts:
    """All that there is about a run. The task comes first, and what the agent says about itself near the end."""
    made = PromptParts()
    made.add("task", [line(made.middle("task", "", run.instruction, bounds.task))])
    made.add("trajectory", _trajectory(run.trajectory, bounds.trajectory, made))
    if len(run.turns) > 1:
        made.add("user turns", _turns(run.turns, bounds.turns, made))
        made.parts.insert(1, made.parts.pop())
    if run.diff is not None:
        lines, cuts = diff_lines(run.diff, bounds.diff)
        made.add(DIFF, lines)
        made.cuts += cuts
    if run.objective is not None:
        made.add("objective test", [_objective(run.objective, bounds.test, made)])
    made.add("scorer results", _scorers(run.rows, bounds.scorers, made))
    metrics = [{name: getattr(one, name) for name in ("name", "value", "limit", "passed")} for one in run.metrics]
    made.add("run metrics", map(line, metrics))
    made.add("agent output", _output(run.agent_end, run.outputs, bounds.output, made))
    made.add("final response", _response(run.final_response, bounds.response, made))
    label, remarks = "remarks on the record", "\n".join(run.remarks)
    made.add(label, [line(made.middle(label, "", remarks, bounds.remarks))] if run.remarks else [])
    made.add("notes of the author", _notes(run.notes, bounds.notes, made))
    return made


def add_work(made: PromptParts, agent: AgentRecord, bounds: PromptBounds) -> None:
    """Add what an agent recorded about its own work."""
    made.add("trajectory", _trajectory(agent.trajectory, bounds.trajectory, made))
    made.add("agent output", _output(agent.end, agent.outputs, bounds.output, made))
    made.add("final response", _response(agent.final_response, bounds.response, made))


def _response(response: str | None, limit: int, made: PromptParts) -> Iterator[str]:
    if response is not None:
        yield line(made.record("final response", "", response, cut_middle(response, limit)))


def _turns(turns: Sequence[SessionTurn], limit: int, made: PromptParts) -> Iterator[str]:
    """The turns of user and agent, which may be in no trajectory."""
    each = limit // max(1, 2 * len(turns))
    for turn in turns:
        name = f"turn {turn.number}"
        yield line({"turn": turn.number, **made.middle("user turns", name, turn.request, each, "user")})
        if turn.response is not None:
            answer = cut_middle(turn.response, each)
            yield line({"turn": turn.number, **made.record("user turns", name, turn.response, answer, "agent")})


@dataclass(frozen=True, slots=True)
class _Piece:
    """One text of a step: a message, a thought, a call or a result."""

    step: str
    speaker: str
    kind: str
    text: str


def _pieces(trajectory: Trajectory, within: str = "") -> Iterator[_Piece]:
    """All texts in their order, those of subagents behind."""
    for step in trajectory.steps:
        yield from _of_step(step, f"{within}{step.number}")
    for one in trajectory.subagents:
        yield from _pieces(one.trajectory, f"{within}{one.name[:40]}/"[-120:])


def _of_step(step: TrajectoryStep, name: str) -> Iterator[_Piece]:
    speaker = step.speaker.value
    if step.reasoning:
        yield _Piece(name, speaker, "reasoning", step.reasoning)
    if step.text:
        yield _Piece(name, speaker, "message", step.text)
    for call in step.calls:
        yield _Piece(name, speaker, f"call of {call.name[:100]}", call.arguments)
    for result in step.results:
        yield _Piece(name, speaker, "result", result.text)


def _trajectory(trajectory: Trajectory | None, limit: int, made: PromptParts) -> Iterator[str]:
    """The first and the last pieces, if not all fit: how it began, and how it ended."""
    pieces = [] if trajectory is None else list(_pieces(trajectory))
    most = max(1, limit // _SHARE)
    first, last = _ends([min(len(one.text), most) + _OVERHEAD for one in pieces], limit)
    for number, piece in enumerate([*pieces[:first], *pieces[last:]]):
        if number == first:
            yield _gap(pieces[first:last], made)
        told = made.record("trajectory", f"step {piece.step}", piece.text, cut_middle(piece.text, most))
        yield line({"step": piece.step, "from": piece.speaker, "kind": piece.kind, **told})
    if first < last == len(pieces):
        yield _gap(pieces[first:], made)


# What a record has beside its text.
_OVERHEAD = 60


def _gap(pieces: Sequence[_Piece], made: PromptParts) -> str:
    lines = sum(one.text.count("\n") + 1 for one in pieces)
    size = sum(len(one.text.encode(errors="surrogatepass")) for one in pieces)
    name = f"steps {pieces[0].step} to {pieces[-1].step}"
    made.cuts.append(PartCut(part="trajectory", name=json_text(name), lines=lines, bytes=size))
    return line({"not_shown": {"from": pieces[0].step, "to": pieces[-1].step, "lines": lines, "bytes": size}})


def _ends(sizes: Sequence[int], limit: int) -> tuple[int, int]:
    """How many of the first pieces are shown, and from which one on the last ones are."""
    if sum(sizes) <= limit:
        return len(sizes), len(sizes)
    first, left = 0, limit // 3
    while sizes[first] <= left:
        left -= sizes[first]
        first += 1
    last, left = len(sizes), limit - limit // 3
    while last > first and sizes[last - 1] <= left:
        left -= sizes[last - 1]
        last -= 1
    return first, last


def _objective(row: ScorerRow, limit: int, made: PromptParts) -> str:
    output = made.shown("objective test", "output", cut_front(row.output or "", limit))
    command = made.middle("objective test", "command", row.command or "", limit, "command")
    said = {"name": row.name, **command, "verdict": row.verdict, "detail": row.detail[:limit]}
    return line({**said, **output.record("output")})


def _scorers(rows: Sequence[ScorerRow], limit: int, made: PromptParts) -> Iterator[str]:
    each = limit // max(1, len(rows))
    for row in rows:
        detail = made.middle("scorer results", row.name, row.detail, each, "detail")
        said: dict[str, object] = {"name": row.name, "type": row.type, "required": row.required}
        yield line({**said, "verdict": row.verdict, "score": row.score, **detail})


def _output(end: AgentEnd | None, tails: Sequence[Tail], limit: int, made: PromptParts) -> Iterator[str]:
    if end is not None:
        yield line({"exit_code": end.end.exit_code, "timed_out": end.end.timed_out, "signal": end.end.signal})
    each = limit // max(1, len(tails))
    for tail in tails:
        last = tail.text.strip()
        is_long = len(last) >= _WORTH_NAMING
        whole = next((text for text in made.texts if is_long and text.endswith(last)), tail.text)
        told = made.record("agent output", tail.name, whole, cut_front(tail.text, each))
        yield line({"stream": tail.name, "beginning_missing": tail.cut, **told})


def _notes(notes: Sequence[AuthorNote], limit: int, made: PromptParts) -> Iterator[str]:
    each = limit // max(1, len(notes))
    for note in notes:
        text = made.middle("notes of the author", note.name, note.rubric, each, "note")
        yield line({"name": note.name, "required": note.required, **text})
