"""An agent's trace as a page shows it: some steps at a time, of the kinds and with the words that are asked for.

A small trajectory is read as a whole, with its subagents. A large one is read from a place on, so that showing its
first steps takes as long whether it has a megabyte or a hundred.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

import msgspec

from assay.evidence.coding_run import Speaker, Trajectory, TrajectoryStep
from assay.evidence.files import ByteSource
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.stream import head_of, is_read_at_once, rest_of, steps_from
from assay.formats.trajectories.values import name_of

WHOLE: Final = 4 * 2**20
"""The most bytes of a trajectory that is read as a whole."""
MOST_WHOLE: Final = 64 * 2**20
"""The same for a file whose steps can't be read one by one."""
AT_ONCE: Final = 40
SHOWN: Final = 120 * 1024
"""About how many characters of steps a page shows."""
SEARCHED: Final = 48 * 2**20
"""How many bytes are searched before the page asks whether to go on."""
PIECE: Final = 20_000
"""How many characters of one text are shown."""
HIDEABLE: Final = ("calls", "results", "reasoning", "system", "user")

ReadBeside: TypeAlias = Callable[[str], ByteSource | None]


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """The requested part of a trace. ``subagent`` is the way to one, name by name; ``place`` comes from a page."""

    subagent: tuple[str, ...] = ()
    text: str = ""
    hidden: frozenset[str] = frozenset()
    place: str = ""


@dataclass(frozen=True, slots=True)
class TracePart:
    """Some steps. ``next`` is the place of more; ``total`` is None if nobody counted. ``subagents`` have names."""

    steps: tuple[TrajectoryStep, ...]
    next: str | None = None
    total: int | None = None
    model: str | None = None
    agent: str | None = None
    subagents: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    read_bytes: tuple[int, int] | None = None
    """For a large file: up to which byte it was read, and how many there are."""


@dataclass(frozen=True, slots=True)
class _Place:
    """Where to go on: the number of the step before, the file (the first one is ""), and the byte in it."""

    number: int = 0
    at: int = 0
    file: str = ""

    @classmethod
    def of(cls, written: str) -> "_Place":
        number, _, rest = written.partition(".")
        at, _, file = rest.partition(".")
        known = all(one.isascii() and one.isdecimal() and len(one) < 15 for one in (number, at))
        return cls(int(number), int(at), file) if known else cls()

    def written(self) -> str:
        return f"{self.number}.{self.at}.{self.file}"


def trace_part(source: ByteSource, name: str, beside: ReadBeside, asked: TraceQuery) -> TracePart:
    """The part of a trace that is asked for. ``beside`` gives other files that it may refer to."""
    if source.size <= WHOLE or (source.size <= MOST_WHOLE and is_read_at_once(source)):

        def read(other: str) -> bytes | None:
            found = beside(other)
            return None if found is None or found.size > WHOLE else found.read(0, found.size)

        data = source.read(0, source.size)
        return part_of(_parse_own_trajectory(data) or read_trajectory(data, name, read), asked)
    place = _Place.of(asked.place)
    file = source if not place.file else beside(place.file)
    if file is None:
        return TracePart((), remarks=(f"the continuation {place.file} is missing or can't be read",))
    return _of_large(file, place, asked)


def _parse_own_trajectory(data: bytes) -> Trajectory | None:
    """A trajectory as Assay itself writes it, beside a run that was scored."""
    try:
        return msgspec.json.decode(data, type=Trajectory) if data.startswith(b'{"form"') else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def part_of(whole: Trajectory, asked: TraceQuery) -> TracePart:
    """Some steps of a trajectory that was read as a whole."""
    found: Trajectory | None = whole
    for name in asked.subagent:
        known = () if found is None else found.subagents
        found = next((one.trajectory for one in known if one.name == name), None)
    if found is None:
        return TracePart((), remarks=("there is no such subagent",))
    wanted = [step for step in found.steps if _takes(step, asked)]
    start = _Place.of(asked.place).number
    shown = tuple(_some(step for step in wanted if step.number > start))
    last = shown[-1].number if shown else 0
    more = any(step.number > last for step in wanted[-1:])
    return TracePart(
        tuple(_bare(step, asked.hidden) for step in shown),
        next=_Place(last).written() if more else None,
        total=len(wanted),
        model=found.model,
        agent=found.agent,
        subagents=tuple(one.name for one in found.subagents),
        remarks=tuple(found.all_remarks()) if not asked.subagent else found.remarks,
    )


def _of_large(file: ByteSource, place: _Place, asked: TraceQuery) -> TracePart:
    head = head_of(file)
    # A place with a number alone is a link to a step: those before it are read, and not shown.
    passed = 0 if place.at or place.file else place.number
    number, at = place.number - passed, max(place.at, head.start)
    found: list[TrajectoryStep] = []
    size, limit = 0, at + SEARCHED
    following: str | None = None
    for placed in steps_from(file, head, at):
        number, at = number + 1, placed.after
        step = replace(placed.step, number=number)
        if number > passed and _takes(step, asked):
            found.append(_bare(step, asked.hidden))
            size += _length(step)
        if len(found) >= AT_ONCE or size >= SHOWN or at >= limit:
            following = _Place(number, at, place.file).written()
            break
    if following is None and (name := name_of(rest_of(file, at).get("continued_trajectory_ref"))) is not None:
        following = _Place(number, 0, name).written()
    about = head.about.get("agent")
    agent = about if isinstance(about, dict) else {}
    return TracePart(
        tuple(found),
        next=following,
        model=name_of(agent.get("model_name")),
        agent=name_of(agent.get("name")),
        read_bytes=(at, file.size),
        remarks=("the trace is large, so it is read piece by piece; subagents inside of it aren't listed",),
    )


def _some(steps: Iterable[TrajectoryStep]) -> Iterator[TrajectoryStep]:
    size = 0
    for count, step in enumerate(steps, start=1):
        yield step
        size += _length(step)
        if count >= AT_ONCE or size >= SHOWN:
            return


def _length(step: TrajectoryStep) -> int:
    """About how much of a page a step takes."""
    texts = (
        step.text,
        step.reasoning,
        *(one.arguments for one in step.calls),
        *(one.text for one in step.results),
    )
    return sum(min(len(text), PIECE) for text in texts)


def _takes(step: TrajectoryStep, asked: TraceQuery) -> bool:
    if step.speaker.value in asked.hidden:
        return False
    bare = _bare(step, asked.hidden)
    if not (bare.text or bare.reasoning or bare.calls or bare.results):
        return False
    return not asked.text or asked.text.casefold() in _step_text(bare).casefold()


def _bare(step: TrajectoryStep, hidden: frozenset[str]) -> TrajectoryStep:
    """The step without the kinds that are hidden."""
    tool = step.speaker is Speaker.TOOL and "results" in hidden
    return replace(
        step,
        text="" if tool else step.text,
        reasoning="" if "reasoning" in hidden else step.reasoning,
        calls=() if "calls" in hidden else step.calls,
        results=() if "results" in hidden else step.results,
    )


def _step_text(step: TrajectoryStep) -> str:
    calls = (part for call in step.calls for part in (call.name, call.arguments))
    return "\n".join((step.text, step.reasoning, *calls, *(one.text for one in step.results)))
