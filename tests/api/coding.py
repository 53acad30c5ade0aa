"""A coding scenario over HTTP: what most tests of coding runs send first."""

import io
import tarfile
from collections.abc import Mapping
from typing import Any

from tests.api.clinic import Clinic, work_off
from tests.coding import FIXED, GUARD, PROJECT, TESTS

DONE = {**PROJECT, "calc.py": FIXED}


def packed(files: Mapping[str, str]) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return content.getvalue()


def scenario(clinic: Clinic, *scorers: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    """The body of a scenario whose seed is the project, which is sent."""
    if "workspace_seed" not in fields:
        sent = clinic.ask("POST", "/v1/archives", content=packed(PROJECT))
        assert sent.status_code == 201, sent.text
        fields["workspace_seed"] = {"type": "archive", "path": sent.json()["path"]}
    return {"name": "calculator", "scorers": list(scorers or (TESTS, GUARD)), **fields}


def worked(clinic: Clinic) -> None:
    """Do everything that is queued."""
    work_off(clinic.service)


def seeded(clinic: Clinic, *scorers: Mapping[str, Any], **fields: Any) -> str:
    """The id of a seeded task."""
    made = clinic.post("/v1/scenarios", scenario(clinic, *scorers, **fields))
    answer = clinic.ask("POST", f"/v1/scenarios/{made['id']}/tasks")
    assert answer.status_code == 202, answer.text
    worked(clinic)
    return str(answer.json()["task"]["id"])


def uploaded(clinic: Clinic, task: str, files: Mapping[str, str] | None = None, **logs: str) -> str:
    """The id of a run with a workspace, and logs by the names of their files with ``_`` in place of ``.``."""
    run = str(clinic.post(f"/v1/coding-tasks/{task}/runs", {"agent": "ana", "model": "big-1"})["id"])
    sent = clinic.ask("PUT", f"/v1/coding-runs/{run}/workspace", content=packed(DONE if files is None else files))
    assert sent.status_code == 200, sent.text
    for name, text in logs.items():
        path = ".".join(name.rsplit("_", 1))
        assert clinic.ask("PUT", f"/v1/coding-runs/{run}/files/{path}", content=text).status_code == 200
    return run


def completed(clinic: Clinic, run: str, **ending: Any) -> dict[str, Any]:
    """The run as the explorer shows it, graded."""
    answer = clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json=ending)
    assert answer.status_code == 202, answer.text
    worked(clinic)
    shown: dict[str, Any] = clinic.get(f"/v1/runs/{run}")
    return shown
