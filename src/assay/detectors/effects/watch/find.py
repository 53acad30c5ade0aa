"""Finds the runner that a command runs, if it can be asked."""

from collections.abc import Callable
from typing import Final

from assay.detectors.effects.suite import Suite
from assay.detectors.effects.watch.cargo import cargo_watch
from assay.detectors.effects.watch.go import go_watch
from assay.detectors.effects.watch.javascript import jest_watch, node_watch
from assay.detectors.effects.watch.model import Watch, WatchQuestion
from assay.detectors.effects.watch.python import pytest_watch, unittest_watch
from assay.evidence.workspace import Workspace

_FINDERS: Final[tuple[Callable[[WatchQuestion], Watch | None], ...]] = (
    *(pytest_watch, unittest_watch, node_watch, jest_watch, cargo_watch, go_watch),
)


def watch_for(suite: Suite, evidence: Workspace, secret: str) -> Watch | None:
    """How to ask the runner of a suite; None if nobody knows how."""
    asked = WatchQuestion(suite, evidence, f".{secret}")
    return next((found for find in _FINDERS if (found := find(asked)) is not None), None)
