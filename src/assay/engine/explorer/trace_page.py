"""An agent's trace as a page shows it: some steps at a time, of the kinds and with the words that are asked for.

A small trajectory is read as a whole, with its subagents. A large one is read from a place on, so that showing its
first steps takes as long whether it has a megabyte or a hundred.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

import msgspec

from assay.engine.explorer.trace_outline import OutlineRow, has_error, outline_of
from assay.evidence.coding_run import Speaker, StatedUsage, Trajectory, TrajectoryStep
from assay.evidence.files import ByteSource
from assay.formats.trajectories.atif import read_atif
from assay.formats.trajectories.messages import read_trajectory
from assay.formats.trajectories.stream import head_of, is_read_at_once, rest_of, steps_from
from assay.formats.trajectories.values import name_of, objects_in

WHOLE: Final = 4 * 2**20
"""The most bytes of a trajectory that is read as a whole."""
MOST_WHOLE: Final = 64 * 2**20
"""The same for a file whose steps can't be read one by one."""
AT_ONCE: Final = 40
SHOWN: Final = 96 * 1024
"""About how many characters of steps a page shows."""
SEARCHED: Final = 48 * 2**20
"""How many bytes are searched before the page asks whether to go on."""
PIECE: Final = 20_000
"""How many characters of one text are shown."""
LAST: Final = "last"
"""The place of the last steps."""
LAST_STEPS: Final = 10
HIDEABLE: Final = ("calls", "results", "reasoning", "system", "user")

ReadBeside: TypeAlias = Callable[[str], ByteSource | None]


@dataclass(frozen=True, slots=True)
class TraceQuery:
    """The requested part of a trace. ``subagent`` is the way to one, name by name; ``place`` comes from a page."""

    subagent: tuple[str, ...] = ()
    text: str = ""
    hidden: frozenset[str] = frozenset()
    place: str = ""
    errors: bool = False
    """Only the steps in which something failed."""


@dataclass(frozen=True, slots=True)
class TracePart:
    """Some steps. ``next`` is the place of more; ``total`` is None if nobody counted, and counts those that
    don't match, too. ``subagents`` have names.

    ``outline`` has the other steps, too, if they were read. ``request`` is the first thing that was asked,
    ``answer`` the last one that was said.
    """

    steps: tuple[TrajectoryStep, ...]
    next: str | None = None
    outline: tuple[OutlineRow, ...] = ()
    _places: Mapping[int, str] = field(default_factory=dict)
    request: str = ""
    answer: str = ""
    usage: StatedUsage = field(default_factory=StatedUsage)
    total: int | None = None
    matching: int | None = None
    model: str | None = None
    agent: str | None = None
    subagents: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    read_bytes: tuple[int, int] | None = None
    """For a large file: up to which byte it was read, and how many there are."""

    def place_of(self, number: int) -> str:
        """Where a step begins."""
        return self._places.get(number) or _Place(number - 1).written()


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
    if asked.subagent:
        return _subagent_of_large(source, beside, asked)
    if asked.place == LAST:
        return _last_of_large(source, beside, asked)
    place = _Place.of(asked.place)
    file = source if not place.file else beside(place.file)
    if file is None:
        return TracePart((), remarks=(f"the continuation {place.file} is missing or can't be read",))
    return _of_large(file, place, asked)


def _subagent_of_large(source: ByteSource, beside: ReadBeside, asked: TraceQuery) -> TracePart:
    """The trace of a subagent: in a file beside this one, or inside of it, before or behind the steps."""
    first, inner = asked.subagent[0], replace(asked, subagent=asked.subagent[1:])
    file = beside(first)
    if file is not None:
        return trace_part(file, first, beside, inner)
    head = head_of(source)
    end = deque(steps_from(source, head, head.start), maxlen=1)
    about = head.about | rest_of(source, end[0].after if end else head.start)
    found = {name_of(one.get("trajectory_id")): one for one in objects_in(about.get("subagent_trajectories"))}
    if first not in found:
        return TracePart((), remarks=("there is no such subagent",))
    return part_of(read_atif(found[first], first, lambda _: None), inner)


def _last_of_large(source: ByteSource, beside: ReadBeside, asked: TraceQuery) -> TracePart:
    """The last steps, those of the last continuation. All others are read on the way, to number them."""
    file, name, number = source, "", 0
    seen: set[str] = set()
    while True:
        head = head_of(file)
        last, at = deque[tuple[int, int]](maxlen=AT_ONCE), head.start
        for placed in steps_from(file, head, at):
            last.append((number, at))
            number, at = number + 1, placed.after
        following = name_of(rest_of(file, at).get("continued_trajectory_ref"))
        after = None if following is None or following in seen else beside(following)
        if after is None or following is None:
            begin = last[max(0, len(last) - LAST_STEPS)] if last else (0, head.start)
            return _of_large(file, _Place(*begin, name), replace(asked, text="", errors=False))
        seen.add(following)
        file, name = after, following


def _parse_own_trajectory(data: bytes) -> Trajectory | None:
    """A trajectory as Assay itself writes it, beside a run that was scored."""
    try:
        return msgspec.json.decode(data, type=Trajectory) if data.startswith(b'{"form"') else None
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _subagent_of(whole: Trajectory, names: Sequence[str]) -> Trajectory | None:
    """The trajectory of a subagent of a subagent, and so on; None if there is none of such a name."""
    found: Trajectory | None = whole
    for name in names:
        known = () if found is None else found.subagents
        found = next((one.trajectory for one in known if one.name == name), None)
    return found


def part_of(whole: Trajectory, asked: TraceQuery) -> TracePart:
    """Some steps of a trajectory that was read as a whole."""
    found = _subagent_of(whole, asked.subagent)
    if found is None:
        return TracePart((), remarks=("there is no such subagent",))
    wanted = [step for step in found.steps if _takes(step, asked)]
    last_steps = wanted[-LAST_STEPS].number - 1 if len(wanted) >= LAST_STEPS else 0
    start = last_steps if asked.place == LAST else _Place.of(asked.place).number
    shown = tuple(_some(step for step in wanted if step.number > start))
    last = shown[-1].number if shown else 0
    more = any(step.number > last for step in wanted[-1:])
    return TracePart(
        tuple(_bare(step, asked.hidden) for step in shown),
        next=_Place(last).written() if more else None,
        outline=outline_of(wanted),
        request=_request_of(found),
        answer=found.last_message or "",
        usage=found.usage,
        total=len(found.steps),
        matching=len(wanted),
        model=found.model,
        agent=found.agent,
        subagents=tuple(one.name for one in found.subagents),
        remarks=tuple(found.all_remarks()) if not asked.subagent else found.remarks,
    )


def _request_of(found: Trajectory) -> str:
    """The first words of a user."""
    return next((step.text for step in found.steps if step.speaker is Speaker.USER and step.text.strip()), "")


def _of_large(file: ByteSource, place: _Place, asked: TraceQuery) -> TracePart:
    head = head_of(file)
    # A place with a number alone is a link to a step: those before it are read, and not shown.
    passed = 0 if place.at or place.file else place.number
    number, at = place.number - passed, max(place.at, head.start)
    found: list[TrajectoryStep] = []
    places: dict[int, str] = {}
    size, limit = 0, at + SEARCHED
    following: str | None = None
    for placed in steps_from(file, head, at):
        places[number + 1] = _Place(number, at, place.file).written()
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
        outline=outline_of(found),
        _places={step.number: places[step.number] for step in found},
        request=next((one.text for one in found if one.speaker is Speaker.USER), "") if not place.number else "",
        model=name_of(agent.get("model_name")),
        agent=name_of(agent.get("name")),
        read_bytes=(at, file.size),
        remarks=("the trace is large, so it is read piece by piece; its outline shows the steps on this page",),
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
    if asked.errors and not has_error(bare):
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
