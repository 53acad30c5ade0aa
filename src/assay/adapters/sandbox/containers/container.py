"""The container sandbox: Docker, or podman, which speaks the same command line.

The engine says whether a container started and how it ended: nothing that a command can write has any influence on
that. A container is created first and then started, so that removing it is final: it can't be started any more.

A container must not outlive Assay. Its standard input is a lifeline: it closes with Assay, and then a process
inside kills everything. A command can kill that process, so there is a watchdog outside, too. The command itself
reads its standard input from a file.

Give a container its environment: any value, hidden from others, and without effect on the engine's client.

Everybody can read a command line, and an engine's file of variables can't hold line breaks. So the values go
through the client's environment. There, a name such as PATH or DOCKER_HOST would change the client, so it gets a
stand-in, which the shell in the container renames. A name that no shell accepts, for instance one with a dot, is
passed on as it is; whether it gets through depends on the image's shell.
"""

import contextlib
import itertools
import json
import os
import re
import shutil
import signal
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.sandbox.containers.engine import REMOVE, ContainerState, Engine
from assay.adapters.sandbox.containers.images import build_image, label, new_name, other_images, own_image, sweep
from assay.adapters.sandbox.containers.ulimits import default_ulimits
from assay.adapters.sandbox.containers.watchdog_client import watchdog_of
from assay.adapters.sandbox.run_child import Child, run_child
from assay.core.errors import MeasurementError
from assay.engine.sandbox import IS_THERE, CommandLimits, Isolation, Ran, SandboxCommand
from assay.evidence.coding_run import ProcessEnd

ENGINES = ("docker", "podman")

# Everything dies when the lifeline closes; and when this script, which is the container's init, ends. A shell
# gives its background jobs an empty input, so the lifeline is held on another descriptor.
_LIFELINE = "exec 3<&0; { while read -r _; do :; done <&3; kill -KILL -1; } & exec 3<&-; "
_COMMAND = '(%sexec "$@" </run/assay/stdin); exit $?'
_FOR_SHELLS = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
# No "=", of course. A star would make podman pass on whatever Assay's own environment has.
_FOR_ENGINES = re.compile(r"[^\s=*\0]+")

# A shell doesn't let others set these. They mean nothing to a client.
_KEPT_BY_SHELLS = frozenset(
    {"BASHOPTS", "BASH_VERSINFO", "DIRSTACK", "EUID", "FUNCNAME", "GROUPS", "PPID", "SECONDS", "SHELLOPTS", "UID"}
)

# podman copies these from its own environment into every container.
_PROXIES = frozenset({"http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "no_proxy"})


@dataclass(frozen=True, slots=True)
class Handover:
    """``options`` are for the client, which has ``client_env``; ``script`` is for the shell in the container."""

    options: tuple[str, ...]
    client_env: Mapping[str, str]
    script: str


class Container:
    """Runs commands in containers. ``probe`` makes one. ``untried`` is the reason if no command was tried.

    ``ulimits`` are options that each container gets.
    """

    owner: tuple[int, int] | None = None

    def __init__(
        self, engine: str, untried: str = "", trial_image: str | None = None, ulimits: tuple[str, ...] = ()
    ) -> None:
        self.engine = Engine(engine)
        self._ulimits = ulimits
        self.untried = untried
        self.trial_image = trial_image
        self.images = self
        self.isolation = Isolation(
            backend=f"container ({self.engine.name})",
            pid_namespace=True,
            no_network=True,
            read_only_system=False,
            memory_limit="cgroup",
            process_limit="cgroup",
            cpu_limit="cgroup",
            user="root in the container",
        )

    def run(self, command: SandboxCommand) -> Ran:
        if command.image is None:
            raise MeasurementError("a container needs an image, but the task has none")
        handover = hand_over(command.env)
        with _standard_input(command.stdin) as folder, self._watched_name() as name:
            options = _options(command, folder, handover, self.engine.name)
            self._create(name, *self._ulimits, *options, env=handover.client_env)
            ran = run_child(
                Child(
                    argv=[self.engine.path, "start", "--attach", "--interactive", name],
                    stdin=b"",
                    # podman's monitor leaves a file "oom" where it was started.
                    cwd=folder,
                    hold_stdin=True,
                    timeout_sec=command.limits.timeout_sec,
                    output_bytes=command.limits.output_bytes,
                    env=os.environ,
                    kill=partial(self._stop, name),
                    written=command.written,
                    disk_mb=command.limits.disk_mb,
                    apart=command.apart,
                    first_process=partial(self.engine.first_process, name),
                )
            )
            return replace(ran, end=_end(ran, self._state(name, ran)), cpu_sec=None)

    def build(self, folder: str, timeout_sec: float, log: str | None = None) -> str:
        """Build the image of a task's environment, unless it was built before, and return its id."""
        return build_image(self.engine, folder, timeout_sec, log)

    def has(self, image: str, path: str) -> bool:
        """Whether an image has a file at a path, or a folder with something in it."""
        command = SandboxCommand((*IS_THERE, path), "/", CommandLimits(timeout_sec=60), image=image)
        return self.run(command).end.exit_code == 0

    def copy_out(self, image: str, path: str, target: str) -> None:
        """Copy the files that an image has at ``path`` into a folder of the host, if there are any."""
        with self._watched_name() as name:
            self._create(name, image, "true")
            with contextlib.suppress(MeasurementError):
                self.engine.call("cp", f"{name}:{path}/.", target, timeout_sec=600)

    def workdir_of(self, image: str) -> str | None:
        """The working folder that an image declares."""
        found = json.loads(self.engine.call("image", "inspect", image))
        return found[0].get("Config", {}).get("WorkingDir") or None

    @contextlib.contextmanager
    def own_network(self) -> Iterator[tuple[str, int]]:
        """A network with a loopback and nothing else, of a container that waits, and that one's first process."""
        with self._watched_name() as name:
            closed = ("--interactive", "--network", "none", *self._ulimits, "--entrypoint", "/bin/sh")
            self._create(name, *closed, self.trial_image or "", "-c", "read -r _")
            self.engine.call("start", name)
            process = self.engine.first_process(name)
            if process is None:
                raise MeasurementError(f"{self.engine.name} must run on this machine for a model")
            yield f"container:{name}", process

    @contextlib.contextmanager
    def _watched_name(self) -> Iterator[str]:
        """A name for a container, which is removed at the end. If that fails, the watchdog keeps trying."""
        watchdog, name = watchdog_of(self.engine.path), new_name()
        watchdog.begin(name)
        try:
            yield name
        finally:
            if self.engine.does(*REMOVE, name):
                watchdog.end(name)

    def _create(self, name: str, *options: str, env: Mapping[str, str] | None = None) -> None:
        self.engine.call("create", "--pull=never", "--name", name, "--label", label(), *options, env=env)

    def _stop(self, name: str, client: int) -> None:
        """End the wait; the container is removed right after it. One that hasn't started yet is removed first.

        A client must not be killed while it starts a container. And it can't be asked to end the container
        while nobody reads from it: a command that prints a lot would keep the engine waiting.
        """
        with contextlib.suppress(MeasurementError):
            if not self.engine.state(name).started:
                self.engine.does(*REMOVE, name)
        os.kill(client, signal.SIGKILL)

    def _state(self, name: str, ran: Ran) -> ContainerState:
        try:
            return self.engine.state(name)
        except MeasurementError as error:
            if ran.end.timed_out:
                raise MeasurementError(f"the container didn't start in time: {error}") from error
            raise


def probe() -> Container:
    """The sandbox with the first engine that works. Raises ``MeasurementError`` with the reasons if none does."""
    reasons: list[str] = []
    for name in ENGINES:
        try:
            return _probe(name)
        except MeasurementError as error:
            reasons.append(str(error))
    raise MeasurementError("; ".join(reasons))


def _probe(name: str) -> Container:
    path = shutil.which(name)
    if path is None:
        raise MeasurementError(f"{name} is not installed")
    engine = Engine(path)
    engine.greet()
    sweep(engine)
    return _try_out(engine)


def _try_out(engine: Engine) -> Container:
    """Run a command. The sandbox knows if none could be tried. Raises ``MeasurementError`` if it failed."""
    image = own_image(engine)
    if image is not None:
        try:
            return _try_image(engine, image)
        except MeasurementError as error:
            raise MeasurementError(f"{engine.name} answers, but can't run anything here: {error}") from error
    # A failure may be the engine's or the image's. A success is the engine's.
    reason = "there is no image to try it with"
    for image in other_images(engine):
        try:
            return _try_image(engine, image)
        except MeasurementError as error:
            reason = f"none of the images on this machine could be tried: {error}"
    return Container(engine.path, untried=reason)


def _try_image(engine: Engine, image: str) -> Container:
    """The sandbox, once it has run a command whose output depends on its input and its environment."""
    sandbox = Container(engine.path, trial_image=image, ulimits=default_ulimits(engine, image))
    ran = sandbox.run(
        SandboxCommand(
            argv=("/bin/sh", "-c", 'read -r word; echo "$word $ASSAY_TRIAL"'),
            workdir="/",
            limits=CommandLimits(timeout_sec=60),
            env={"ASSAY_TRIAL": "environment"},
            stdin=b"input\n",
            image=image,
        )
    )
    if (ran.end, ran.output) != (ProcessEnd(exit_code=0), b"input environment\n"):
        raise MeasurementError(
            f"a test command printed something unexpected: {ran.output.decode(errors='replace')[-300:]}"
        )
    return sandbox


def _options(command: SandboxCommand, folder: str, handover: Handover, engine: str) -> Iterator[str]:
    limits = command.limits
    # Docker knows no such option.
    plain = ",nosuid,nodev" if engine == "podman" else ""
    # Otherwise the engine would write everything that a command prints to the host's disk.
    yield from ("--interactive", "--stop-signal", "KILL", "--log-driver", "none")
    closed = command.network_of or "none"
    yield from ("--network", "bridge" if command.network else closed, "--pids-limit", str(limits.processes))
    yield from ("--security-opt", "no-new-privileges", "--workdir", command.workdir)
    yield from ("--ulimit", f"fsize={limits.file_mb * 2**20}", "--ulimit", "core=0")
    if limits.memory_mb is not None:
        yield from ("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m")
    if limits.cpus is not None:
        yield from ("--cpus", str(limits.cpus))
    if command.user is not None:
        yield from ("--user", str(command.user))
    yield from ("--volume", f"{folder}:/run/assay:ro{plain}")
    for mount in command.mounts:
        yield from ("--volume", f"{mount.source}:{mount.target}:{'rw' if mount.writable else 'ro'}{plain}")
    yield from handover.options
    script = _LIFELINE + _COMMAND % handover.script
    yield from ("--entrypoint", "/bin/sh", command.image or "", "-c", script, "sh", *command.argv)


@contextlib.contextmanager
def _standard_input(content: bytes) -> Iterator[str]:
    """A folder with the command's standard input, readable to any user."""
    with temporary_folder(0o700) as around:
        folder = f"{around}/input"
        os.mkdir(folder)
        os.chmod(folder, 0o755)  # noqa: S103 - nobody outside can enter the folder around it
        Path(folder, "stdin").write_bytes(content)
        os.chmod(f"{folder}/stdin", 0o644)
        yield folder


def _end(ran: Ran, state: ContainerState) -> ProcessEnd:
    """How the command ended, according to the engine. Raises ``MeasurementError`` if something else ended."""
    if not state.started:
        said = ran.output.decode(errors="replace").strip()[-500:]
        raise MeasurementError(f"the container couldn't start: {state.error or said}")
    if ran.end.timed_out or ran.end.excess:
        return ran.end
    if state.running or ran.end.exit_code is None:
        raise MeasurementError("the engine's client ended before the container did")
    end = ran.end if ran.end.exit_code == state.exit_code else ProcessEnd(exit_code=state.exit_code)
    return replace(end, out_of_memory=state.out_of_memory)


def hand_over(env: Mapping[str, str]) -> Handover:
    """How to pass these variables. Raises ``MeasurementError`` for one that can't be passed to an engine."""
    for name, value in env.items():
        _check(name, value)
    names = _given_names(env)
    own = {name: value for name, value in os.environ.items() if name.casefold() not in _PROXIES}
    return Handover(
        options=tuple(word for given in names.values() for word in ("--env", given)),
        client_env={**own, **{given: env[name] for name, given in names.items()}},
        script=_script((name, given) for name, given in names.items() if name != given),
    )


def _given_names(env: Mapping[str, str]) -> dict[str, str]:
    """By the name of each variable, the one under which it goes through the client."""
    stand_ins = (name for number in itertools.count() if (name := f"ASSAY_ENV_{number}") not in env)
    return {name: next(stand_ins) if _needs_stand_in(name) else name for name in env}


def _check(name: str, value: str) -> None:
    if not _FOR_ENGINES.fullmatch(name):
        raise MeasurementError(f"a container can't have a variable called {name!r}")
    try:
        f"{name}{value}".encode()
    except UnicodeEncodeError as error:
        raise MeasurementError(f"the value of {name} must be UTF-8 to be passed to a container") from error
    if "\0" in value:
        raise MeasurementError(f"the value of {name} must not have a zero byte")


def _needs_stand_in(name: str) -> bool:
    return _FOR_SHELLS.fullmatch(name) is not None and name not in _KEPT_BY_SHELLS


def _script(pairs: Iterable[tuple[str, str]]) -> str:
    return "".join(f'export {name}="${given}"; unset {given}; ' for name, given in pairs)
