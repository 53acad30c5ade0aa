"""Small tasks for the benchmarks, and trials that look as if an agent had attempted them."""

import json
from pathlib import Path

from assay.adapters.machine.trees import pack_tree
from assay.adapters.tasks.workbench import ARCHIVE


def write_task(folder: Path, verifier: str) -> Path:
    """A task whose verifier is a few lines of shell."""
    (folder / "tests").mkdir(parents=True)
    (folder / "task.toml").write_text('schema_version = "1.3"\n')
    (folder / "instruction.md").write_text("Do nothing.\n")
    script = folder / "tests" / "test.sh"
    script.write_text(f"#!/bin/sh\n{verifier}\n")
    script.chmod(0o755)
    return folder


def kept_trial(folder: Path, task: Path) -> Path:
    """What an attempt leaves that is needed to grade it again."""
    workspace = folder / "workspace"
    (folder / "verifier").mkdir(parents=True)
    (workspace / "workspace").mkdir(parents=True)
    pack_tree(str(workspace), str(folder / ARCHIVE))
    (folder / "config.json").write_text(json.dumps({"task": {"path": str(task)}}))
    (folder / "result.json").write_text("{}")
    return folder
