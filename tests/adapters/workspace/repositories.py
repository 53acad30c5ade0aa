"""Real repositories, made with the git of this machine and nobody's configuration."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from tests.adapters.workspace.site import write_files

ENV = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.org",
    "PATH": os.environ["PATH"],
}


def run_git(folder: Path, *arguments: str, stdin: bytes = b"", check: bool = True) -> str:
    command = ["/usr/bin/git", "-C", str(folder), *arguments]
    ran = subprocess.run(command, input=stdin, env=ENV, capture_output=True, check=False)
    assert not check or ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode(errors="surrogateescape").strip()


def make_repository(folder: Path, *states: Mapping[str, str | bytes]) -> list[str]:
    """A repository with a commit for each state, each adding to the one before. Returns their names."""
    folder.mkdir(parents=True, exist_ok=True)
    run_git(folder, "init", "-q", "-b", "main")
    names: list[str] = []
    for files in states:
        write_files(folder, files)
        names.append(commit_all(folder))
    return names


def commit_all(folder: Path) -> str:
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "--allow-empty", "-m", "A change")
    return run_git(folder, "rev-parse", "HEAD")
