"""Whether texts that grow make a reader slower than they grow.

How to read it: a line is one text, made of the same piece again and again, small and then eight or ten times as
large. The number is how much more CPU each character of the large one takes. 1 is linear work; work that grows
with the square would show as 8 or 10. A text that is read in less than 0.05 s counts as 0.05 s, so that noise is
not taken for growth; many lines are therefore far below 1, and one between 1 and the goal is worth a look.
``(worst of N)`` stands for N pieces that all met the goal; those that did not have a line each. Any that misses
its goal makes ``make bench`` fail.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial

from assay.checks.forbid_secrets import ForbidSecrets
from assay.checks.protected_config import ProtectedConfig
from assay.checks.runner_tampering import RunnerTampering
from assay.checks.suspicious_source import SuspiciousSource
from assay.core.errors import AssayError
from assay.formats.hl7.encoding import Hl7PathError
from assay.formats.hl7.find import find
from assay.formats.hl7.framing import FrameReader
from assay.formats.hl7.parse import parse
from assay.formats.hl7.path import parse_path
from assay.formats.x12.loops import place_sets
from assay.formats.x12.path import parse_path as parse_x12_path
from assay.formats.x12.select import select
from assay.formats.x12.tokenize import tokenize
from benchmarks import growing_texts as texts
from benchmarks.made_job import MadeJobs
from benchmarks.measure import TIMES, Result, sized
from tests.checks.fake_workspace import added, edited

LEAST_SEC = 0.05
# A busy machine may triple the cost of a character, not make it ten times as high.
GOAL = 3.0
UNIT = f"{TIMES} a small one"

Read = Callable[[str], object]

X12_PATHS = [
    parse_x12_path(text)
    for text in ("ISA06", "GS08", "ST01", "TA101", "2110C/EB[01=B]07", "NM1[2]03", "STC01-1", "2100[2]/*/SVC02[1]")
]
HL7_PATHS = [
    parse_path(text)
    for text in (
        "MSH-2", "PID-5.1.2", "PID-3[*].1", "OBX[3.1=a]-5", "OBX[*]", "MSH[2]-1", "PID-3", "PID-1.99999.1",
    )
]  # fmt: skip


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """CPU a character of texts that were made to be slow, against that of shorter ones."""
    yield from _table("secrets in a.env", texts.SECRET_PIECES, 100_000, _secrets)
    for path in texts.SOURCE_PATHS:
        yield from _table(f"signs in {path}", texts.SOURCE_PIECES, 80_000, partial(_source, path))
    for path in texts.CONFIG_PATHS:
        yield from _table(f"settings in {path}", texts.CONFIG_PIECES, 80_000, partial(_config, path))
    for path in texts.RUNNER_PATHS:
        yield from _table(f"tampering in {path}", texts.RUNNER_PIECES, 80_000, partial(_runner, path))
    yield from _summed("X12", [(name, _grown(_x12, *row, times=8)) for name, row in texts.X12.items()])
    yield from _summed(
        "X12 levels", [("a chain", _ratio(_x12, _chain(sized(5_000, 5)), _chain(sized(40_000, 40))))]
    )
    hl7 = [
        (repr((start + piece)[:12]), _grown(_hl7, start + "{}", piece, many)) for start, piece, many in texts.HL7
    ]
    yield from _summed("HL7", hl7)
    yield from _summed(
        "HL7 paths", [(end, _grown(_hl7_path, 'OBX[3.1="{}' + end, "x", 300_000)) for end in ('"]-5', "")]
    )
    yield from _summed("MLLP frames", [("a large one", _grown(_one_frame, "{}", "\x1c" * 500, 8_000))])
    yield from _summed("MLLP frames", [("many small ones", _grown(_frames, "{}", "\x0bA\x1c\r", 100_000))])


def _secrets(text: str) -> object:
    return ForbidSecrets().run(added("a.env", text))


def _source(path: str, text: str) -> object:
    return SuspiciousSource().run(added(path, text))


def _config(path: str, text: str) -> object:
    return ProtectedConfig().run(edited(path, "x", text))


def _runner(path: str, text: str) -> object:
    return RunnerTampering().run(added(path, text))


def _x12(text: str) -> None:
    for placed in place_sets(tokenize(text)):
        for path in X12_PATHS:
            select(path, placed)


def _chain(length: int) -> str:
    """Levels of which each stands in the one before."""
    return texts.SET_271 + "".join(f"HL*{n}*{n - 1}*{20 + n % 4}*1~" for n in range(1, length))


def _hl7(text: str) -> None:
    for message in parse(f"MSH|^~\\&|A\r{text}").messages[:3]:
        for path in HL7_PATHS:
            find(path, message)


def _hl7_path(text: str) -> None:
    with suppress(Hl7PathError):
        parse_path(text)


def _one_frame(text: str) -> None:
    """It comes in small pieces."""
    reader, data = FrameReader(10_000_000), text.encode()
    list(reader.feed(b"\x0b"))
    for start in range(0, len(data), 500):
        list(reader.feed(data[start : start + 500]))
    assert len(list(reader.feed(b"\x1c\r"))) == 1


def _frames(text: str) -> None:
    assert len(list(FrameReader(1000).feed(text.encode()))) == len(text) / 4


def _table(what: str, pieces: Sequence[str], size: int, read: Read) -> Iterator[Result]:
    yield from _summed(
        what, [(repr(piece)[:30], _grown(read, "{}", piece, size // len(piece) + 1)) for piece in pieces]
    )


def _summed(what: str, found: Sequence[tuple[str, float]]) -> Iterator[Result]:
    """The worst that met its goal, and each that did not."""
    missed = [(name, value) for name, value in found if value > GOAL]
    fine = [(value, name) for name, value in found if value <= GOAL]
    if fine:
        value, name = max(fine)
        yield _result(what, value, f"{name} (worst of {len(fine)})")
    for name, value in missed:
        yield _result(what, value, name)


def _result(what: str, value: float, detail: str) -> Result:
    return Result(what, value, UNIT, GOAL, detail, fails=True)


def _grown(read: Read, frame: str, piece: str, many: int, times: int = 10) -> float:
    many = sized(many, times)
    small, large = (frame.replace("{}", piece * (many // part)) for part in (times, 1))
    return _ratio(read, small, large)


def _ratio(read: Read, small: str, large: str) -> float:
    """The cost of a character of the large text, against that of the small one."""
    # What is imported late is no cost of a text, and no text is read twice: readers remember their answers.
    with suppress(AssayError):
        read(small[: len(small) // 10])
    few = max(_cpu(read, small), LEAST_SEC)
    return _cpu(read, large) / few / (len(large) / len(small))


def _cpu(read: Read, text: str) -> float:
    start = time.process_time()
    read(text)
    return time.process_time() - start
