"""ATIF, harbor's trajectory format, versions 1.0 to 1.7, with continuations and subagents.

A trajectory may be continued in another file and may refer to those of subagents, in the same file or in others.
Wrong or missing parts are remarks, never errors: half a record of what an agent did is better than none. And any
trajectory can be written in this format.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from assay.evidence.coding_run import (
    Form,
    Speaker,
    StatedUsage,
    Subagent,
    ToolCall,
    ToolResult,
    Trajectory,
    TrajectoryStep,
    add_usage,
)
from assay.formats.counting import counted
from assay.formats.trajectories.values import (
    decoded,
    json_of,
    name_of,
    object_in,
    objects_in,
    parse_json,
    text_of,
    usage_of,
)

MAX_FILES = 64
MAX_STEPS = 20_000
MAX_SUBAGENTS = 200
MAX_DEPTH = 8
_SPEAKERS = {"system": Speaker.SYSTEM, "user": Speaker.USER, "agent": Speaker.AGENT}


def is_atif(value: object) -> bool:
    """True for a trajectory of this format."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return False
    version = value.get("schema_version")
    return isinstance(value.get("agent"), dict) or (isinstance(version, str) and version.startswith("ATIF"))


def read_atif(value: dict[str, Any], name: str, read: Callable[[str], bytes | None]) -> Trajectory:
    """The trajectory in the file ``name``, whose JSON is ``value``. ``read`` gives the files that it refers to."""
    return _AtifReader(read, {name}, MAX_STEPS).trajectory(value)


@dataclass
class _AtifReader:
    """Reads one trajectory with all that belongs to it. Every file is read once, so nothing goes in circles."""

    read: Callable[[str], bytes | None]
    seen: set[str]
    left: int
    subagents: int = 0
    remarks: list[str] = field(default_factory=list)

    def trajectory(self, first: dict[str, Any], depth: int = 0) -> Trajectory:
        outer, self.remarks = self.remarks, []
        segments = [first, *self._continuations(first)]
        steps = [step for segment in segments for step in self._steps(segment)]
        usage = _usage(segments)
        subagents = tuple(self._subagents(segments, steps, depth))
        about = object_in(first, "agent")
        remarks, self.remarks = tuple(self.remarks), outer
        return Trajectory(
            form=Form.ATIF,
            steps=tuple(_renumber_steps(steps)),
            agent=name_of(about.get("name")),
            model=name_of(about.get("model_name")),
            usage=usage,
            subagents=subagents,
            remarks=remarks,
        )

    def _continuations(self, first: dict[str, Any]) -> Iterator[dict[str, Any]]:
        segment: dict[str, Any] | None = first
        while segment is not None:
            name = name_of(segment.get("continued_trajectory_ref"))
            segment = None if name is None else self._file(name, "the continuation")
            if segment is not None:
                yield segment

    def _file(self, name: str, what: str) -> dict[str, Any] | None:
        """The trajectory in another file; None, with a remark, if there is none."""
        if name in self.seen:
            self.remarks.append(f"{what} {name} was read before")
            return None
        if len(self.seen) >= MAX_FILES:
            self.remarks.append(f"{what} {name} isn't read: there are more than {MAX_FILES} files")
            return None
        self.seen.add(name)
        data = self.read(name)
        if data is None:
            self.remarks.append(f"{what} {name} is missing or can't be read")
            return None
        found = parse_json(decoded(data))
        if not isinstance(found, dict) or not is_atif(found):
            self.remarks.append(f"{what} {name} isn't a trajectory")
            return None
        return found

    def _steps(self, segment: dict[str, Any]) -> Iterator[TrajectoryStep]:
        written = segment.get("steps")
        steps = list(objects_in(written))
        unusable = len(written if isinstance(written, list) else []) - len(steps)
        for step in steps:
            if step.get("is_copied_context") is True:
                continue
            found = atif_step(step)
            if found is None:
                unusable += 1
            elif self.left:
                self.left -= 1
                yield found
            else:
                self.remarks.append(f"only the first {MAX_STEPS} steps are read")
                break
        if unusable:
            self.remarks.append(f"{counted(unusable, 'step')} can't be read")

    def _subagents(
        self, segments: list[dict[str, Any]], steps: list[TrajectoryStep], depth: int
    ) -> Iterator[Subagent]:
        embedded = {
            name: one
            for segment in segments
            for one in objects_in(segment.get("subagent_trajectories"))
            if is_atif(one) and (name := name_of(one.get("trajectory_id"))) is not None
        }
        called = [name for step in steps for result in step.results for name in result.subagents]
        for name in dict.fromkeys((*called, *embedded)):
            if depth >= MAX_DEPTH or self.subagents >= MAX_SUBAGENTS:
                self.remarks.append(
                    "some subagents are not read: there are too many, or they are nested too deeply"
                )
                return
            self.subagents += 1
            found = embedded.get(name) or self._file(name, "the subagent")
            if found is not None:
                yield Subagent(name, self.trajectory(found, depth + 1))


def atif_step(written: dict[str, Any]) -> TrajectoryStep | None:
    """One step, without its number; None for what isn't one."""
    speaker = _SPEAKERS.get(str(written.get("source")))
    if speaker is None:
        return None
    results = object_in(written, "observation").get("results")
    return TrajectoryStep(
        number=0,
        speaker=speaker,
        text=text_of(written.get("message")),
        reasoning=text_of(written.get("reasoning_content")),
        calls=tuple(_call(one) for one in objects_in(written.get("tool_calls"))),
        results=tuple(_result(one) for one in objects_in(results)),
        time=name_of(written.get("timestamp")),
        usage=usage_of(written["metrics"]) if isinstance(written.get("metrics"), dict) else None,
    )


def _call(written: dict[str, Any]) -> ToolCall:
    name = name_of(written.get("function_name")) or "?"
    return ToolCall(name_of(written.get("tool_call_id")), name, json_of(written.get("arguments")))


def _result(written: dict[str, Any]) -> ToolResult:
    references = objects_in(written.get("subagent_trajectory_ref"))
    names = (name_of(one.get("trajectory_path")) or name_of(one.get("trajectory_id")) for one in references)
    return ToolResult(
        name_of(written.get("source_call_id")),
        text_of(written.get("content")),
        tuple(name for name in names if name is not None),
    )


def _usage(segments: list[dict[str, Any]]) -> StatedUsage:
    """The steps' usage, added up; failing that, the totals of the last file that states any."""
    total = StatedUsage()
    for segment in segments:
        for step in objects_in(segment.get("steps")):
            if step.get("is_copied_context") is not True:
                total = add_usage(total, usage_of(step.get("metrics")))
    if total != StatedUsage():
        return total
    stated = (usage_of(segment.get("final_metrics"), prefix="total_") for segment in reversed(segments))
    return next((one for one in stated if one != StatedUsage()), StatedUsage())


def _renumber_steps(steps: list[TrajectoryStep]) -> Iterator[TrajectoryStep]:
    """Files number their steps anew, each from 1."""
    for number, step in enumerate(steps, start=1):
        yield replace(step, number=number)


VERSION = "ATIF-v1.4"
_SOURCES = {Speaker.SYSTEM: "system", Speaker.USER: "user", Speaker.AGENT: "agent"}


def atif_of(told: Trajectory, agent: str, version: str | None, model: str | None) -> dict[str, Any]:
    """The trajectory as a JSON value. ``agent`` and ``model`` are as the run names them."""
    about = {"name": agent, "version": version or "unknown", "model_name": model or told.model}
    usage = told.usage
    totals = {
        "total_prompt_tokens": usage.input_tokens,
        "total_completion_tokens": usage.output_tokens,
        "total_cached_tokens": usage.cached_tokens,
        "total_cost_usd": usage.cost_usd,
    }
    steps = list(_written_steps(told.steps))
    return {
        "schema_version": VERSION,
        "session_id": agent,
        "agent": _set(about),
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, start=1)],
        "final_metrics": {**_set(totals), "total_steps": len(steps)},
    }


def _written_steps(steps: tuple[TrajectoryStep, ...]) -> Iterator[dict[str, Any]]:
    """The steps. What tools answered is part of the step that called them."""
    held: dict[str, Any] | None = None
    for step in steps:
        if step.speaker is Speaker.TOOL and held is not None and held["source"] == "agent":
            _observe(held, step.results or (ToolResult(None, step.text),))
            continue
        if held is not None:
            yield held
        held = _written_step(step)
    if held is not None:
        yield held


def _written_step(step: TrajectoryStep) -> dict[str, Any]:
    # A tool that speaks first, before any agent did, is part of the setting.
    source = _SOURCES.get(step.speaker, "system")
    written: dict[str, Any] = {"source": source, "message": step.text}
    if step.speaker is Speaker.TOOL:
        written["message"] = "\n".join(result.text for result in step.results) or step.text
    elif step.speaker is Speaker.AGENT:
        if step.reasoning:
            written["reasoning_content"] = step.reasoning
        if step.calls:
            written["tool_calls"] = [
                _written_call(call, number) for number, call in enumerate(step.calls, start=1)
            ]
    if step.results and step.speaker is not Speaker.TOOL:
        _observe(written, step.results)
    return written


def _observe(written: dict[str, Any], results: tuple[ToolResult, ...]) -> None:
    """Add what tools answered. A result may only refer to a call of its own step."""
    called = {call["tool_call_id"] for call in written.get("tool_calls", ())}
    observation = written.setdefault("observation", {"results": []})
    for result in results:
        reference = {"source_call_id": result.call_id} if result.call_id in called else {}
        observation["results"].append({**reference, "content": result.text})


def _written_call(call: ToolCall, number: int) -> dict[str, Any]:
    arguments = parse_json(call.arguments)
    return {
        "tool_call_id": call.id or f"call-{number}",
        "function_name": call.name,
        "arguments": arguments if isinstance(arguments, dict) else {"text": call.arguments},
    }


def _set(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value is not None}
