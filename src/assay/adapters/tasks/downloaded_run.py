"""The workspace in what was downloaded of a run that harbor made: the folder of the run, or of its artifacts."""

import json
import os
from collections.abc import Iterator
from typing import Any, Final

from assay.adapters.machine.safe_read import read_below
from assay.adapters.tasks.workbench import DETAILS_LIMIT, KEPT_BY_HARBOR, MANIFEST
from assay.core.errors import InputError
from assay.evidence.files import Content
from assay.evidence.workspace import Baseline

_OF_A_RUN: Final = frozenset(
    (
        *("agent", "user-agent", "verifier", "artifacts", "steps"),
        *("config.json", "lock.json", "result.json", "exception.txt", "trial.log"),
    )
)


def workspace_in(root: str, baseline: Baseline, name: str) -> str:
    """The folder of the workspace, where ``root`` has nothing but harbor's record of a run.

    An agent that leaves such a folder is scored by what it put there, and hides nothing beside it. Raises
    ``InputError``, by the name that the user gave, if harbor kept no such folder.
    """
    inner = os.listdir(root)
    for around in (root, f"{root}/{inner[0]}") if len(inner) == 1 else (root,):
        for artifacts in (around, f"{around}/artifacts"):
            entries = read_manifest(artifacts)
            own = {MANIFEST, "logs", *(_below(entry).split("/")[0] for entry in entries)}
            if entries and set(os.listdir(around)) <= (own if artifacts == around else _OF_A_RUN):
                return _only_one(dict(_folders(entries, artifacts)), baseline, name)
    return root


def _only_one(folders: dict[str, str], baseline: Baseline, name: str) -> str:
    found = [one for one in folders if any(os.path.lexists(f"{one}/{path}") for path in baseline.paths())]
    if len(folders) != 1 and len(found) != 1:
        kept = ", ".join(sorted(folders.values())) or "none"
        raise InputError(
            f"{name} must have the workspace among the folders that harbor kept as a whole, which are: {kept}; the"
            " task must name its working folder among the artifacts"
        )
    return (found or list(folders))[0]


def read_manifest(artifacts: str) -> list[dict[str, Any]]:
    """The entries of harbor's list of artifacts; none if there is no such list."""
    file = read_below(artifacts, (MANIFEST,), DETAILS_LIMIT) if os.path.isdir(artifacts) else None
    try:
        found = json.loads(file.data) if isinstance(file, Content) else None
    except (ValueError, RecursionError):
        return []
    entries = found if isinstance(found, list) else []
    return (
        entries
        if all(isinstance(one, dict) and {"source", "destination"} <= one.keys() for one in entries)
        else []
    )


def _below(entry: dict[str, Any]) -> str:
    """The path of an artifact in their folder."""
    return str(entry["destination"]).removeprefix("artifacts/")


def _folders(entries: list[dict[str, Any]], artifacts: str) -> Iterator[tuple[str, str]]:
    """The folders that were kept as a whole, with the paths that they had. None leads out of the artifacts."""
    for entry in entries:
        path = os.path.normpath(f"{artifacts}/{_below(entry)}")
        inside = os.path.realpath(path).startswith(f"{os.path.realpath(artifacts)}/") and not os.path.islink(path)
        is_whole = (
            entry.get("status") == "ok" and not entry.get("exclude") and entry["destination"] != KEPT_BY_HARBOR
        )
        if inside and is_whole and os.path.isdir(path):
            yield path, str(entry["source"])
