"""What a command in a sandbox gets, and what is told of its end. In every backend."""

import os
import signal
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assay.adapters.sandbox.run_child import OutputTail, Start
from assay.core.errors import MeasurementError
from assay.engine.sandbox import CommandLimits, Mount, SandboxCommand
from assay.evidence.coding_run import Printed, ProcessEnd
from tests.builders import within
from tests.sandbox.backends import PATH, VIEWS, Backend, eventually, need, no_plain_processes, processes_with
from tests.tasks import script

# What a shell sets by itself.
BY_THE_SHELL = {"PWD", "OLDPWD", "SHLVL", "_"}
# And what a sandbox has to: a container engine, and plain processes, which have no temporary folder of their own.
BY_THE_SANDBOX = {
    "bubblewrap": set[str](),
    "namespaces": set[str](),
    "container": {"HOME", "HOSTNAME", "TERM", "PATH", "container"},
    "process": {"HOME", "TMPDIR"},
}


@pytest.mark.parametrize("code", [0, 1, 7, 126, 127])
def test_exit_codes(backend: Backend, code: int) -> None:
    assert backend.run(f"exit {code}").end == ProcessEnd(exit_code=code)


@pytest.mark.parametrize("name", ["KILL", "TERM", "SEGV"])
def test_signals(backend: Backend, name: str) -> None:
    end = backend.run(f"kill -{name} $$").end
    number = signal.Signals[f"SIG{name}"].value
    assert (end.exit_code, end.signal, end.timed_out) == (128 + number, number, False)


def test_a_command_that_is_not_there(backend: Backend) -> None:
    ran = backend.run("/there/is/no/such/program")
    assert ran.end.exit_code == 127


def test_standard_input(backend: Backend) -> None:
    text = bytes(range(256)) * 1000
    ran = backend.run("wc -c; cat; echo end", stdin=text)
    assert ran.output.split() == [b"256000", b"end"]
    assert backend.run("cat").output == b""


def test_output_and_errors_are_kept_together(backend: Backend) -> None:
    said = backend.run("echo one; echo two >&2; echo three").output
    # An engine carries the two streams out of a container on ways of their own.
    assert sorted(said.splitlines()) == [b"one", b"three", b"two"]
    assert backend.name == "container" or said == b"one\ntwo\nthree\n"


def test_both_streams_are_kept_apart_where_that_is_asked_for(backend: Backend) -> None:
    said = backend.run("printf 'a\\377'; sleep 0.2; echo two >&2; sleep 0.2; echo three", apart=True)
    assert said.apart == (Printed(b"a\xffthree\n"), Printed(b"two\n"))
    assert said.output == b"a\xfftwo\nthree\n"
    assert backend.run("echo one; echo two >&2").apart == ()


def test_each_stream_has_a_tail_of_its_own(backend: Backend) -> None:
    limits = CommandLimits(timeout_sec=20, output_bytes=100)
    noise = "i=0; while [ $i -lt 20000 ]; do echo 0123456789; i=$((i+1)); done"
    said = backend.run(f"echo why >&2; {noise}; echo last", limits=limits, apart=True)
    output, errors = said.apart
    assert (output.data[-5:], output.cut, len(output.data)) == (b"last\n", True, 100)
    assert errors == Printed(b"why\n")
    assert (said.output_cut, len(said.output)) == (True, 100)


def test_the_environment_is_what_was_given(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_OF_THE_HOST", "x")
    given = {"PATH": PATH, "PLAIN": "a b  c", "LINES": "one\ntwo", "EMPTY": "", "SIGNS": "$(id) `id` \"'\\"}
    ran = backend.run("cat /proc/self/environ", env=given)
    found = dict(pair.split("=", 1) for pair in ran.output.decode().split("\0") if pair)
    added = found.keys() - given.keys()
    assert {name: found.get(name) for name in given} == given
    assert added <= BY_THE_SHELL | BY_THE_SANDBOX[backend.name]


def test_the_environment_may_be_empty(backend: Backend) -> None:
    ran = backend.run("cat /proc/self/environ", env={})
    names = {pair.partition("=")[0] for pair in ran.output.decode().split("\0") if pair}
    assert names <= BY_THE_SHELL | BY_THE_SANDBOX[backend.name]


def test_values_of_the_environment_are_not_shown_to_the_whole_machine(backend: Backend) -> None:
    """They may be keys. Everybody on a machine can read the command lines of everybody's processes."""
    secret = uuid.uuid4().hex
    seen: list[int] = []

    def watch() -> None:
        until = time.monotonic() + 1.5
        while time.monotonic() < until and not seen:
            seen.extend(processes_with(secret))

    watcher = threading.Thread(target=watch)
    watcher.start()
    backend.run("sleep 1", env={"PATH": PATH, "API_KEY": secret})
    watcher.join()
    assert seen == []


def test_no_descriptor_of_assay_is_inherited(backend: Backend) -> None:
    with open(os.devnull) as mine:
        os.set_inheritable(mine.fileno(), True)
        ran = backend.run("for fd in /proc/self/fd/*; do echo ${fd##*/}; done")
    # The shell itself has the folder open while it looks.
    held = {b"900"} if backend.name == "process" else set()
    assert set(ran.output.split()) <= {b"0", b"1", b"2", b"3"} | held


def test_mounts_and_the_working_folder(backend: Backend, open_folder: Path) -> None:
    read, write = open_folder / "read", open_folder / "write"
    read.mkdir(mode=0o755)
    write.mkdir()
    write.chmod(0o777)
    (read / "given").write_text("given\n")
    ran = backend.run(
        "cat /tests/given; echo made > made; { echo x > /tests/new; } 2>/dev/null || echo refused",
        mounts=(Mount(str(read), "/tests"), Mount(str(write), "/workspace", writable=True)),
        workdir="/workspace",
    )
    assert ran.output == b"given\nrefused\n"
    assert (write / "made").read_text() == "made\n"
    assert os.listdir(read) == ["given"]


def test_harbors_absolute_paths(backend: Backend, open_folder: Path) -> None:
    targets = ("/workspace", "/tests", "/solution", "/logs/agent", "/logs/verifier", "/logs/artifacts")
    mounts = []
    for number, target in enumerate(targets):
        folder = open_folder / str(number)
        folder.mkdir(mode=0o755)
        (folder / "name").write_text(f"{target}\n")
        mounts.append(Mount(str(folder), target))
    ran = backend.run("cat " + " ".join(f"{target}/name" for target in targets), mounts=tuple(mounts))
    assert ran.output.decode().split() == list(targets)
    with no_plain_processes():
        assert not any(os.path.lexists(target) for target in (*targets, "/logs"))


def test_only_the_tail_of_a_flood_is_kept(backend: Backend) -> None:
    limits = CommandLimits(timeout_sec=30, output_bytes=1000)
    ran = backend.run("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done; echo last", limits=limits)
    assert ran.end == ProcessEnd(exit_code=0)
    assert ran.output_cut
    assert len(ran.output) == 1000
    assert ran.output.endswith(b"line 19999\nlast\n")


def test_what_fits_is_kept_whole(backend: Backend) -> None:
    ran = backend.run("printf 12345", limits=CommandLimits(timeout_sec=20, output_bytes=5))
    assert (ran.output, ran.output_cut) == (b"12345", False)


@pytest.mark.parametrize(
    ("chunks", "kept", "cut"),
    [
        ([], b"", False),
        ([b"abcd"], b"abcd", False),
        ([b"abcde"], b"bcde", True),
        ([b"ab", b"cd"], b"abcd", False),
        ([b"ab", b"cd", b"e"], b"bcde", True),
        ([b"a", b"bcde"], b"bcde", True),
        ([b"abc", b"", b"d"], b"abcd", False),
    ],
)
def test_the_tail(chunks: list[bytes], kept: bytes, cut: bool) -> None:
    tail = OutputTail(4)
    for chunk in chunks:
        tail.add(chunk)
    assert tail.printed() == Printed(kept, cut)


def test_time_is_measured_from_outside(backend: Backend) -> None:
    before = datetime.now(UTC)
    ran = backend.run("sleep 0.3")
    after = datetime.now(UTC)
    assert before <= ran.started_at <= ran.finished_at <= after
    assert ran.finished_at - ran.started_at >= timedelta(seconds=0.3)


def test_a_command_that_closes_its_output_early_is_waited_for(backend: Backend, open_folder: Path) -> None:
    open_folder.chmod(0o777)
    ran = backend.run(
        "echo said; exec >&- 2>&-; sleep 0.5; echo done > /workspace/sign; exit 5",
        mounts=(Mount(str(open_folder), "/workspace", writable=True),),
    )
    assert (ran.end, ran.output) == (ProcessEnd(exit_code=5), b"said\n")
    assert (open_folder / "sign").exists()


def test_input_that_nobody_reads(backend: Backend) -> None:
    with within(60):
        assert backend.run("echo not reading", stdin=b"x" * 20_000_000).output == b"not reading\n"
        assert backend.run("exec <&-; sleep 0.2; exit 3", stdin=b"x" * 20_000_000).end.exit_code == 3


def test_another_user_in_the_sandbox(backend: Backend) -> None:
    if backend.name == "process":
        pytest.skip("without a namespace, a command has the one user that the sandbox has")
    assert backend.run("id -u", user=1234).output == b"1234\n"
    assert backend.run("id -u", user=0).output == b"0\n"


def test_root_by_name(view: Backend) -> None:
    assert view.run("id -u", user="root").output == b"0\n"


@pytest.mark.parametrize("name", [*VIEWS, "process"])
@pytest.mark.parametrize(
    ("argv", "workdir"),
    [
        (("/no/such/program",), "/"),
        (("no-such-program",), "/"),
        (("/workspace/no-such-interpreter",), "/"),
        (("/bin/true",), "/no/such/folder"),
    ],
)
def test_a_command_that_can_not_be_started_is_a_broken_measurement(
    name: str, argv: tuple[str, ...], workdir: str, open_folder: Path
) -> None:
    """It would look like one that ran and failed."""
    script(open_folder / "no-such-interpreter", "true", "/no/such/interpreter")
    mounts = (Mount(str(open_folder), "/workspace"),)
    command = SandboxCommand(argv, workdir, CommandLimits(timeout_sec=60), mounts, env={"PATH": "/usr/bin:/bin"})
    with pytest.raises(MeasurementError, match="sandbox couldn't start the command: "):
        need(name).sandbox.run(command)


@pytest.mark.parametrize("name", [*VIEWS, "process"])
def test_programs_are_found_and_scripts_need_not_say_what_runs_them(name: str, open_folder: Path) -> None:
    (open_folder / "plain").write_text('echo "plain $1 in $PWD"\n')
    (open_folder / "plain").chmod(0o755)
    for argv in (("/workspace/plain", "x"), ("plain", "x")):
        ran = need(name).sandbox.run(
            SandboxCommand(
                argv,
                "/workspace",
                CommandLimits(timeout_sec=60),
                (Mount(str(open_folder), "/workspace"),),
                env={"PATH": "/usr/bin:/workspace:/bin"},
            )
        )
        assert (ran.end.exit_code, ran.output) == (0, b"plain x in /workspace\n")


def test_a_clock_that_is_set_back_does_not_shorten_a_run() -> None:
    start = Start(datetime(2030, 1, 1, tzinfo=UTC), time.monotonic() - 2)
    assert start.now - start.at >= timedelta(seconds=2)


def test_the_folders_on_the_way_to_a_path_are_removed_again(process: Backend, open_folder: Path) -> None:
    top = f"/assay-test-{os.getpid()}"
    ran = process.run("pwd", mounts=(Mount(str(open_folder), f"{top}/deep/er"),), workdir=f"{top}/deep/er")
    assert ran.output == f"{top}/deep/er\n".encode()
    # The last of the commands that run side by side removes the links of all.
    with no_plain_processes():
        assert not os.path.lexists(top)


@pytest.mark.parametrize(("home", "stays"), [("/workspace", True), ("/workspace/me", True), ("/tmp", False)])
def test_a_home_that_everybody_has_is_replaced_where_there_are_no_namespaces(
    process: Backend, open_folder: Path, home: str, stays: bool
) -> None:
    mounts = (Mount(str(open_folder), "/workspace", writable=True),)
    ran = process.run("echo $HOME", mounts=mounts, env={"PATH": PATH, "HOME": home})
    assert (ran.output == f"{home}\n".encode()) is stays


def test_plain_processes_run_side_by_side(process: Backend, open_folder: Path) -> None:
    """Each finds its own files at the same path, and those of others nowhere."""
    names = [str(number) for number in range(4)]
    for name in names:
        (open_folder / name).mkdir()
        (open_folder / name / "mine").write_text(name)
        (open_folder / name).chmod(0o777)
    met = threading.Barrier(len(names) + 1, timeout=60)

    def run(name: str) -> bytes:
        mounts = (Mount(str(open_folder / name), "/workspace", writable=True),)
        # None of them ends before all have begun.
        wait = f"touch /workspace/began; while [ ! -e {open_folder}/go ]; do sleep 0.05; done"
        ran = process.run(f"{wait}; cat /workspace/mine; python3 -c '{SPAWN}'", mounts=mounts, timeout_sec=60)
        met.wait()
        return ran.output

    with ThreadPoolExecutor(len(names)) as pool:
        running = [pool.submit(run, name) for name in names]
        assert eventually(lambda: all((open_folder / name / "began").exists() for name in names))
        (open_folder / "go").touch()
        met.wait()
        assert [one.result() for one in running] == [f"{name}{name}".encode() for name in names]
    with no_plain_processes():
        assert not os.path.lexists("/workspace")


# A program that closes every descriptor it doesn't know, in every way, before it starts another one.
SPAWN = (
    "import ctypes, os, subprocess; os.closerange(3, 9999); ctypes.CDLL(None).close_range(3, 9999, 0); "
    'os.set_inheritable(900, False); subprocess.run(["cat", "/workspace/mine"])'
)


def test_a_held_descriptor_can_not_be_replaced(process: Backend, open_folder: Path) -> None:
    (open_folder / "mine").write_text("mine")
    swap = "import os\ntry: os.dup2(os.open('/', 0), 900)\nexcept OSError as error: print(error.strerror)"
    mounts = (Mount(str(open_folder), "/workspace"),)
    ran = process.run(f'python3 -c "{swap}"; cat /workspace/mine', mounts=mounts)
    assert ran.output == b"Bad file descriptor\nmine"
