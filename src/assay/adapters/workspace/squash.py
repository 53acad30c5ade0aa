"""The git repository that an agent gets: one commit, without a history that could hold the solution."""

import os
from collections.abc import Iterable

from assay.adapters.trees import clear_the_way, remove_tree
from assay.adapters.workspace.git import git
from assay.adapters.workspace.walk import walk_workspace

_WHO = ("-c", "user.name=Assay", "-c", "user.email=assay@localhost", "-c", "commit.gpgSign=false")
_WHEN = {"GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z", "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z"}
_PLAIN = ("-c", "core.autocrlf=false", "-c", "core.logAllRefUpdates=false", "-c", "gc.auto=0")
# The files were written as they are in the repository. An agent whose git converts them would change a file by
# putting it back.
_AS_THEY_ARE = "* -text !filter !ident !working-tree-encoding\n"


def squash(folder: str, tracked: Iterable[str] = ()) -> None:
    """Commit a workspace. ``tracked`` has paths that belong to the commit though an ignore file names them.

    Repositories of the setup's own, further down, stay what they are, outside of the commit.
    """
    clear_the_way(f"{folder}/.git")
    git(["init", "-q", "--template=", "-b", "main", folder])
    _take_files_as_they_are(folder)
    nested = [f":(exclude,literal){path}" for path in walk_workspace(folder).nested]
    git(["-C", folder, *_PLAIN, "add", "-A", "--", ".", *nested])
    _add_ignored(folder, tracked)
    git(
        ["-C", folder, *_WHO, *_PLAIN, "commit", "-q", "--allow-empty", "--no-verify", "-m", "Baseline"], env=_WHEN
    )
    remove_tree(f"{folder}/.git/logs")
    _forget_times(folder)


def _take_files_as_they_are(folder: str) -> None:
    os.makedirs(f"{folder}/.git/info", exist_ok=True)
    with open(f"{folder}/.git/info/attributes", "w", encoding="ascii") as file:
        file.write(_AS_THEY_ARE)


def _forget_times(folder: str) -> None:
    """An index knows when and where each file was written. Equal workspaces have equal ones without that."""
    os.unlink(f"{folder}/.git/index")
    git(["-C", folder, *_PLAIN, "read-tree", "HEAD"])


def _add_ignored(folder: str, paths: Iterable[str]) -> None:
    there = [os.fsencode(path) for path in paths if os.path.lexists(f"{folder}/{path}")]
    if there:
        literal = ["-C", folder, "--literal-pathspecs", *_PLAIN]
        git([*literal, "add", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"], b"\0".join(there))
