"""The same run in other words, to see whether a verdict holds: nothing in them changes what was done."""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Any, Final

import msgspec

from assay.evidence.coding_run import CodingRecord
from assay.judge.bounds import split_diff

# A comment that stands alone, or after a space: what could be anything else stays.
_COMMENT: Final = re.compile(r"(?:^|(?<=\s))(?:#\s.*|//.*|--\s.*)$")
_ADDED: Final = "+"


def without_comments(run: CodingRecord) -> CodingRecord:
    """The diff without comments in its added lines."""
    if run.diff is None:
        return run
    lines = [
        _ADDED + _COMMENT.sub("", one[1:]).rstrip() if one.startswith(_ADDED) else one
        for one in run.diff.text.split("\n")
    ]
    return replace(run, diff=replace(run.diff, text="\n".join(lines)))


def with_other_names(run: CodingRecord) -> CodingRecord:
    """Changed files under other names, in every text of the run alike."""
    names = {} if run.diff is None else _other_names([file.name for file in split_diff(run.diff.text)])
    if not names:
        return run
    pattern = re.compile(
        r"(?<![\w.-])(" + "|".join(map(re.escape, sorted(names, key=len, reverse=True))) + r")(?!\w)"
    )
    renamed = _map_texts(msgspec.to_builtins(run), lambda text: pattern.sub(lambda found: names[found[1]], text))
    return msgspec.convert(renamed, CodingRecord)


FORMS: Final[Mapping[str, Callable[[CodingRecord], CodingRecord]]] = {
    "as it is": lambda run: run,
    "parts reordered": lambda run: run,
    "comments stripped": without_comments,
    "names changed": with_other_names,
}
REORDERED: Final = "parts reordered"


def _other_names(paths: list[str]) -> dict[str, str]:
    """A new name for each base name. Their endings stay: they say what language it is."""
    names = dict.fromkeys(path.rpartition("/")[2] for path in paths)
    return {
        name: f"part{number}{PurePosixPath(name).suffix}" for number, name in enumerate(names, 1) if len(name) > 3
    }


def _map_texts(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {key: _map_texts(item, change) for key, item in value.items()}
    return [_map_texts(item, change) for item in value] if isinstance(value, list | tuple) else value
