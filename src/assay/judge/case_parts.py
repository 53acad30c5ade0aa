"""A run as labelled parts of a prompt, each within its bounds. What is cut is listed beside them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from assay.evidence.judge_case import AgentOutput, JudgeCase, ObjectiveTest, ScorerResult, Step
from assay.judge.bounds import Bounds, Cut, Shown, cut_front, cut_middle
from assay.judge.diff_parts import PART as DIFF
from assay.judge.diff_parts import diff_lines
from assay.judge.fence import Part, line

# No single step may take more than this share of what all steps have.
_STEP_SHARE = 6


@dataclass(slots=True)
class CaseParts:
    """The parts of one run, in the order in which they are read, and what was cut."""

    parts: list[Part] = field(default_factory=list)
    cuts: list[Cut] = field(default_factory=list)

    def add(self, label: str, lines: Sequence[str]) -> None:
        """Add a part. One without a line is left out."""
        if lines:
            self.parts.append(Part(label, tuple(lines)))

    def shown(self, label: str, name: str, shown: Shown) -> Shown:
        """Note what was cut."""
        if shown.bytes:
            self.cuts.append(Cut(label, name, shown.lines, shown.bytes))
        return shown


def case_parts(case: JudgeCase, bounds: Bounds) -> CaseParts:
    """All that there is about a run. The task comes first, and what the agent says about itself near the end."""
    made = CaseParts()
    made.add("task", [line(made.shown("task", "", cut_middle(case.task, bounds.task)).record())])
    made.add("user turns", list(_turns(case.turns, bounds.turns, made)))
    made.add("trajectory", list(_trajectory(case.trajectory, bounds.trajectory, made)))
    if case.diff is not None:
        lines, cuts = diff_lines(case.diff, case.diff_complete, bounds.diff)
        made.add(DIFF, lines)
        made.cuts += cuts
    if case.objective is not None:
        made.add("objective test", [_objective(case.objective, bounds.test, made)])
    made.add("scorer results", list(_scorers(case.scorers, bounds.scorers, made)))
    if case.agent_output is not None:
        made.add("agent output", list(_output(case.agent_output, bounds.output, made)))
    if case.final_response is not None:
        response = cut_middle(case.final_response, bounds.response)
        made.add("final response", [line(made.shown("final response", "", response).record())])
    made.add("notes of the author", list(_notes(case, bounds.notes, made)))
    return made


def _turns(turns: Sequence[str], limit: int, made: CaseParts) -> Iterator[str]:
    each = limit // max(1, len(turns))
    for number, text in enumerate(turns, 1):
        shown = made.shown("user turns", f"turn {number}", cut_middle(text, each))
        yield line({"turn": number, **shown.record()})


def _trajectory(steps: Sequence[Step], limit: int, made: CaseParts) -> Iterator[str]:
    """The first and the last steps, if not all fit: how it began, and how it ended."""
    most = max(1, limit // _STEP_SHARE)
    first, last = _ends([min(len(step.text), most) for step in steps], limit)
    for number, step in enumerate(steps, 1):
        if number <= first or number > last:
            shown = made.shown("trajectory", f"step {number}", cut_middle(step.text, most))
            yield line({"step": number, "from": step.source, "kind": step.kind, **shown.record()})
        elif number == first + 1:
            cut = _steps_cut(steps[first:last])
            made.cuts.append(Cut("trajectory", f"steps {first + 1} to {last}", cut["lines"], cut["bytes"]))
            yield line({"steps_not_shown": {"from": first + 1, "to": last, **cut}})


def _ends(sizes: Sequence[int], limit: int) -> tuple[int, int]:
    """How many of the first steps are shown, and after which step the last ones are."""
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


def _steps_cut(steps: Sequence[Step]) -> dict[str, int]:
    lines = sum(step.text.count("\n") + 1 for step in steps)
    return {"lines": lines, "bytes": sum(len(step.text.encode(errors="surrogatepass")) for step in steps)}


def _objective(test: ObjectiveTest, limit: int, made: CaseParts) -> str:
    output = made.shown("objective test", "output", cut_front(test.output, limit))
    said = {"name": test.name, "command": test.command, "verdict": test.verdict, "detail": test.detail}
    return line({**said, **output.record("output")})


def _scorers(rows: Sequence[ScorerResult], limit: int, made: CaseParts) -> Iterator[str]:
    each = limit // max(1, len(rows))
    for row in rows:
        detail = made.shown("scorer results", row.name, cut_middle(row.detail, each))
        said: dict[str, object] = {"name": row.name, "type": row.type, "required": row.required}
        yield line({**said, "verdict": row.verdict, "score": row.score, **detail.record("detail")})


def _output(output: AgentOutput, limit: int, made: CaseParts) -> Iterator[str]:
    yield line({"exit_code": output.exit_code})
    for name, text in (("stdout", output.stdout), ("stderr", output.stderr)):
        if text:
            yield line({"stream": name, **made.shown("agent output", name, cut_front(text, limit)).record()})


def _notes(case: JudgeCase, limit: int, made: CaseParts) -> Iterator[str]:
    each = limit // max(1, len(case.notes))
    for note in case.notes:
        shown = made.shown("notes of the author", note.name, cut_middle(note.rubric, each))
        yield line({"name": note.name, "required": note.required, **shown.record("note")})
