"""Make the workspace of a run that harbor ran elsewhere of the artifacts that it kept, to grade it here.

That is the whole truth only for a verifier that gets nothing but artifacts. Which were kept, the manifest says.
"""

import os
import shutil
from collections.abc import Sequence
from typing import Any

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.machine.trees import copy_tree, pack_tree
from assay.adapters.tasks.downloaded_run import read_manifest
from assay.adapters.tasks.workbench import ARCHIVE, KEPT_BY_HARBOR, MANIFEST
from assay.core.errors import InputError


def keep_as_workspace(folder: str, sources: Sequence[str]) -> None:
    """Pack the artifacts from these paths into the folder of a run. Raises ``InputError`` if one wasn't kept."""
    entries = read_manifest(f"{folder}/artifacts")
    if not entries:
        raise InputError(f"{folder} can't be graded again: it has neither {ARCHIVE} nor artifacts/{MANIFEST}")
    kept = {entry["source"]: entry for entry in entries}
    with temporary_folder(0o700) as around:
        root = f"{around}/root"
        os.mkdir(root)
        for source in sources:
            entry = kept.get(source, {})
            if entry.get("status") not in ("ok", "empty"):
                said = entry.get("status", "isn't in the manifest")
                raise InputError(
                    f"{folder} can't be graded again: its artifact {source} must be kept, but: {said}"
                )
            _copy(folder, entry, f"{root}{os.path.normpath(source)}")
        pack_tree(root, f"{around}/{ARCHIVE}", exact=True)
        shutil.copyfile(f"{around}/{ARCHIVE}", f"{folder}/{ARCHIVE}.part")
    os.replace(f"{folder}/{ARCHIVE}.part", f"{folder}/{ARCHIVE}")


def _copy(folder: str, entry: dict[str, Any], target: str) -> None:
    """Copy one artifact to its path. Links stay behind, and nothing outside of the run's artifacts is read."""
    name = os.path.normpath(str(entry.get("destination", "")))
    if not name.startswith("artifacts/") or name == KEPT_BY_HARBOR:
        return
    source = f"{folder}/{name}"
    if not os.path.realpath(source).startswith(f"{os.path.realpath(folder)}/artifacts/"):
        raise InputError(f"{folder} can't be graded again: {name} leads out of its artifacts")
    if entry.get("type") == "directory":
        os.makedirs(target, exist_ok=True)
        if os.path.isdir(source) and not os.path.islink(source):
            copy_tree(source, target)
    else:
        copy_tree(os.path.dirname(source), os.path.dirname(target), only=os.path.basename(source))
