"""The image of the service is built and run, on a base that is made of this machine's own Python."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import pytest

from assay.adapters.sandbox.containers.container import Container
from assay.adapters.sandbox.containers.ulimits import default_ulimits
from tests.builders import REPO
from tests.sandbox.backends import BUSYBOX, Backend, need

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


@pytest.fixture
def container() -> Backend:
    return need("container")


@pytest.fixture
def image(container: Backend, tmp_path: Path) -> Iterator[str]:
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
