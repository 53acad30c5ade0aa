"""Scenarios over HTTP: every version stays, seeded tasks are frozen, and nobody reads the server's files."""

import contextlib
import hashlib
import io
import os
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import httpx
import pytest

from assay.adapters.service.coding import CAPS
from assay.adapters.service.coding_parts import CodingSetting
from assay.adapters.service.sandbox import ISOLATING, CodingSandbox
from assay.adapters.store.opening import open_store
from assay.adapters.tasks.scenario_file import scenario_of
from assay.api.app import make_app
from assay.api.routes.scenarios import ARCHIVE_BYTES
from assay.api.service import Service
from assay.core.errors import InputError
from assay.engine.service.coding_policy import CodingPolicy, check_scenario
from tests.api.clinic import Clinic, Served, clinic_of
from tests.api.coding import packed, scenario, seeded, worked
from tests.api.serving import serving
from tests.coding import GUARD, PROJECT, TESTS


def test_a_change_is_a_new_version_and_old_ones_stay(clinic: Clinic) -> None:
    body = scenario(clinic)
    first = clinic.post("/v1/scenarios", body)
    assert (first["version"], first["name"]) == (1, "calculator")
    path = f"/v1/scenarios/{first['id']}"
    same = clinic.ask("PUT", path, json=body).json()
    assert (same["version"], same["sha256"]) == (1, first["sha256"])
    changed = clinic.ask("PUT", path, json={**body, "scorers": [TESTS]}).json()
    assert (changed["version"], changed["created_at"]) == (2, first["created_at"])
    assert changed["sha256"] != first["sha256"]
    assert clinic.get(f"{path}/versions/1")["scenario"] == first["scenario"]
    assert [one["version"] for one in clinic.get(f"{path}/versions")["data"]] == [2, 1]
    [listed] = clinic.get("/v1/scenarios")["data"]
    assert listed == changed
    assert clinic.ask("DELETE", path).status_code == 204
    assert clinic.get("/v1/scenarios")["data"] == []
    for method, gone in (
        ("GET", path),
        ("DELETE", path),
        ("POST", f"{path}/tasks"),
        ("GET", f"{path}/versions/9"),
    ):
        assert clinic.ask(method, gone).status_code == 404
    assert clinic.get(f"{path}/versions/2")["sha256"] == changed["sha256"]


def test_a_seeded_task_is_frozen(clinic: Clinic) -> None:
    body = scenario(clinic, user_instruction="Fix add().")
    made = clinic.post("/v1/scenarios", body)
    answer = clinic.ask("POST", f"/v1/scenarios/{made['id']}/tasks")
    task, work = answer.json()["task"], answer.json()["work"]
    assert (answer.status_code, task["state"], task["scenario"], work["state"]) == (202, "seeding", None, "queued")
    assert clinic.ask("GET", f"/v1/coding-tasks/{task['id']}/workspace").status_code == 409
    assert clinic.ask("POST", f"/v1/coding-tasks/{task['id']}/runs", json={"agent": "a"}).status_code == 409
    worked(clinic)
    ready = clinic.get(f"/v1/coding-tasks/{task['id']}")
    assert (ready["state"], ready["scenario_version"], ready["moved_on"]) == ("ready", 1, False)
    assert (ready["instruction"], ready["name"]) == ("Fix add().", "calculator")
    assert [one["required"] for one in ready["scenario"]["scorers"]] == [True, True]
    assert ready["commands_on_baseline"]["tests"]["verdict"] == "FAIL"
    archive = clinic.ask("GET", f"/v1/coding-tasks/{task['id']}/workspace").content
    assert hashlib.sha256(archive).hexdigest() == ready["workspace_sha256"]
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        assert set(PROJECT) <= set(tar.getnames())
    clinic.ask("PUT", f"/v1/scenarios/{made['id']}", json={**body, "scorers": [TESTS]})
    moved = clinic.get(f"/v1/coding-tasks/{task['id']}")
    assert (moved["moved_on"], moved["scenario"]) == (True, ready["scenario"])
    listed = clinic.get("/v1/coding-tasks", params={"scenario_id": made["id"]})["data"]
    assert [one["id"] for one in listed] == [task["id"]]


def test_a_scenario_that_can_not_be_seeded_is_refused(clinic: Clinic) -> None:
    task = clinic.get(f"/v1/coding-tasks/{seeded(clinic, setup='echo no compiler; exit 3')}")
    assert (task["state"], task["reason"]) == (
        "refused",
        "the setup command ended with exit code 3: no compiler",
    )
    clean = scenario(clinic)
    del clean["workspace_seed"]
    made = clinic.post("/v1/scenarios", clean)
    assert clinic.ask("POST", f"/v1/scenarios/{made['id']}/tasks").status_code == 409


REFUSED: list[tuple[dict[str, Any], str]] = [
    (
        {"workspace_seed": {"type": "git", "repository": "/etc", "commit": "x"}},
        "workspace_seed must be an archive",
    ),
    (
        {"workspace_seed": {"type": "git", "repository": "http://169.254.169.254/x", "commit": "x"}},
        "workspace_seed must be an archive",
    ),
    ({"workspace_seed": {"type": "archive", "path": "/etc/passwd"}}, "workspace_seed.path must be what /v1/arch"),
    (
        {"workspace_seed": {"type": "archive", "path": "../../store.db"}},
        "workspace_seed.path must be what /v1/arch",
    ),
    ({"workspace_seed": {"type": "archive", "path": f"sha256:{'0' * 64}"}}, "must be an archive that was sent"),
    ({"environment": {"venv": "/root/venv"}}, "a folder of environment must be left out"),
    ({"environment": {"folders": ["/etc"]}}, "a folder of environment must be left out"),
    ({"environment": {"folders": ["node_modules"]}}, "a folder of environment must be left out"),
    ({"environment": {"base": "/"}}, "environment.base must be left out"),
    ({"environment": {"image": "registry.example/x"}}, "environment.image must be left out"),
    ({"judge": {"url": "http://127.0.0.1/v1", "models": ["m"]}}, "judge.url must be left out"),
    ({"judge": {"key_env": "ASSAY_JUDGE_KEY_OPERATOR"}}, "judge.key_env must be left out"),
    ({"setup": {"command": "true", "network": True}}, "setup.network must be false"),
    ({"scorers": [{"type": "command"}]}, "scorers[0].command must be given, got nothing"),
    ({"scorers": [{"type": "colour"}]}, "scorers[0].type must be one of"),
    ({"colour": "red"}, "colour"),
]


@pytest.mark.parametrize(("fields", "why"), REFUSED)
def test_scenarios_of_tenants_reach_nothing_of_the_server(
    fields: dict[str, Any], why: str, clinic: Clinic
) -> None:
    found = clinic.ask("POST", "/v1/scenarios", json={"scorers": [GUARD], **fields})
    assert found.status_code == 422, found.text
    assert why in found.json()["error"]["message"]


def test_what_the_operator_allows() -> None:
    policy = CodingPolicy(("/opt/tools",), ("python:3.12",), network=True)

    def check(**fields: Any) -> None:
        check_scenario(scenario_of({"scorers": [GUARD], **fields}, "s"), policy)

    check(environment={"folders": ["/opt/tools/node"], "venv": "/opt/tools"})
    check(environment={"image": "python:3.12"}, setup={"command": "true", "network": True})
    for folder in ("/opt", "/opt/tools2", "/opt/tools/../secret", "~/x", "tools"):
        with pytest.raises(InputError, match="must be one of /opt/tools"):
            check(environment={"venv": folder})


def test_a_worker_allows_nothing_on_its_own(clinic: Clinic) -> None:
    """A scenario that a server took may still want too much of the machine that would seed it."""
    wish = {"scorers": [GUARD], "workspace_seed": {"type": "empty"}, "environment": {"folders": ["/etc"]}}
    made = clinic.service.coding.scenarios.add(clinic.organisation, scenario_of(wish, "s"))
    task = clinic.ask("POST", f"/v1/scenarios/{made.id}/tasks").json()["task"]["id"]
    worked(clinic)
    found = clinic.get(f"/v1/coding-tasks/{task}")
    assert (found["state"], found["reason"]) == (
        "refused",
        "a folder of environment must be left out: the operator of the service allows none, got '/etc'",
    )


def test_the_archive_of_another_organisation(served: Served, clinic: Clinic) -> None:
    """Knowing the hash of an archive is no right to it."""
    body = scenario(clinic)
    path = body["workspace_seed"]["path"]
    assert clinic.get(f"/v1/archives/{path}")["path"] == path
    with httpx.Client(base_url=served.url, timeout=60) as client:
        other = clinic_of(served, client, f"{clinic.organisation}2")
        assert other.ask("GET", f"/v1/archives/{path}").status_code == 404
        assert other.ask("POST", "/v1/scenarios", json=body).status_code == 422
        task = seeded(clinic)
        for name in (f"coding-tasks/{task}", f"coding-tasks/{task}/workspace"):
            assert other.ask("GET", f"/v1/{name}").status_code == 404
        assert other.ask("POST", f"/v1/coding-tasks/{task}/runs", json={"agent": "a"}).status_code == 404


def _tar(*members: tuple[str, bytes, str], size: int = 0) -> bytes:
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w:gz") as tar:
        for name, kind, target in members:
            member = tarfile.TarInfo(name)
            member.type, member.linkname, member.size = kind, target, size
            tar.addfile(member, io.BytesIO(b"\0" * size))
    return content.getvalue()


def _zip_bomb() -> bytes:
    content = io.BytesIO()
    with (
        zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as bomb,
        bomb.open("zeros", "w", force_zip64=True) as file,
    ):
        for _ in range(CAPS.bytes // 2**20 + 1):
            file.write(b"\0" * 2**20)
    return content.getvalue()


BAD: dict[str, tuple[bytes, str]] = {
    "text": (b"hello " * 200, "the archive can't be unpacked: it is neither tar nor zip"),
    "nothing": (b"", "the archive can't be unpacked"),
    "half": (packed(PROJECT)[:-40], "the archive can't be unpacked"),
    "absolute": (_tar(("/etc/cron.d/x", tarfile.REGTYPE, "")), "names must stay in the archive's folder"),
    "traversal": (_tar(("a/../../x", tarfile.REGTYPE, "")), "names must stay in the archive's folder"),
    "through a link": (
        _tar(("out", tarfile.SYMTYPE, "/tmp"), ("out/x", tarfile.REGTYPE, "")),
        "names must not lead through a link",
    ),
    "hard link": (_tar(("x", tarfile.LNKTYPE, "/etc/passwd")), "the archive can't be unpacked"),
}


@pytest.mark.parametrize("kind", BAD)
def test_archives_that_are_refused(clinic: Clinic, kind: str, tmp_path: Path) -> None:
    content, why = BAD[kind]
    found = clinic.ask("POST", "/v1/archives", content=content)
    assert found.status_code == 422, found.text
    message = found.json()["error"]["message"]
    assert why in message
    assert "/assay-" not in message
    assert not os.path.exists("/etc/cron.d/x")
    assert list(tmp_path.iterdir()) == []


def test_a_bomb_and_a_body_that_is_too_large(clinic: Clinic) -> None:
    bomb = _zip_bomb()
    assert len(bomb) < 4 * 2**20
    found = clinic.ask("POST", "/v1/archives", content=bomb)
    assert (found.status_code, found.json()["error"]["message"]) == (
        422,
        f"the archive must hold at most {CAPS.bytes} bytes, got more",
    )
    # The server may have hung up by then.
    with contextlib.suppress(httpx.WriteError):
        assert clinic.ask("POST", "/v1/archives", content=bytes(ARCHIVE_BYTES + 1)).status_code == 413


def test_devices_and_links_are_kept_apart(clinic: Clinic) -> None:
    """A device becomes a pipe that nobody opens, a link stays a link, and neither is followed."""
    odd = _tar(("null", tarfile.CHRTYPE, ""), ("passwd", tarfile.SYMTYPE, "/etc/passwd"))
    assert clinic.ask("POST", "/v1/archives", content=odd).status_code == 201
    made = clinic.post(
        "/v1/scenarios",
        scenario(clinic, {"type": "file_exists", "path": "passwd"}, workspace_seed={"type": "empty"}),
    )
    task = clinic.ask("POST", f"/v1/scenarios/{made['id']}/tasks").json()["task"]["id"]
    worked(clinic)
    run = clinic.post(f"/v1/coding-tasks/{task}/runs", {"agent": "a"})["id"]
    assert clinic.ask("PUT", f"/v1/coding-runs/{run}/workspace", content=odd).status_code == 200
    clinic.ask("POST", f"/v1/coding-runs/{run}/complete", json={})
    worked(clinic)
    [grading] = clinic.get(f"/v1/runs/{run}/gradings")
    assert "root:" not in str(grading)


def test_a_server_without_a_sandbox_takes_no_coding_runs(where: str) -> None:
    service = Service(open_store(where), coding=CodingSetting("off"))
    with serving(make_app(service)) as url, httpx.Client(base_url=url, timeout=60) as client:
        clinic = clinic_of(Served(service, url), client, "off")
        found = clinic.ask("POST", "/v1/archives", content=packed(PROJECT))
        assert (found.status_code, found.json()["error"]["message"]) == (
            409,
            "this server takes no coding runs: they are switched off",
        )
        assert clinic.ask("POST", "/v1/scenarios", json={"scorers": []}).status_code == 409
    service.close()


def test_a_process_of_the_host_is_no_sandbox_unless_somebody_says_so() -> None:
    assert "process" not in ISOLATING
    assert CodingSandbox("process")().isolation.backend == "process"
    with pytest.raises(InputError, match="coding must be one of"):
        CodingSandbox("hope")
