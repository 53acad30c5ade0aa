"""The image of the service is built and run, on a base that is made of this machine's own Python."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Final, cast

import httpx
import pytest
import yaml

from assay.adapters.sandbox.containers.container import Container
from assay.adapters.sandbox.containers.ulimits import default_ulimits
from tests.api.composing import complete_some, composed, wait_for
from tests.builders import REPO
from tests.sandbox.backends import BUSYBOX, Backend, need

HERE: Final = "http://127.0.0.1:8765"
LIBRARIES = (
    *(
        "libc",
        "libm",
        "libdl",
        "libpthread",
        "librt",
        "libutil",
        "libssl",
        "libcrypto",
        "libz",
        "libffi",
        "liblzma",
    ),
    *("libbz2", "libsqlite3", "libuuid", "libgcc_s", "libstdc++", "libresolv"),
)
TOOLS = ("sh", "mkdir", "chown", "rm", "env")
LEFT_OUT = shutil.ignore_patterns("site-packages", "test", "__pycache__", "tkinter", "idlelib", "config-*")


def podman(*words: object, **more: object) -> str:
    command = ["podman", *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1200, check=False, **more)  # type: ignore[call-overload]
    assert done.returncode == 0, done.stderr[-3000:]
    return str(done.stdout).strip()


def write_base(root: Path) -> None:
    """The least system that has a shell, Python and pip."""
    for folder in ("bin", "usr/local/bin", "usr/local/lib", "lib64", "tmp", "etc"):
        (root / folder).mkdir(parents=True)
    shutil.copy(BUSYBOX, root / "bin" / "busybox")
    for tool in TOOLS:
        (root / "bin" / tool).symlink_to("busybox")
    program = Path(sys.executable).resolve()
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    shutil.copy(program, root / "usr/local/bin" / version)
    (root / "usr/local/bin/python3").symlink_to(version)
    shutil.copytree(sysconfig.get_path("stdlib"), root / "usr/local/lib" / version, ignore=LEFT_OUT, symlinks=True)
    (root / "usr/local/lib" / version / "site-packages").mkdir()
    needed = [line.split()[2] for line in ran_ldd(program) if "=>" in line]
    places = {str(Path(one).parent) for one in needed}
    system = next(place for place in sorted(places) if place.startswith(("/lib", "/usr/lib")))
    found = {Path(one).name: Path(one) for one in needed}
    for library in LIBRARIES:
        found |= {one.name: one for one in Path(system).glob(f"{library}.so.*")}
    target = root / system.lstrip("/")
    target.mkdir(parents=True, exist_ok=True)
    for name, path in found.items():
        shutil.copy(path, target / name)
    loader = next(line.split()[0] for line in ran_ldd(program) if "ld-linux" in line)
    shutil.copy(loader, root / loader.lstrip("/"))


def ran_ldd(program: Path) -> list[str]:
    return subprocess.run(
        [str(shutil.which("ldd")), program], capture_output=True, text=True, check=True
    ).stdout.splitlines()


@pytest.fixture(scope="module")
def container() -> Backend:
    return need("container")


@pytest.fixture(scope="module")
def image(container: Backend, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    tmp_path = tmp_path_factory.mktemp("image")
    wheels, root = tmp_path / "wheels", tmp_path / "root"
    pip = [sys.executable, "-m", "pip", "download", "-q", "-d", str(wheels)]
    wanted = ["-r", str(REPO / "requirements" / "runtime.txt"), "hatchling"]
    got = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False, timeout=900)
    if got.returncode:
        pytest.skip("the packages of the image can't be had here, so it was not built")
    root.mkdir()
    write_base(root)
    with tarfile.open(tmp_path / "base.tar", "w") as packed:
        packed.add(root, ".")
    podman("import", tmp_path / "base.tar", "assay-test-base")
    offline = ("--env", "PIP_NO_INDEX=1", "--env", "PIP_FIND_LINKS=/wheels", "-v", f"{wheels}:/wheels:ro")
    base = ("--build-arg", "BASE=localhost/assay-test-base", "--network", "host", "--isolation", "chroot")
    podman("build", *base, *offline, "-f", REPO / "deploy" / "Containerfile", "-t", "assay-test-image", REPO)
    yield "localhost/assay-test-image"
    podman("rmi", "-f", "assay-test-image", "assay-test-base")


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


def test_the_compose_file_serves_and_works(container: Backend, image: str) -> None:
    """All services of ours as containers, with the rights that it gives them. Their network is the machine's."""
    engine, running = cast("Container", container.sandbox).engine, dict[str, str]()
    ulimits = default_ulimits(engine, image)
    with ExitStack() as entered, httpx.Client(base_url=HERE, timeout=60) as client:
        try:
            services = entered.enter_context(composed())
        except Exception as error:  # noqa: BLE001 - whatever it is, the reader of the test report learns of it
            pytest.skip(f"no PostgreSQL could be started here, so the compose file was not tried: {error!r}")
        entered.callback(lambda: podman("rm", "-f", "-t", "5", *running.values()))
        for name, one in services.items():
            assert one["read_only"]
            rights = ["--read-only", *(f"--cap-drop={cap}" for cap in one["cap_drop"])]
            rights += [f"--security-opt={option.partition(':')[0]}" for option in one["security_opt"]]
            rights += [f"--tmpfs={place}" for place in one["tmpfs"]]
            given = [f"--env={key}={value}" for key, value in one["environment"].items()]
            running[name] = podman("run", "-d", *ulimits, *rights, *given, image, *one["command"])
        assert sorted(running) == ["serve", "worker-1", "worker-2"]
        wait_for(lambda: client.get("/readyz").status_code == 200)
        [secret] = re.findall(r"admin key, shown only now: (\S+)", podman("logs", running["serve"]))
        complete_some(client, secret)
        for name in running:
            assert podman("inspect", "--format", "{{.State.Status}}", running[name]) == "running"


KUBERNETES: Final = REPO / "deploy" / "kubernetes" / "assay.yaml"


def test_an_engine_takes_the_manifests(container: Backend, tmp_path: Path) -> None:
    """It makes the pods of the deployments, as these describe them, and doesn't start them: no cluster is here."""
    if shutil.which("catatonit") is None:
        pytest.skip("there is no catatonit, which podman's pods begin with, so the manifests were not tried")
    (tmp_path / "bin").mkdir()
    shutil.copy(BUSYBOX, tmp_path / "bin" / "busybox")
    with tarfile.open(tmp_path / "image.tar", "w") as packed:
        packed.add(tmp_path / "bin", "bin")
    podman("import", tmp_path / "image.tar", "localhost/assay-pods-test")
    # Whoever runs this may have an assay of their own.
    own = KUBERNETES.read_text().replace("name: assay", "name: assay-pods-test")
    manifests = yaml.safe_load_all(own.replace("image: assay", "image: localhost/assay-pods-test"))
    known = [one for one in manifests if one["kind"] in ("ConfigMap", "Deployment")]
    data = {name: base64.b64encode(name.encode()).decode() for name in ("store", "secret-key")}
    # This podman can't read a Secret that it has read itself.
    (tmp_path / "secret.json").write_text(json.dumps(data))
    podman("secret", "create", "assay-pods-test", tmp_path / "secret.json")
    for one in known:
        for described in one.get("spec", {}).get("template", {}).get("spec", {}).get("containers", []):
            described["imagePullPolicy"] = "Never"
    written = tmp_path / "assay.yaml"
    written.write_text(yaml.safe_dump_all(known))
    try:
        podman("play", "kube", "--network", "slirp4netns", "--start=false", written)
        found = podman("ps", "-aq", "--filter", "ancestor=localhost/assay-pods-test").split()
        made = json.loads(podman("inspect", *found))
        assert sorted(one["Args"][0] for one in made) == ["serve", "serve", "worker", "worker"]
        for one in made:
            assert one["Config"]["User"] == "10001:10001"
            assert one["HostConfig"]["ReadonlyRootfs"]
            assert one["EffectiveCaps"] in (None, [])
            assert "ASSAY_STORE=store" in one["Config"]["Env"]
    finally:
        podman("play", "kube", "--down", written)
        podman("secret", "rm", "assay-pods-test")
        podman("rmi", "-f", "localhost/assay-pods-test")
