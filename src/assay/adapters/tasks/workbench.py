"""The folders of one trial while it runs: the agent's workspace, its logs, and those of the verifier.

They are in a temporary folder that the sandbox's user can enter. Tests and solutions are shared copies; the
workspace belongs to the sandbox's user.
"""

import json
import os
import posixpath
import shutil
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from assay.adapters.machine.safe_read import read_below
from assay.adapters.machine.scratch import scratch_folder
from assay.adapters.machine.tree_walk import walk
from assay.adapters.machine.trees import (
    clear_the_way,
    copy_tree,
    copy_whole,
    own_tree,
    pack_tree,
    real_folder,
    remove_tree,
    unpack_tree,
)
from assay.adapters.tasks.unsafe_entries import remove_strays, startup_files, without_those_of_images
from assay.adapters.workspace.shared_copies import SharedCopies, set_mode
from assay.core.errors import MeasurementError
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.run.trial_record import AGENT_LOGS
from assay.engine.sandbox import HOME, Mount, Sandbox
from assay.engine.tasks.task import LOGS, Copy, OwnEnvironment, TaskEnvironment, TaskStep
from assay.evidence.files import REWARD_LIMIT, Content, File, RewardFiles

OUTPUT_LIMIT = 64 * 2**20
DETAILS_LIMIT = 16 * 2**20
SCRIPT_LIMIT = 2**20
MOST_OF_LOGS_MB = 256
WORKSPACE = "/workspace"
ARCHIVE = "workspace.tar.gz"
PARTIAL_ARCHIVE = "workspace.partial.tar.gz"
MANIFEST, KEPT_BY_HARBOR = "manifest.json", "artifacts/logs/artifacts"
_LOGS = ("agent", "artifacts")


class Workbench:
    """One trial's folders, for one sandbox."""

    def __init__(self, environment: TaskEnvironment, copies: SharedCopies, sandbox: Sandbox) -> None:
        self._environment = environment
        self._kept = (*environment.kept, *environment.published)
        self._copies = copies
        self._sandbox = sandbox
        self._owner = sandbox.owner
        # Root of a container is root of the machine for many engines, and can leave setuid programs: nobody else
        # may enter. Other sandboxes have a user of their own, who has to.
        self._base = scratch_folder(0o700 if sandbox.images is not None else 0o711)
        self._root = f"{self._base}/root"
        self._real_root = f"{os.path.realpath(self._base)}/root"
        self.not_kept: list[str] = []
        self._logs_cut = False
        self._tests = ""
        self._given_tests: dict[str, tuple[int, int]] = {}
        self._given_startup: dict[str, tuple[int, int]] | None = None
        self._make_folders()

    def _make_folders(self) -> None:
        for name in ("root", *_LOGS):
            if os.path.lexists(f"{self._base}/{name}"):
                remove_tree(f"{self._base}/{name}")
            os.mkdir(f"{self._base}/{name}")
            os.chmod(f"{self._base}/{name}", 0o755)  # noqa: S103 - the sandbox's user has to enter it

    def seed(self) -> None:
        """Fill the workspace as the environment describes it. Raises ``MeasurementError`` if there is no image."""
        if self._environment.broken is not None:
            raise MeasurementError(self._environment.broken)
        self._make_places()
        if self._sandbox.images is not None and self._environment.image is not None:
            for path in dict.fromkeys((self._environment.workdir, *self._kept)):
                self._sandbox.images.copy_out(self._environment.image, path, self._host(path))
        for copy in self._environment.copies:
            self._copy(copy)
        if self._environment.archive is not None:
            unpack_tree(self._environment.archive, self.workdir())
        for folder in self._environment.around.linked:
            from assay.adapters.workspace.commands import link_folder  # noqa: PLC0415 - few tasks have such folders

            link_folder(self.workdir(), folder)
        if self._environment.around.home is not None:
            os.mkdir(f"{self._base}/home")
            unpack_tree(self._environment.around.home, f"{self._base}/home")
            own_tree(f"{self._base}/home", self._owner)
        self._hand_over()
        if self._environment.kept:
            self._given_startup = startup_files(self._root, self._environment.kept)

    def workdir(self) -> str:
        """The folder of the host that the working folder is, whatever an agent put in its place."""
        self._reopen()
        return self._host(self._environment.workdir)

    def restore(self, folder: str) -> None:
        """Put back the workspace, the logs and the artifacts that a run kept in its folder."""
        if not os.path.isfile(f"{folder}/{ARCHIVE}"):
            raise FileNotFoundError(f"{folder}/{ARCHIVE} doesn't exist")
        self._make_folders()
        unpack_tree(f"{folder}/{ARCHIVE}", self._root)
        added = {f"{folder}/agent/{name}" for name in AGENT_LOGS} | set(_added_artifacts(folder))
        for name, kept in (*((name, name) for name in _LOGS), ("artifacts", KEPT_BY_HARBOR)):
            if os.path.isdir(f"{folder}/{kept}"):
                copy_tree(f"{folder}/{kept}", f"{self._base}/{name}", without=added - {f"{folder}/{kept}"})
        self._make_places()
        self._hand_over()

    def write_instruction(self, text: str) -> None:
        """Write the instruction to a file among the agent's logs."""
        path = f"{self._base}/agent/instruction.md"
        clear_the_way(path)
        Path(path).write_text(text)
        own_tree(f"{self._base}/agent", self._owner)

    def add_to_workdir(self, folder: str) -> None:
        """Add the files of a step to the working folder."""
        target = self._host(self._environment.workdir)
        real_folder(self._root, self._environment.workdir)
        copy_whole(folder, target)
        own_tree(target, self._owner)

    def agent_mounts(self, solution: str | None) -> list[Mount]:
        mounts = [*self._workspace_mounts(), Mount(f"{self._base}/agent", "/logs/agent", writable=True)]
        mounts.append(Mount(f"{self._base}/artifacts", "/logs/artifacts", writable=True))
        mounts += self._environment.around.mounts
        if self._environment.around.home is not None:
            mounts.append(Mount(f"{self._base}/home", HOME, writable=True))
        return mounts + ([Mount(self._copies.copy(solution), "/solution")] if solution is not None else [])

    def remove_strays(self) -> list[str]:
        return remove_strays(self._root, self._environment.places)

    def startup_files(self) -> list[str]:
        """Those that aren't as they were seeded. A bench that was restored knows only what no image has."""
        if not self._environment.kept:
            return []
        found = startup_files(self._root, self._environment.kept)
        if self._given_startup is None:
            return without_those_of_images(found)
        return sorted(path for path, when in found.items() if self._given_startup.get(path) != when)

    def verifier_mounts(self, step: TaskStep) -> list[Mount]:
        """An empty folder for the verifier's artifacts, and the tests, which the agent could not see.

        Many verifiers write beside their tests, so they get a copy of their own that nobody sees again.
        """
        self._reopen()
        folder = self._make_empty_folder("verifier")
        logs = [
            Mount(folder, "/logs/verifier", writable=True),
            Mount(f"{self._base}/agent", "/logs/agent"),
            Mount(f"{self._base}/artifacts", "/logs/artifacts"),
        ]
        own = None if step.own is None else step.own.environment
        if step.own is not None and own is not None and own.image is not None:
            # Such an image has the tests, and nothing may cover what it has.
            self._tests, self._given_tests = self._copies.copy(*step.tests), {}
            return [*self._published(step.own), *logs]
        work = [] if own is None else self._extra_workdir(own.workdir)
        tests = self._make_empty_folder("tests")
        self._tests = self._copies.copy(*step.tests)
        copy_whole(self._tests, tests)
        own_tree(tests, self._owner)
        self._given_tests = dict(_changed_at(tests))
        return [*self._workspace_mounts(), *work, Mount(tests, "/tests", writable=True), *logs]

    def _published(self, own: OwnEnvironment) -> Iterator[Mount]:
        """The artifacts of a verifier in an image of its own, or the folders where the image has nothing."""
        for path in own.shown:
            yield Mount(self._host(path), path, writable=True)
        for path in own.artifacts:
            root, below = self._locate_path(path)
            source = os.path.realpath(f"{root}/{below}")
            is_log = any(f"{path}/".startswith(f"{folder}/") for folder in LOGS)
            if not is_log and source.startswith(f"{os.path.realpath(root)}/") and os.path.exists(source):
                yield Mount(source, path, writable=True)

    def _extra_workdir(self, workdir: str) -> list[Mount]:
        """An empty folder for a verifier that works where the agent has no folder."""
        if any(f"{workdir}/".startswith(f"{place}/") for place in (*self._environment.places, "/tests")):
            real_folder(self._root, workdir)
            return []
        return [Mount(self._make_empty_folder("workdir"), workdir, writable=True)]

    def _make_empty_folder(self, name: str) -> str:
        folder = f"{self._base}/{name}"
        if os.path.lexists(folder):
            remove_tree(folder)
        os.mkdir(folder)
        own_tree(folder, self._owner)
        return folder

    def test_texts(self) -> Iterator[str]:
        for path, found in walk(self._tests):
            if stat.S_ISREG(found.st_mode) and found.st_size <= SCRIPT_LIMIT:
                yield Path(self._tests, path).read_text(errors="replace")

    def changed_tests(self) -> list[str]:
        now = dict(_changed_at(f"{self._base}/tests"))
        return sorted(path for path, when in self._given_tests.items() if now.get(path) != when)

    def watch_rewards(self) -> AbstractContextManager[Callable[[], list[str]]]:
        from assay.adapters.tasks.reward_watch import watch_rewards  # noqa: PLC0415 - only where a verifier runs

        return watch_rewards(f"{self._base}/tests", f"{self._base}/verifier")

    def rewards(self) -> RewardFiles:
        """Both files, also where only one counts: they may disagree."""
        return RewardFiles(
            json=self._artifact("reward.json", REWARD_LIMIT), text=self._artifact("reward.txt", REWARD_LIMIT)
        )

    def details(self) -> File:
        return self._artifact("details.json", DETAILS_LIMIT)

    def _artifact(self, name: str, limit: int) -> File:
        return replace(read_below(self._base, ("verifier", name), limit), path=f"/logs/verifier/{name}")

    def output(self, path: str) -> File:
        """The agent's output, read without following a link. It may be among the logs."""
        root, inside = self._locate_path(path)
        return replace(read_below(root, inside.split("/"), OUTPUT_LIMIT), path=path)

    def keep_agent(self, target: str, artifacts: Sequence[ArtifactConfig]) -> list[dict[str, str]]:
        """Keep the agent's logs and artifacts. Returns harbor's manifest of the artifacts."""
        # Artifacts are as much the agent's work as the workspace is.
        cut = [self._keep_log("agent", target, MOST_OF_LOGS_MB), self._keep_log("artifacts", target)]
        self._logs_cut = True in cut
        kept = [_entry("/logs/artifacts", "artifacts", "directory", "ok")]
        return kept + [self._keep_artifact(artifact, f"{target}/artifacts") for artifact in artifacts]

    def _keep_artifact(self, artifact: ArtifactConfig, target: str) -> dict[str, str]:
        """Copy a path of the workspace or the logs to the artifacts. A missing path is reported, not raised."""
        name = artifact.destination or posixpath.basename(artifact.source.rstrip("/"))
        root, below = self._locate_path(artifact.source)
        source = f"{root}/{below}"
        goal = os.path.normpath(os.path.join(target, name.lstrip("/")))
        inside = os.path.realpath(source).startswith(f"{os.path.realpath(root)}/")
        if not inside or not os.path.lexists(source) or not goal.startswith(f"{target}/"):
            return _entry(artifact.source, f"artifacts/{name}", "file", "missing")
        if os.path.isdir(source):
            copy_tree(source, goal, exclude=artifact.exclude)
            return _entry(artifact.source, f"artifacts/{name}", "directory", "ok")
        copy_tree(os.path.dirname(source), os.path.dirname(goal), only=os.path.basename(source))
        return _entry(artifact.source, f"artifacts/{name}", "file", "ok")

    def keep_verifier(self, target: str) -> None:
        self._keep_log("verifier", target, MOST_OF_LOGS_MB)

    def _keep_log(self, name: str, target: str, most_mb: int | None = None) -> bool:
        """Keep one of the folders below /logs. Returns whether it was too large, and notes that for the user."""
        kept = copy_tree(f"{self._base}/{name}", f"{target}/{name}", most_mb=most_mb)
        if kept.too_much:
            self.not_kept.append(kept.complaint(f"/logs/{name}"))
        return kept.too_much > 0

    def keep_workspace(self, target: str) -> str:
        """Pack the workspace, so that it can be graded again. Returns the archive, which is written atomically.

        If the workspace or the logs are too large, a part is kept for people to look at, under another name, so
        that it is never graded again: the verifier needs all of both.
        """
        # Without root, Assay can't read a folder that the agent closed. The verifier will see it open, too.
        self._reopen()
        part = f"{target}/{ARCHIVE}.part"
        kept = pack_tree(self._root, part, exact=True)
        if kept.too_much:
            self.not_kept.append(kept.complaint("the workspace"))
        archive = f"{target}/{PARTIAL_ARCHIVE if kept.too_much or self._logs_cut else ARCHIVE}"
        os.replace(part, archive)
        return archive

    def clear_agent(self) -> None:
        """Empty the logs for the next step."""
        for name in _LOGS:
            self._make_empty_folder(name)

    def close(self) -> None:
        remove_tree(self._base)

    def _workspace_mounts(self) -> list[Mount]:
        return [Mount(self._host(place), place, writable=True) for place in self._environment.places]

    def _make_places(self) -> None:
        """Make the working folder and /workspace. A place that is reached through a link is refused."""
        for path in (self._environment.workdir, WORKSPACE, *self._kept):
            real_folder(self._root, path)
        for place in self._environment.places:
            host = self._host(place)
            if os.path.lexists(host) and os.path.realpath(host) != f"{self._real_root}/{place[1:]}":
                raise MeasurementError(f"{place} was replaced by a link")

    def _reopen(self) -> None:
        """Restore a working folder that the agent closed, removed or replaced, so that the verifier can run."""
        self._make_places()
        for path in (self._environment.workdir, WORKSPACE):
            if self._owner is not None and path != "/":
                os.chown(self._host(path), *self._owner, follow_symlinks=False)

    def _locate_path(self, path: str) -> tuple[str, str]:
        """The host folder for an absolute path of the sandbox, and the path relative to it."""
        plain = posixpath.normpath(path)
        logged = any(plain.startswith(f"{folder}/") for folder in LOGS)
        return (self._base, plain.removeprefix("/logs/")) if logged else (self._root, plain.strip("/"))

    def _host(self, path: str) -> str:
        return f"{self._root}{posixpath.normpath(path)}"

    def _copy(self, copy: Copy) -> None:
        """Copy files into the workspace. Links stay links, as in an image, but later copies never follow them."""
        for source in copy.sources:
            target = self._host(copy.target)
            if os.path.isdir(source):
                real_folder(self._root, copy.target)
                copy_whole(source, target, without=copy.ignored)
            else:
                within = copy.target.endswith("/") or os.path.isdir(target)
                target = f"{target}/{os.path.basename(source)}" if within else target
                real_folder(self._root, posixpath.dirname(target.removeprefix(self._root)))
                clear_the_way(target)
                shutil.copy(source, target)
            if copy.mode is not None:
                _set_modes(source, target, copy.mode)

    def _hand_over(self) -> None:
        """Give the places and the logs to the sandbox's user; the folders around them keep their owner."""
        for path in (*map(self._host, self._environment.places), *(f"{self._base}/{name}" for name in _LOGS)):
            own_tree(path, self._owner)


def _set_modes(source: str, target: str, mode: int) -> None:
    """Set the mode of the copied files. Folders are skipped: root, for whom the mode was meant, can open them."""
    copied = [os.path.join(target, path) for path, _ in walk(source)] if os.path.isdir(source) else [target]
    for path in copied:
        if os.path.isfile(path):
            set_mode(path, mode)


def _changed_at(folder: str) -> Iterator[tuple[str, tuple[int, int]]]:
    """The size of each file, and when it last changed. Nobody but the system can set that time."""
    for path, found in walk(folder):
        if not stat.S_ISDIR(found.st_mode):
            yield path, (found.st_size, found.st_ctime_ns)


def _added_artifacts(folder: str) -> Iterator[str]:
    """The kept artifacts that were not there when the verifier ran, according to the manifest."""
    manifest = read_below(folder, ("artifacts", MANIFEST), DETAILS_LIMIT)
    yield f"{folder}/artifacts/{MANIFEST}"
    try:
        entries = json.loads(manifest.data) if isinstance(manifest, Content) else []
    except (ValueError, RecursionError):
        entries = []
    for entry in entries if isinstance(entries, list) else ():
        match entry:
            case {"source": source, "destination": str(name), "status": "ok"} if source != f"/logs/{name}":
                yield f"{folder}/{name}"


def _entry(source: str, destination: str, kind: str, status: str) -> dict[str, str]:
    return {"source": source, "destination": destination, "type": kind, "status": status}


class DiskWorkshop:
    """Makes benches in temporary folders. Close it when no trial is running any more."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._sandbox = sandbox
        self.copies = SharedCopies()

    def bench(self, environment: TaskEnvironment) -> Workbench:
        return Workbench(environment, self.copies, self._sandbox)

    def tests_checksum(self, step: TaskStep) -> str:
        return self.copies.checksum(*step.tests)

    def close(self) -> None:
        self.copies.close()

    def __enter__(self) -> "DiskWorkshop":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
