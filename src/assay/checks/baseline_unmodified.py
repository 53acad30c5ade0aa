"""Fails if a baseline or scaffolding file was edited: a fixture, a golden file, a build script.

It guards exact paths just as ``tests_unmodified`` does. It is a type of its own so that a report tells an edited
test from an edited scaffold.
"""

from dataclasses import dataclass
from typing import ClassVar

from assay.detectors.protected_files import ExactPaths


@dataclass(frozen=True, slots=True)
class BaselineUnmodified(ExactPaths):
    """``paths`` is a list of at least one exact path."""

    kind: ClassVar[str] = "baseline_unmodified"
    advisory: ClassVar[bool] = False
