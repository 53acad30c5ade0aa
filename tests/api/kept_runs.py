"""Runs to be put into a store, made from one another."""

from typing import Any

from msgspec.structs import replace

from assay.engine.explorer.imported_runs import Kept
from assay.evidence.run import Run

_BESIDE = frozenset(Kept.__struct_fields__) - {"run"}


def kept(run: Run, **beside: Any) -> Kept:
    return Kept(run, **beside)


def changed(one: Kept, **fields: Any) -> Kept:
    """The same run with other fields of its own, or of what is kept beside it."""
    beside = {name: fields.pop(name) for name in list(fields) if name in _BESIDE}
    return replace(one, run=replace(one.run, **fields), **beside)
