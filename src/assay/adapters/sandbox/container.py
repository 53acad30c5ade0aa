"""The container sandbox: Docker, or podman, which speaks the same command line.

A command's standard input comes from a file, because the real one is a lifeline: it closes when Assay is gone,
however that came about, and then everything in the container is killed.
"""

import json
import os
import shutil
import subprocess
import uuid
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from assay.adapters.sandbox.child import DEFAULT_PATH, Child, run_child
from assay.adapters.scratch import scratch_folder
from assay.core.errors import MeasurementError
from assay.engine.sandbox import Command, Isolation, Ran

ENGINES = ("docker", "podman")
BUILD_TIMEOUT_SEC = 3600

# Everything dies when the lifeline closes; and when this script, which is the container's init, ends. A shell
# gives its background jobs an empty input, so the lifeline is held on another descriptor.
_LIFELINE = (
    ": > /run/assay/started; exec 3<&0; { while read -r _; do :; done <&3; kill -KILL -1; } & "
    'exec 3<&-; "$@" </run/assay/stdin; exit $?'
)


class Container:
    """Runs commands in containers. Make it with ``probe``."""

    owner: tuple[int, int] | None = None

    def __init__(self, engine: str) -> None:
        self._engine = engine
        self.isolation = Isolation(
            backend=f"container ({os.path.basename(engine)})",
            pid_namespace=True,
            no_network=True,
            read_only_system=False,
            memory_limit="cgroup",
            process_limit="cgroup",
            cpu_limit="cgroup",
            user="root in the container",
        )

    def run(self, command: Command) -> Ran:
        if command.image is None:
            raise MeasurementError("a container needs an image, and the task has none")
        name = f"assay-{uuid.uuid4().hex[:12]}"
        folder = scratch_folder(0o777)
        try:
            Path(folder, "stdin").write_bytes(command.stdin)
            ran = run_child(
                Child(
                    argv=list(self._arguments(command, name, folder)),
                    stdin=b"",
                    hold_stdin=True,
                    timeout_sec=command.limits.timeout_sec,
                    output_bytes=command.limits.output_bytes,
                    env={"PATH": os.environ.get("PATH", DEFAULT_PATH), "HOME": os.environ.get("HOME", "/")},
                    kill=lambda _pid: self._kill(name),
                )
            )
            if not os.path.exists(f"{folder}/started") and not ran.end.timed_out:
                said = ran.output.decode(errors="replace").strip()[-500:]
                raise MeasurementError(f"the container could not start: {said}")
            return replace(ran, cpu_sec=None)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def build(self, folder: str, timeout_sec: float) -> str:
        """Build the image of a task's environment and return its id."""
        done = self._call("build", "--quiet", folder, timeout_sec=timeout_sec)
        return done.strip().splitlines()[-1]

    def copy_out(self, image: str, path: str, target: str) -> None:
        """Copy what an image has at ``path`` into a folder of the host; nothing if it has nothing there."""
        container = self._call("create", "--pull=never", image, "true").strip()
        try:
            subprocess.run(
                [self._engine, "cp", f"{container}:{path}/.", target],
                capture_output=True,
                check=False,
                timeout=600,
            )
        finally:
            self._call("rm", "--force", container)

    def workdir_of(self, image: str) -> str | None:
        """The working folder that an image declares."""
        found = json.loads(self._call("image", "inspect", image))
        return found[0].get("Config", {}).get("WorkingDir") or None

    def _arguments(self, command: Command, name: str, folder: str) -> Iterator[str]:
        limits = command.limits
        yield from (self._engine, "run", "--rm", "--interactive", "--name", name, "--pull=never")
        yield from ("--network", "bridge" if command.network else "none", "--pids-limit", str(limits.processes))
        yield from ("--security-opt", "no-new-privileges", "--workdir", command.workdir)
        yield from ("--ulimit", f"fsize={limits.file_mb * 2**20}", "--ulimit", "core=0")
        if limits.memory_mb is not None:
            yield from ("--memory", f"{limits.memory_mb}m", "--memory-swap", f"{limits.memory_mb}m")
        if limits.cpus is not None:
            yield from ("--cpus", str(limits.cpus))
        if command.user is not None:
            yield from ("--user", str(command.user))
        yield from ("--volume", f"{folder}:/run/assay:rw")
        for mount in command.mounts:
            yield from ("--volume", f"{mount.source}:{mount.target}:{'rw' if mount.writable else 'ro'}")
        for key, value in command.env.items():
            yield from ("--env", f"{key}={value}")
        yield from ("--entrypoint", "/bin/sh", command.image or "", "-c", _LIFELINE, "sh", *command.argv)

    def _kill(self, name: str) -> None:
        subprocess.run([self._engine, "kill", name], capture_output=True, check=False, timeout=60)

    def _call(self, *arguments: str, timeout_sec: float = 120) -> str:
        try:
            done = subprocess.run(
                [self._engine, *arguments], capture_output=True, text=True, check=False, timeout=timeout_sec
            )
        except subprocess.TimeoutExpired as error:
            raise MeasurementError(f"{self._engine} {arguments[0]} took longer than {timeout_sec:g} s") from error
        if done.returncode != 0:
            raise MeasurementError(f"{self._engine} {arguments[0]} failed: {done.stderr.strip()[-500:]}")
        return done.stdout


def probe() -> Container:
    """The sandbox with the first engine that answers. Raises ``MeasurementError`` that says why none does."""
    reasons: list[str] = []
    for name in ENGINES:
        engine = shutil.which(name)
        if engine is None:
            reasons.append(f"{name} is not installed")
            continue
        try:
            asked = subprocess.run([engine, "info"], capture_output=True, text=True, check=False, timeout=60)
        except (OSError, subprocess.TimeoutExpired) as error:
            reasons.append(f"{name} does not answer ({type(error).__name__})")
            continue
        if asked.returncode == 0:
            return Container(engine)
        said = (asked.stderr.strip().splitlines() or ["no answer"])[-1]
        reasons.append(f"{name} has no engine running ({said[:200]})")
    raise MeasurementError("; ".join(reasons))
