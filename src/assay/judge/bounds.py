"""How much of a run a judge reads. Whatever is cut is counted, and the prompt says so.

Of a diff, the largest files are cut first, in the middle, and the hash of the whole is kept.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

from assay.dialects.scorers.monitor_answer import PartCut
from assay.evidence.bounds import json_text
from assay.evidence.coding_run import Diff
from assay.judge.fence import line

PART: Final = "diff"
# What one file needs so that showing it says anything.
SMALLEST: Final = 300
# Names are beside the text that the limit is for, and an agent chooses them.
LONGEST_NAME: Final = 200
# Only a header begins a line like this: every line of content has a sign before it.
_HEADER: Final = re.compile(r"^diff --git ", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class PromptBounds:
    """The most characters of each part."""

    task: int = 20_000
    turns: int = 20_000
    trajectory: int = 120_000
    response: int = 20_000
    diff: int = 120_000
    test: int = 8_000
    scorers: int = 30_000
    notes: int = 20_000
    output: int = 16_000
    remarks: int = 4_000

    @property
    def total(self) -> int:
        return sum(int(getattr(self, one.name)) for one in fields(self))


def bounds_within(characters: int) -> PromptBounds:
    """Bounds for a prompt whose data has at most so many characters, in the proportions of the usual ones."""
    usual = PromptBounds()
    if characters >= usual.total:
        return usual
    shares = {one.name: getattr(usual, one.name) * characters // usual.total for one in fields(usual)}
    return replace(usual, **shares)


@dataclass(frozen=True, slots=True)
class Shown:
    """A text, or its two ends with the number of lines and bytes in between."""

    head: str
    tail: str = ""
    lines: int = 0
    bytes: int = 0

    def record(self, key: str = "text") -> dict[str, object]:
        """The fields of a record. A cut is a field of its own: no text can pretend to be one."""
        if not self.bytes:
            return {key: self.head}
        cut = {"lines": self.lines, "bytes": self.bytes}
        return {key: self.head, "cut_here": cut, f"{key}_after_the_cut": self.tail}


def cut_middle(text: str, limit: int) -> Shown:
    """A text of at most ``limit`` characters: its beginning and its end, cut between lines where there are any."""
    if len(text) <= limit:
        return Shown(text)
    begin = limit // 2
    end = len(text) - (limit - begin)
    after_line = text.rfind("\n", begin // 2, begin) + 1
    begin = after_line or begin
    line_begin = text.find("\n", end, end + (len(text) - end) // 2) + 1
    end = line_begin or end
    middle = text[begin:end]
    size = len(middle.encode(errors="surrogatepass"))
    return Shown(text[:begin], text[end:], middle.count("\n") or 1, size)


def cut_front(text: str, limit: int) -> Shown:
    """The last ``limit`` characters of a text."""
    if len(text) <= limit:
        return Shown(text)
    gone = text[: len(text) - limit]
    return Shown("", text[len(text) - limit :], gone.count("\n") or 1, len(gone.encode(errors="surrogatepass")))


@dataclass(frozen=True, slots=True)
class FileDiff:
    """The diff of one file."""

    name: str
    text: str


def split_diff(diff: str) -> list[FileDiff]:
    """The files of a diff, in its order. What stands before the first header is a file without a name."""
    starts = [found.start() for found in _HEADER.finditer(diff)]
    pieces = [diff[begin:end] for begin, end in zip([0, *starts], [*starts, len(diff)], strict=True)]
    return [FileDiff(_name(piece), piece) for piece in pieces if piece]


def diff_lines(diff: Diff, limit: int) -> tuple[list[str], list[PartCut]]:
    """A record for each file, one for all that is not shown, and one about the whole."""
    files = split_diff(diff.text)
    shown, left_out = _fitting(files, limit)
    cuts: list[PartCut] = []
    lines = list(_records(shown, _level([len(one.text) for one in shown], limit), cuts))
    if left_out:
        cuts.append(_all_of(left_out))
        gone = {"files": len(left_out), "lines": cuts[-1].lines, "bytes": cuts[-1].bytes}
        lines.append(line({"files_not_shown": gone}))
    size = len(diff.text.encode(errors="surrogatepass"))
    whole: dict[str, object] = {"files": len(files), "lines": diff.text.count("\n"), "bytes": size}
    whole["sha256"] = diff.sha256
    if diff.cut:
        whole["incomplete"] = "some changes could not be captured and are not in the diff"
    return [*lines, line({"whole_diff": whole})], cuts


def _records(files: Sequence[FileDiff], level: int, cuts: list[PartCut]) -> Iterator[str]:
    for file in files:
        shown = cut_middle(file.text, level)
        if shown.bytes:
            cuts.append(PartCut(part=PART, name=json_text(file.name), lines=shown.lines, bytes=shown.bytes))
        yield line({"file": file.name, **shown.record("diff")})


def _fitting(files: list[FileDiff], limit: int) -> tuple[list[FileDiff], list[FileDiff]]:
    """The files that get at least the smallest room, and the others."""
    if sum(min(len(one.text), SMALLEST) for one in files) <= limit:
        return files, []
    room = max(1, limit // SMALLEST)
    return files[:room], files[room:]


def _level(sizes: Sequence[int], limit: int) -> int:
    """The size that every larger file is cut to, so that all of them fit: the largest lose most."""
    left, waiting = limit, len(sizes)
    for size in sorted(sizes):
        if size * waiting > left:
            return max(1, left // waiting)
        left -= size
        waiting -= 1
    return max(sizes, default=0)


def _all_of(files: Sequence[FileDiff]) -> PartCut:
    lines = sum(one.text.count("\n") for one in files)
    size = sum(len(one.text.encode(errors="surrogatepass")) for one in files)
    return PartCut(part=PART, name=f"{len(files)} more files", lines=lines, bytes=size)


def _name(piece: str) -> str:
    """The new name in a header, as git writes it; empty where there is no header."""
    header = piece.partition("\n")[0]
    if not header.startswith("diff --git "):
        return ""
    quoted = header.endswith('"')
    name = header.rpartition(' "b/' if quoted else " b/")[2]
    return (name.removesuffix('"') if quoted else name)[:LONGEST_NAME]
