"""The folders of one trial while it runs: the agent's workspace, its logs, and the verifier's own.

They lie in a temporary folder that the sandbox's user can enter. Tests and solutions are
shared copies; the workspace belongs to the sandbox's user.
"""

import json
import os
import posixpath
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from assay.adapters.reward_files import read_reward_files
from assay.adapters.safe_read import read_below
from assay.adapters.scratch import scratch_folder
from assay.adapters.shared_copies import SharedCopies, set_mode
from assay.adapters.trees import (
    MAX_BYTES,
    MAX_FILES,
    clear_the_way,
    copy_tree,
    copy_whole,
    own_tree,
    pack_tree,
    real_folder,
    remove_tree,
    unpack_tree,
    walk,
)
from assay.core.errors import MeasurementError
from assay.dialects.harbor.task_config import ArtifactConfig
from assay.engine.job_ports import AGENT_LOG, ORACLE_LOG
from assay.engine.sandbox import Mount, Sandbox
from assay.engine.task import LOGS, Copy, Environment, Step
from assay.evidence.files import Content, File, RewardFiles

OUTPUT_LIMIT = 64 * 2**20
DETAILS_LIMIT = 16 * 2**20
WORKSPACE = "/workspace"
ARCHIVE = "workspace.tar.gz"
PARTIAL_ARCHIVE = "workspace.partial.tar.gz"
MANIFEST = "manifest.json"
_LOGS = ("agent", "artifacts")


class Workbench:
    """One trial's folders, for one sandbox."""

    def __init__(self, environment: Environment, copies: SharedCopies, sandbox: Sandbox) -> None:
        self._environment = environment
        self._copies = copies
        self._sandbox = sandbox
        self._owner = sandbox.owner
        self._base = scratch_folder(0o711)
        self._root = f"{self._base}/root"
        self.not_kept: list[str] = []
        self._logs_cut = False
        for name in ("root", *_LOGS):
            os.mkdir(f"{self._base}/{name}")
            os.chmod(f"{self._base}/{name}", 0o755)  # noqa: S103 - the sandbox's user has to enter it

    def seed(self) -> None:
        """The workspace as the environment describes it."""
        self._make_places()
        if self._sandbox.images is not None and self._environment.image is not None:
            workdir = self._environment.workdir
            self._sandbox.images.copy_out(self._environment.image, workdir, self._host(workdir))
        for copy in self._environment.copies:
            self._copy(copy)
        self._hand_over()

    def restore(self, folder: str) -> None:
        """The workspace, the logs and the artifacts as an earlier run left them in its folder."""
        unpack_tree(f"{folder}/{ARCHIVE}", self._root)
        added = {f"{folder}/agent/{name}" for name in (ORACLE_LOG, AGENT_LOG)} | set(_added_artifacts(folder))
        for name in _LOGS:
            if os.path.isdir(f"{folder}/{name}"):
                copy_tree(f"{folder}/{name}", f"{self._base}/{name}", without=added)
        self._make_places()
        self._hand_over()

    def write_instruction(self, text: str) -> None:
        """The instruction as a file among the agent's logs."""
        path = f"{self._base}/agent/instruction.md"
        clear_the_way(path)
        Path(path).write_text(text)
        own_tree(f"{self._base}/agent", self._owner)

    def add_to_workdir(self, folder: str) -> None:
        """The files that a step brings along."""
        target = self._host(self._environment.workdir)
        real_folder(self._root, self._environment.workdir)
        copy_whole(folder, target)
        own_tree(target, self._owner)

    def agent_mounts(self, solution: str | None) -> list[Mount]:
        mounts = [*self._workspace_mounts(), Mount(f"{self._base}/agent", "/logs/agent", writable=True)]
        mounts.append(Mount(f"{self._base}/artifacts", "/logs/artifacts", writable=True))
        return mounts + ([Mount(self._copies.copy(solution), "/solution")] if solution is not None else [])

    def verifier_mounts(self, step: Step) -> list[Mount]:
        """Fresh: an empty folder for the verifier's artifacts, and the tests, which nobody saw before."""
        self._reopen()
        folder = f"{self._base}/verifier"
        if os.path.lexists(folder):
            remove_tree(folder)
        os.mkdir(folder)
        own_tree(folder, self._owner)
        return [
            *self._workspace_mounts(),
            Mount(self._copies.copy(*step.tests), "/tests"),
            Mount(folder, "/logs/verifier", writable=True),
            Mount(f"{self._base}/agent", "/logs/agent"),
            Mount(f"{self._base}/artifacts", "/logs/artifacts"),
        ]

    def rewards(self) -> RewardFiles:
        found = read_reward_files(self._base, ("verifier",))
        return RewardFiles(
            json=replace(found.json, path="/logs/verifier/reward.json"),
            text=replace(found.text, path="/logs/verifier/reward.txt"),
        )

    def details(self) -> File:
        found = read_below(self._base, ("verifier", "details.json"), DETAILS_LIMIT)
        return replace(found, path="/logs/verifier/details.json")

    def output(self, path: str) -> File:
        """The agent's output, reached without following a link. It may lie among the logs."""
        root, inside = self._located(path)
        return replace(read_below(root, inside.split("/"), OUTPUT_LIMIT), path=path)

    def keep_agent(self, target: str, artifacts: Sequence[ArtifactConfig]) -> list[dict[str, str]]:
        """What the agent logged, and its artifacts. Returns what harbor writes into the manifest."""
        cut = [self._keep_log(name, target) for name in _LOGS]
        self._logs_cut = True in cut
        kept = [_entry("/logs/artifacts", "artifacts", "directory", "ok")]
        return kept + [self._keep_artifact(one, f"{target}/artifacts") for one in artifacts]

    def _keep_artifact(self, artifact: ArtifactConfig, target: str) -> dict[str, str]:
        """A path of the workspace or of the logs among the artifacts. A missing one is reported, not raised."""
        name = artifact.destination or posixpath.basename(artifact.source.rstrip("/"))
        root, below = self._located(artifact.source)
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
        self._keep_log("verifier", target)

    def _keep_log(self, name: str, target: str) -> bool:
        """One of the folders below /logs. Whether the caps cut something off, which is remembered, to be said."""
        kept = copy_tree(f"{self._base}/{name}", f"{target}/{name}")
        if kept.too_much:
            most = f"{MAX_FILES} files or {MAX_BYTES // 2**30} GiB"
            self.not_kept.append(f"/logs/{name} holds more than {most}: {kept.too_much} of its files are not kept")
        return kept.too_much > 0

    def keep_workspace(self, target: str) -> str:
        """The workspace, so that it can be graded again. Written whole or not at all. Returns the archive.

        One that is too large is kept in part, for people to look at, under a name that nobody grades again from.
        So is one beside logs that are: the verifier sees those, too.
        """
        # Who is not root sees nothing in a folder that the agent closed, and the verifier will see it open.
        self._reopen()
        part = f"{target}/{ARCHIVE}.part"
        kept = pack_tree(self._root, part)
        archive = f"{target}/{PARTIAL_ARCHIVE if kept.too_much or self._logs_cut else ARCHIVE}"
        os.replace(part, archive)
        return archive

    def clear_agent(self) -> None:
        """Empty logs for the next step."""
        for name in _LOGS:
            remove_tree(f"{self._base}/{name}")
            os.mkdir(f"{self._base}/{name}")
            own_tree(f"{self._base}/{name}", self._owner)

    def close(self) -> None:
        remove_tree(self._base)

    def _workspace_mounts(self) -> list[Mount]:
        return [Mount(self._host(place), place, writable=True) for place in self._environment.places]

    def _make_places(self) -> None:
        """The working folder and /workspace. A place that is reached through a link is not the agent's to have."""
        for path in (self._environment.workdir, WORKSPACE):
            real_folder(self._root, path)
        for place in self._environment.places:
            host = self._host(place)
            if os.path.lexists(host) and os.path.realpath(host) != os.path.join(
                os.path.realpath(self._root), place[1:]
            ):
                raise MeasurementError(f"{place} was replaced by a link")

    def _reopen(self) -> None:
        """An agent that closed, removed or replaced the working folder has not broken the measurement by that."""
        self._make_places()
        for path in (self._environment.workdir, WORKSPACE):
            if self._owner is not None and path != "/":
                os.chown(self._host(path), *self._owner, follow_symlinks=False)

    def _located(self, path: str) -> tuple[str, str]:
        """The folder of ours that an absolute path of the sandbox lies in, and the way from there."""
        plain = posixpath.normpath(path)
        logged = any(plain.startswith(f"{folder}/") for folder in LOGS)
        root, inside = (self._base, plain.removeprefix("/logs")) if logged else (self._root, plain)
        return root, inside.strip("/")

    def _host(self, path: str) -> str:
        return f"{self._root}{posixpath.normpath(path)}"

    def _copy(self, copy: Copy) -> None:
        """Links of a folder stay links, as in an image; what is copied after them never goes through one."""
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
        """The places and the logs go to the sandbox's user; the folders that they lie in stay ours."""
        for path in (*map(self._host, self._environment.places), *(f"{self._base}/{name}" for name in _LOGS)):
            own_tree(path, self._owner)


def _set_modes(source: str, target: str, mode: int) -> None:
    """Of the files that were copied. To root, for whom the mode was meant, folders are open in any case."""
    copied = [os.path.join(target, path) for path, _ in walk(source)] if os.path.isdir(source) else [target]
    for path in copied:
        if os.path.isfile(path):
            set_mode(path, mode)


def _added_artifacts(folder: str) -> Iterator[str]:
    """What lies among the kept artifacts and was not there when the verifier ran: the manifest says."""
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
