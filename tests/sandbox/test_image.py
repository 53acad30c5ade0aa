"""The image of the service is built and run, and so are the compose file and the manifests, without a registry."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import httpx
import pytest
import yaml

from assay.adapters.sandbox.containers.container import Container
from assay.adapters.sandbox.containers.ulimits import default_ulimits
from tests.api.composing import COMPOSE, complete_some, wait_for
from tests.builders import REPO
from tests.container_engine import CONF
from tests.sandbox.backends import Backend, need
from tests.sandbox.service_images import POSTGRES, SERVICE, build_base, build_postgres, build_service, podman

HERE: Final = "http://127.0.0.1:8765"
PROJECT: Final = "assay-test"
# Without systemd, nobody would run the checks of podman's containers.
NO_TIMERS: Final = "DISABLE_HC_SYSTEMD"


@pytest.fixture(scope="module")
def container() -> Backend:
    return need("container")


@pytest.fixture(scope="module")
def image(container: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("image")
    build_base(folder)
    build_service(folder)
    yield SERVICE
    podman("rmi", "-f", SERVICE, "assay-test-base")


def test_the_image_serves_as_an_ordinary_user(container: Backend, image: str) -> None:
    """On a read-only system, with a folder for its data. Its first start prints the admin key."""
    assert podman("inspect", "--format", "{{.Config.User}}", image) == "10001:10001"
    ulimits = default_ulimits(cast("Container", container.sandbox).engine, image)
    started = podman("run", "-d", *ulimits, "--read-only", "--cap-drop", "ALL", "--tmpfs", "/tmp", image)
    try:
        script = (
            "import time, urllib.request\n"
            "for _ in range(600):\n"
            "    try:\n"
            "        print(urllib.request.urlopen('http://127.0.0.1:8765/readyz', timeout=5).status); break\n"
            "    except OSError:\n"
            "        time.sleep(0.1)\n"
        )
        assert podman("exec", started, "python3", "-c", script) == "200"
        assert "admin key, shown only now: ask_" in podman("logs", started)
        assert podman("exec", started, "/bin/busybox", "id", "-u") == "10001"
        assert podman("exec", started, "assay", "db", "check").startswith(
            "/data/assay.db: the tables are up to date"
        )
    finally:
        podman("rm", "-f", "-t", "5", started)
    assert os.path.exists(REPO / ".dockerignore")


@dataclass(frozen=True)
class ComposedService:
    """The services of the compose file as an engine runs them. ``store`` is the address of theirs."""

    client: httpx.Client
    secret: str
    store: str

    def log(self, service: str) -> str:
        return podman("logs", f"{PROJECT}_{service}_1")


def compose(*words: str) -> None:
    """Without the image of PostgreSQL being pulled, and not in the colours of a terminal."""
    command = [sys.executable, "-m", "podman_compose", "-p", PROJECT, "-f", str(COMPOSE), *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]


def settings_with_network(container: Backend, image: str, folder: Path) -> str:
    """The engine's settings with limits that can be set here, and with networks of its own."""
    limits = default_ulimits(cast("Container", container.sandbox).engine, image)[1::2]
    (folder / "networks").mkdir()
    written = Path(os.environ[CONF]).read_text()
    more = f"default_ulimits = {json.dumps(limits)}\n" if limits else ""
    network = f'\n[network]\nnetwork_backend = "netavark"\nnetwork_config_dir = "{folder / "networks"}"\n'
    (folder / "containers.conf").write_text(written.replace("[containers]\n", f"[containers]\n{more}") + network)
    return str(folder / "containers.conf")


@pytest.fixture(scope="module")
def running(container: Backend, image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ComposedService]:
    """The compose file as it is in the repository, with a network, published ports and a volume."""
    missing = [one for one in ("netavark", "aardvark-dns") if not Path("/usr/lib/podman", one).exists()]
    if missing or CONF not in os.environ:
        pytest.skip(f"podman has no {' and '.join(missing)} of its own here, so the compose file was not tried")
    folder = tmp_path_factory.mktemp("compose")
    build_postgres(folder)
    password = "a-word-for-tests"  # noqa: S105 - of a database that ends with the test
    with pytest.MonkeyPatch.context() as patch, ExitStack() as entered:
        patch.setenv(CONF, settings_with_network(container, image, folder))
        patch.setenv(NO_TIMERS, "true")
        patch.setenv("ASSAY_IMAGE", image)
        patch.setenv("POSTGRES_PASSWORD", password)
        patch.setenv("ASSAY_SECRET_KEY", base64.b64encode(os.urandom(32)).decode())
        entered.callback(podman, "rmi", "-f", POSTGRES)
        entered.callback(compose, "down", "--volumes", "--timeout", "5")
        compose("up", "--detach", "--no-build")
        client = entered.enter_context(httpx.Client(base_url=HERE, timeout=60))
        wait_for(lambda: client.get("/readyz").status_code == 200)
        [secret] = re.findall(r"admin key, shown only now: (\S+)", podman("logs", f"{PROJECT}_serve_1"))
        yield ComposedService(client, secret, f"postgresql://assay:{password}@database/assay")


def test_the_compose_file_serves_and_works(running: ComposedService) -> None:
    """A server accepts completions, and workers do them, with the rights that the file gives."""
    complete_some(running.client, running.secret)
    for name in ("serve", "worker-1", "worker-2"):
        [made] = json.loads(podman("inspect", f"{PROJECT}_{name}_1"))
        assert made["State"]["Status"] == "running"
        assert made["HostConfig"]["ReadonlyRootfs"]
        assert made["EffectiveCaps"] in (None, [])
        assert "a-word-for-tests" not in running.log(name)
    assert "coding runs are not graded here" in running.log("worker-2")


KUBERNETES: Final = REPO / "deploy" / "kubernetes" / "assay.yaml"


def test_an_engine_runs_the_manifests(running: ComposedService, tmp_path: Path) -> None:
    """It runs the pods of the deployments as these describe them, on the database of the compose file.

    podman publishes the port of a container at the machine's own, so there is one server, not two. What it knows
    no kind for (service, budget, nightly pruning) is held against the schemas of Kubernetes only.
    """
    if shutil.which("catatonit") is None:
        pytest.skip("there is no catatonit, which podman's pods begin with, so the manifests were not tried")
    compose("stop", "--timeout", "5", "serve", "worker-1", "worker-2")
    # Whoever runs this may have an assay of their own.
    own = KUBERNETES.read_text().replace("name: assay", "name: assay-pods-test")
    manifests = yaml.safe_load_all(own.replace("image: assay", f"image: {SERVICE}"))
    known: list[Any] = [one for one in manifests if one["kind"] in ("ConfigMap", "Deployment")]
    for one in known:
        if one["kind"] == "Deployment":
            [described] = one["spec"]["template"]["spec"]["containers"]
            described["imagePullPolicy"] = "Never"
            one["spec"]["replicas"] = 1 if "ports" in described else one["spec"]["replicas"]
    values = {"store": running.store, "secret-key": os.environ["ASSAY_SECRET_KEY"]}
    # This podman can't read a Secret that it has read itself.
    data = {name: base64.b64encode(value.encode()).decode() for name, value in values.items()}
    (tmp_path / "secret.json").write_text(json.dumps(data))
    podman("secret", "create", "assay-pods-test", tmp_path / "secret.json")
    written = tmp_path / "assay.yaml"
    written.write_text(yaml.safe_dump_all(known))
    try:
        podman("play", "kube", "--network", f"{PROJECT}_default", written)
        wait_for(lambda: running.client.get("/readyz").status_code == 200)
        complete_some(running.client, running.secret)
        found = podman("ps", "-q", "--filter", "name=assay-pods-test", "--filter", f"ancestor={SERVICE}").split()
        made = json.loads(podman("inspect", *found))
        assert sorted(one["Args"][0] for one in made) == ["serve", "worker", "worker"]
        for one in made:
            assert one["Config"]["User"] == "10001:10001"
            assert one["HostConfig"]["ReadonlyRootfs"]
            assert one["EffectiveCaps"] in (None, [])
    finally:
        podman("play", "kube", "--down", written)
        podman("secret", "rm", "assay-pods-test")
