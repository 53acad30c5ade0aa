"""What operators deploy is what the program has: its commands, settings, addresses and numbers."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml

from assay.api.app import ROUTES
from assay.cli.main import parser_of
from tests.api.clinic import Clinic
from tests.api.composing import complete_some, composed
from tests.api.test_manners import operator
from tests.builders import REPO
from tests.cli.running import start_assay

DEPLOY = REPO / "deploy"
SETTINGS = {"ASSAY_STORE", "ASSAY_SECRET_KEY", "ASSAY_ALLOW_SOURCE", "ASSAY_IMAGE"}
MANIFESTS = list(yaml.safe_load_all((DEPLOY / "kubernetes" / "assay.yaml").read_text()))


def pods(value: Any) -> Iterator[dict[str, Any]]:
    """All descriptions of pods within a manifest."""
    if isinstance(value, dict):
        if "containers" in value:
            yield value
        for inner in value.values():
            yield from pods(inner)


def commands() -> Iterator[list[str]]:
    """All commands of ours that something deployed runs."""
    for manifest in MANIFESTS:
        for pod in pods(manifest):
            yield from (container["args"] for container in pod["containers"])
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    yield from (service["command"] for service in compose["services"].values() if "command" in service)
    yield json.loads(re.findall(r"^CMD (.*)$", (DEPLOY / "Containerfile").read_text(), re.MULTILINE)[0])
    unit = (DEPLOY / "assay.service").read_text()
    yield shlex.split(re.findall(r"^ExecStart=\S*/(assay .*)$", unit, re.MULTILINE)[0])


@pytest.mark.parametrize("command", list(commands()), ids=" ".join)
def test_every_command_is_one_that_there_is(command: list[str]) -> None:
    assert command[0] == "assay"
    assert parser_of(command[1]).parse_args(command[2:]).run is not None


@pytest.mark.parametrize("manifest", MANIFESTS, ids=lambda one: f"{one['kind']}-{one['metadata']['name']}")
def test_a_manifest_is_one(manifest: dict[str, Any]) -> None:
    kubernetes_validate.validate(manifest, "1.31", strict=True)
    for pod in pods(manifest):
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["automountServiceAccountToken"] is False
        for container in pod["containers"]:
            assert container["securityContext"]["readOnlyRootFilesystem"]
            probes = [
                container[name]["httpGet"]["path"]
                for name in ("readinessProbe", "livenessProbe")
                if name in container
            ]
            assert set(probes) <= {"/healthz", "/readyz"}


def test_the_schema_would_notice_a_slip() -> None:
    slip = json.loads(json.dumps(MANIFESTS[1]).replace("readinessProbe", "readinesProbe"))
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(slip, "1.31", strict=True)


def test_two_workers_and_a_database_that_is_waited_for() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    workers = [one for one in services.values() if one.get("command", [])[:2] == ["assay", "worker"]]
    assert len(workers) == 2
    assert all(one["depends_on"]["database"]["condition"] == "service_healthy" for one in workers)
    assert services["serve"]["ports"] == ["127.0.0.1:8765:8765"], "on this machine only, until a proxy is there"


def test_the_services_of_the_compose_file_work_together(monkeypatch: pytest.MonkeyPatch) -> None:
    """As processes, with its commands and its environment; as containers in ``make containers``."""
    try:
        entered = ExitStack()
        services = entered.enter_context(composed())
    except Exception as error:  # noqa: BLE001 - whatever it is, the reader of the test report learns of it
        pytest.skip(f"no PostgreSQL could be started here, so the compose file was not tried: {error!r}")
    with entered, httpx.Client(timeout=60) as client:
        for name, value in services["serve"]["environment"].items():
            monkeypatch.setenv(name, value)
        command = services["serve"]["command"]
        serving = entered.enter_context(started(*command[1:], "--port", 0))
        address, secret = (serving.stdout.readline() for _ in range(2))  # type: ignore[union-attr] # It is a pipe.
        for name in ("worker-1", "worker-2"):
            assert services[name]["environment"] == services["serve"]["environment"]
            entered.enter_context(started(*services[name]["command"][1:]))
        client.base_url = address.split()[2].replace("0.0.0.0", "127.0.0.1")  # noqa: S104 - not to listen there
        complete_some(client, secret.split()[-1])
        assert client.get("/readyz").status_code == 200


@contextmanager
def started(*argv: object) -> Iterator["subprocess.Popen[str]"]:
    # Nobody reads the log, and a pipe that is full would stop the server.
    process = start_assay(*argv, stderr=subprocess.DEVNULL)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.communicate(timeout=60)
        except subprocess.TimeoutExpired:
            # How a worker ends is for the tests of kills and processes: none may be left behind by this one.
            process.kill()
            process.communicate()


def test_every_setting_is_one_that_there_is() -> None:
    text = "".join(path.read_text() for path in DEPLOY.rglob("*") if path.is_file())
    assert set(re.findall(r"\bASSAY_[A-Z_]+", text)) == SETTINGS


def test_the_dashboard_shows_numbers_that_there_are(clinic: Clinic) -> None:
    clinic.get("/v1/tasks")
    told = clinic.client.get("/metrics", headers=operator(clinic)).text
    known = {
        f"{name}{end}"
        for name in re.findall(r"^# TYPE (\S+)", told, re.MULTILINE)
        for end in ("", "_bucket", "_sum", "_count")
    }
    panels = json.loads((DEPLOY / "grafana.json").read_text())["panels"]
    asked = " ".join(target["expr"] for panel in panels for target in panel["targets"])
    shown = set(re.findall(r"\bassay_\w+", asked))
    assert shown <= known
    assert {"assay_requests_total", "assay_work_waiting"} <= shown
    assert set(re.findall(r'route="([^"]+)"', asked)) <= {route.path for route in ROUTES}


def test_the_unit_is_one() -> None:
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("there is no systemd-analyze, so the unit was not verified")
    done = subprocess.run(
        [verify, "verify", str(DEPLOY / "assay.service")], capture_output=True, text=True, check=False
    )
    # The program and its user aren't installed here.
    wrong = [line for line in done.stderr.splitlines() if "assay.service" in line and "not executable" not in line]
    assert wrong == []


# What somebody does with the client in TypeScript.
SCRIPT = """
const {assay} = await import('./client.js');
const send = assay(process.env.ASSAY_URL, process.env.ASSAY_KEY);
const made = await send('POST', '/tasks', {name: 'y'});
console.log((await send('GET', '/tasks/' + made.id)).name);
await send('DELETE', '/tasks/' + made.id);
await send('GET', '/tasks/x').catch((error) => console.log(error.message));
"""


def ran(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)


def test_the_client_of_a_few_lines_works(clinic: Clinic, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As it is written in the docs, in both languages."""
    page = (REPO / "docs" / "howto" / "integrate.md").read_text()
    python, typescript = (re.findall(rf"```{kind}\n(.*?)```", page, re.DOTALL)[0] for kind in ("py", "ts"))
    assert max(len(code.strip().splitlines()) for code in (python, typescript)) <= 22
    monkeypatch.setenv("ASSAY_URL", str(clinic.client.base_url).rstrip("/"))
    monkeypatch.setenv("ASSAY_KEY", clinic.keys["admin"])
    known: dict[str, Any] = {}
    exec(python, known)  # noqa: S102 - of our own docs
    made = known["send"]("POST", "/tasks", {"name": "x"})
    assert known["send"]("GET", f"/tasks/{made['id']}")["name"] == "x"
    with pytest.raises(RuntimeError, match="there is no such task"):
        known["send"]("GET", "/tasks/x")
    node, tsc = shutil.which("node"), REPO / ".venv" / "typescript" / "node_modules" / ".bin" / "tsc"
    if node is None or not tsc.exists():
        pytest.skip("there is no TypeScript here, so the client in TypeScript was not tried")
    (tmp_path / "client.ts").write_text(typescript)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = [
        "--target",
        "es2022",
        "--module",
        "es2022",
        "--moduleResolution",
        "node",
        "--lib",
        "es2022,dom",
        "--strict",
    ]
    built = ran(tmp_path, str(tsc), *options, "client.ts")
    assert built.returncode == 0, built.stdout
    done = ran(tmp_path, node, "--input-type=module", "-e", SCRIPT)
    assert done.stdout == "y\nthere is no such task\n", done.stderr
