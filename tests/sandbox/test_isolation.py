"""What a command in a sandbox can't see, reach or change."""

import contextlib
import os
import socket
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.adapters.sandbox import view_sandbox
from assay.adapters.sandbox.view_sandbox import shown_of_mixed
from assay.cli.main import main
from assay.engine.sandbox import Mount
from tests.sandbox.backends import VIEWS, Backend, need, removed_afterwards, working
from tests.tasks import attempt, write_task

# Tries to reach a port of the host's loopback.
CONNECT = """python3 - <<'PY'
import socket
try:
    socket.create_connection(("127.0.0.1", {port}), timeout=3).close()
    print("reached")
except OSError as error:
    print("not reached:", error)
PY"""


@pytest.fixture
def port() -> Iterator[int]:
    """A port of the host's loopback on which somebody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.fixture(params=[*VIEWS, "process"])
def unprivileged_backend(request: pytest.FixtureRequest) -> Backend:
    """A backend in which commands do not run as root."""
    found = working(str(request.param))
    if isinstance(found, str):
        pytest.skip(f"{request.param} is not available here: {found}")
    if found.sandbox.owner is None:
        pytest.skip("commands run as the user who runs the tests")
    return found


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can put something beside the programs of the system")
@pytest.mark.parametrize("place", ["/opt", "/usr/local", "/usr/local/share", "/usr/share"])
def test_what_is_in_use_is_not_shown_beside_the_systems_programs(
    place: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A task, its dataset, jobs and a file of keys: all are readable for everybody on the machine."""
    for name in VIEWS:
        need(name)
        with tempfile.TemporaryDirectory(prefix="assay-test-", dir=place) as around:
            Path(around).chmod(0o755)
            task = write_task(Path(around, "set", "task"), tests={"secret": "right\n"})
            keys = Path(around, "keys")
            keys.write_text("A=right\n")
            agent = f"cat {task}/tests/secret {keys} {around}/jobs/*/config.json > answer.txt; ls {around}/*"
            found = attempt(task, agent, Path(around, "jobs"), "--isolation", name, "--agent-env-file", str(keys))
            assert (found.reward, found.text("workspace.tar.gz") != "") == (0, True)
            assert "secret" not in found.text("agent/output.txt").replace("/tests/secret", "")
            assert main(["grade", str(found.folder), "--isolation", name]) == 0
            assert found.gradings[-1]["result"]["reward"] == 0


@pytest.fixture
def look_again() -> Iterator[Callable[[], None]]:
    """Has the folders of programs looked up anew, and once more afterwards."""

    def forget() -> None:
        shown_of_mixed.cache_clear()
        view_sandbox._system_arguments.cache_clear()

    yield forget
    forget()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can put something beside the programs of the system")
@pytest.mark.parametrize("name", VIEWS)
def test_of_opt_and_usr_local_only_programs_are_shown(name: str, look_again: Callable[[], None]) -> None:
    """Those on the path with all that belongs to them, those that are linked to, and what is asked for."""
    view = need(name)
    with contextlib.ExitStack() as made:
        opt, share, lib = (
            Path(made.enter_context(tempfile.TemporaryDirectory(prefix="assay-test-", dir=place)))
            for place in ("/opt", "/usr/local/share", "/usr/local/lib")
        )
        for folder in (opt / "tool" / "bin", opt / "linked", opt / "private", share, lib):
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "file").touch()
        for folder in (opt, share, lib):
            folder.chmod(0o755)
        link = Path("/usr/local/bin", opt.name)
        made.enter_context(removed_afterwards(str(link)))
        link.symlink_to(opt / "linked" / "file")
        seen = f"cd /opt; find {opt} -type f | sort; find {share} {lib} -type f; ls /opt"
        plain = [f"{opt}/linked/file"]
        for env, files in (
            ({}, [*plain, f"{lib}/file"]),
            ({"PATH": f"{opt}/tool/bin:{os.environ['PATH']}"}, [*plain, f"{opt}/tool/bin/file", f"{lib}/file"]),
            (
                {"ASSAY_SHOW": f"{share}:{opt}/private"},
                [*plain, f"{opt}/private/file", f"{share}/file", f"{lib}/file"],
            ),
        ):
            with pytest.MonkeyPatch.context() as patch:
                for variable, value in env.items():
                    patch.setenv(variable, value)
                look_again()
                found = view.run(seen).output.decode().splitlines()
            assert [line for line in found if line.startswith("/")] == files
            assert found[-1] == opt.name


def test_no_network(view: Backend, port: int) -> None:
    ran = view.run(CONNECT.format(port=port))
    assert ran.output.startswith(b"not reached")


def test_the_network_where_it_is_asked_for(view: Backend, port: int) -> None:
    assert view.run(CONNECT.format(port=port), network=True).output == b"reached\n"


def test_loopback_of_its_own(view: Backend) -> None:
    ran = view.run("""python3 - <<'PY'
import socket
server = socket.create_server(("127.0.0.1", 0))
socket.create_connection(server.getsockname()).close()
print("talks to itself", len(socket.if_nameindex()))
PY""")
    assert ran.output == b"talks to itself 1\n"


def test_no_network_in_a_container(container: Backend, port: int) -> None:
    ran = container.run(f"nc -w 3 127.0.0.1 {port} </dev/null && echo reached; ls /sys/class/net")
    assert b"reached" not in ran.output
    assert ran.output.split()[-1] == b"lo"


def test_sockets_without_a_path_are_out_of_reach(view: Backend) -> None:
    name = f"assay-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0{name}")
        server.listen()
        ran = view.run(
            f"""python3 -c "import socket; socket.socket(socket.AF_UNIX).connect('\\0{name}')" 2>&1 | tail -1"""
        )
    assert b"refused" in ran.output


def test_roots_files_stay_closed_even_where_they_are_mounted(
    unprivileged_backend: Backend, open_folder: Path
) -> None:
    secret = open_folder / "secret"
    secret.write_text("for root only\n")
    secret.chmod(0o600)
    closed = open_folder / "closed"
    closed.mkdir(mode=0o700)
    (closed / "inside").write_text("for root only\n")
    ran = unprivileged_backend.run(
        "cat /workspace/secret /workspace/closed/inside; ls /workspace/closed; echo x >> /workspace/secret",
        mounts=(Mount(str(open_folder), "/workspace", writable=True),),
    )
    assert b"for root" not in ran.output
    assert b"inside\n" not in ran.output.replace(b"closed/inside", b"")
    assert secret.read_text() == "for root only\n"


@pytest.mark.parametrize("path", ["/etc/shadow", "/root/.ssh", "/proc/1/environ", "/proc/kcore"])
def test_secrets_of_the_system(unprivileged_backend: Backend, path: str) -> None:
    if path == "/proc/1/environ" and unprivileged_backend.name in VIEWS:
        pytest.skip("process 1 is the sandbox's own")
    ran = unprivileged_backend.run(
        f"head -c 1 {path} >/dev/null 2>&1 || ls {path}/ >/dev/null 2>&1 || echo closed"
    )
    assert ran.output == b"closed\n"


def test_the_host_can_not_be_seen(view: Backend, open_folder: Path, tmp_path: Path) -> None:
    (open_folder / "file").touch()
    ran = view.run(f"ls -d {open_folder} {tmp_path} /home/* /root /sys /mnt /srv /tests /workspace 2>/dev/null")
    assert ran.output == b""
    assert view.run("ls -A /tmp /run /var/tmp").output.split() == [b"/run:", b"/tmp:", b"/var/tmp:"]


def test_the_system_is_read_only(view: Backend) -> None:
    ran = view.run(
        "for path in /usr/x /opt/x /usr/bin/env /bin/sh /etc/passwd /etc/hosts; do"
        " { echo x > $path; } 2>/dev/null && echo $path; { mv $path /tmp/x; } 2>/dev/null && echo $path; done;"
        "mount -o remount,rw /usr 2>/dev/null && echo remounted; true",
        user=0,
    )
    assert ran.output == b""


def test_nothing_outside_the_mounts_outlives_the_sandbox(view: Backend) -> None:
    folders = ("", "/etc", "/tmp", "/run", "/var/tmp", "/dev/shm")
    left = " ".join(f"{folder}/left-{os.getpid()}" for folder in folders)
    view.run(f"for path in {left}; do echo left > $path; done")
    assert view.run(f"cat {left} 2>/dev/null").output == b""
    assert not any(os.path.exists(path) for path in left.split())


def test_only_its_own_processes(backend: Backend) -> None:
    if not backend.sandbox.isolation.pid_namespace:
        pytest.skip("there is no process namespace")
    ran = backend.run("for p in /proc/[0-9]*; do echo ${p#/proc/}; done; cat /proc/[0-9]*/cmdline | tr '\\0' ' '")
    numbers = [int(word) for word in ran.output.split() if word.isdigit()]
    assert 1 in numbers
    assert len(numbers) <= 8
    assert str(os.getpid()).encode() not in ran.output.split()
    assert b"pytest" not in ran.output


def test_other_processes_can_not_be_touched(unprivileged_backend: Backend) -> None:
    ran = unprivileged_backend.run(
        f"kill -0 {os.getpid()} 2>/dev/null && echo touched; cat /proc/{os.getpid()}/environ 2>/dev/null | wc -c"
    )
    assert ran.output == b"0\n"


def test_no_new_privileges(view: Backend) -> None:
    ran = view.run("grep NoNewPrivs /proc/self/status; grep CapEff /proc/self/status")
    assert ran.output.split() == [b"NoNewPrivs:", b"1", b"CapEff:", b"0000000000000000"]


def test_the_users_environment_does_not_reach_what_runs_as_root(process: Backend, open_folder: Path) -> None:
    """The loader obeys variables such as LD_PRELOAD: a task's environment must only meet the task's own user."""
    if process.sandbox.owner is None:
        pytest.skip("nothing runs as root")
    env = {"PATH": "/usr/bin:/bin", "LD_DEBUG": "libs", "LD_DEBUG_OUTPUT": str(open_folder / "loader")}
    process.run("true", env=env)
    assert os.listdir(open_folder) == []


@pytest.mark.parametrize("name", [*VIEWS, "process"])
def test_what_is_recorded_is_what_was_found(name: str) -> None:
    backend = working(name)
    if isinstance(backend, str):
        pytest.skip(backend)
    isolation = backend.sandbox.isolation
    assert isolation.backend == name
    seen = backend.run("id -un; ls /proc/1/root >/dev/null 2>&1 && echo own || echo foreign").output.split()
    assert (seen[0].decode() == isolation.user) or os.geteuid() != 0
    assert (seen[1] == b"own") is isolation.pid_namespace
