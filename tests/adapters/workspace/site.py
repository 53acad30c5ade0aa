"""A workspace with a stored baseline, and what was captured of it."""

import os
from collections.abc import Mapping
from pathlib import Path

from assay.adapters.workspace.baseline import StoredBaseline, folder_baseline, load_baseline, store_baseline
from assay.adapters.workspace.capture import Captured, capture
from assay.adapters.workspace.commands import Commands
from assay.adapters.workspace.memory import Memory
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Sandbox

FILES = {"tests/test_a.py": "assert f() == 1\n", "src/a.py": "def f(): return 2\n", "README.md": "read me\n"}


def no_sandbox() -> Sandbox:
    raise MeasurementError("no command is run here")


def write_files(root: Path, files: Mapping[str, str | bytes]) -> None:
    for path, content in files.items():
        goal = root / path
        goal.parent.mkdir(parents=True, exist_ok=True)
        goal.write_bytes(content.encode() if isinstance(content, str) else content)


class Site:
    """``root`` is the workspace; everything else about it lies beside it."""

    def __init__(self, around: Path, files: Mapping[str, str | bytes] = FILES) -> None:
        self.around, self.root = around, around / "workspace"
        self.root.mkdir()
        write_files(self.root, files)
        self.freeze()

    def freeze(self) -> None:
        """Take what is there now for the baseline."""
        source = folder_baseline(str(self.root))
        folder = str(self.around / f"baseline-{len(os.listdir(self.around))}")
        self.hash = store_baseline(source, folder)
        self.baseline: StoredBaseline = load_baseline(folder, self.hash)
        self.nested = source.nested

    def memory(self) -> Memory:
        return Memory(str(self.root), self.hash, str(self.around / "memory"))

    def capture(self, memory: Memory | None = None) -> Captured:
        return capture(Commands(str(self.root), self.baseline, no_sandbox), memory, self.nested)

    def changed(self, memory: Memory | None = None) -> dict[str, str]:
        """The changes by path. Nothing may have been cut."""
        captured = self.capture(memory)
        assert captured.cut == ()
        return {change.path: change.kind.value for change in captured.changes}
