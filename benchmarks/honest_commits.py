"""How often do the scorers that only read flag the commits of other projects?

    python -m benchmarks.honest_commits FOLDER FINDINGS [--commits N] [--after M] [--minutes M]
    python -m benchmarks.honest_summary FINDINGS [--before FINDINGS]

``FOLDER`` has git repositories, with or without a work tree. Of each, the newest commits that change tests are
scored against the commit before, as if an agent had made them; merges and changes of more than 60 files are left
out, and with ``--after`` so many of the newest ones, too. ``FINDINGS`` gets a line of JSON for each commit, with
what each scorer said. Commits that it has already are not scored again, so a run that was ended by ``--minutes``
or by hand goes on where it was. The repositories take turns, so that each is there in a run that was ended.
``benchmarks.honest_summary`` makes tables of it.

Nothing is downloaded and nothing of the repositories is run. It isn't part of ``make bench``.
"""

import argparse
import io
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError
from assay.scorers import RowVerdict, score_against

SCORERS = (
    "no_new_skips",
    "assertions_not_weakened",
    "protected_config",
    "runner_tampering",
    "suspicious_source",
    "forbid_secrets",
)
LANGUAGES = {
    "py": "Python", "js": "JavaScript", "mjs": "JavaScript", "cjs": "JavaScript", "jsx": "JavaScript",
    "ts": "TypeScript", "tsx": "TypeScript", "mts": "TypeScript", "go": "Go", "rb": "Ruby", "java": "Java",
    "cs": "C#", "rs": "Rust", "kt": "Kotlin", "php": "PHP", "swift": "Swift",
}  # fmt: skip
TEST = re.compile(
    r"(^|/)(tests?|specs?|__tests__|[\w.-]*Tests?)/|_test\.|\.(test|spec)\.|_spec\.|(^|/)test_|Tests?\.\w+$"
)
MOST_FILES = 60
Record = Mapping[str, Any]


@dataclass(frozen=True)
class Commit:
    """A commit of one parent that changes tests."""

    repository: Path
    commit: str
    parent: str
    language: str
    tests: tuple[str, ...]


def main() -> int:
    options = _options()
    _measure(Path(options.folder), Path(options.findings), options)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.honest_commits", description=_first_line(__doc__))
    parser.add_argument("folder", help="a folder with git repositories")
    parser.add_argument("findings", help="the file with a line of JSON for each commit")
    parser.add_argument("--commits", type=int, default=30, help="how many commits of each repository")
    parser.add_argument("--after", type=int, default=0, help="how many of its newest commits are left out")
    parser.add_argument(
        "--minutes", type=float, default=30, help="after so many minutes, no further commit is begun"
    )
    options = parser.parse_args()
    if not Path(options.folder).is_dir():
        parser.error(f"FOLDER must be a folder with git repositories, got {options.folder}")
    return options


def _first_line(text: str | None) -> str:
    return (text or "").partition("\n")[0]


def _measure(folder: Path, findings: Path, options: argparse.Namespace) -> None:
    known = {(one["repository"], one["commit"]) for one in read_findings(findings)}
    wanted = options.after + options.commits
    each = [list(commits(path, wanted))[options.after :] for path in sorted(folder.iterdir())]
    chosen = [one for turn in zip_longest(*each) for one in turn if one is not None]
    new = [one for one in chosen if (one.repository.name, one.commit) not in known]
    deadline = time.monotonic() + 60 * options.minutes
    with findings.open("a", encoding="utf-8") as file:
        for commit in new:
            if time.monotonic() > deadline:
                print(f"stopped after {options.minutes} minutes; run it again to go on", file=sys.stderr)
                return
            file.write(json.dumps(scored(commit)) + "\n")
            file.flush()


def commits(repository: Path, most: int) -> Iterator[Commit]:
    """The newest commits of the main line of work that change tests, newest first."""
    listed = _git(repository, "log", "--no-merges", "--name-only", "--no-renames", "--format=%x00%H %P")
    found = 0
    for entry in listed.split("\0")[1:]:
        head, *paths = [line for line in entry.splitlines() if line]
        commit, *parents = head.split()
        tests = tuple(path for path in paths if TEST.search(path) and _language(path))
        if tests and len(parents) == 1 and len(paths) <= MOST_FILES:
            language = Counter(map(_language, tests)).most_common(1)[0][0]
            yield Commit(repository, commit, parents[0], language, tests)
            found += 1
        if found == most:
            return


def _language(path: str) -> str:
    return LANGUAGES.get(path.rpartition(".")[2], "")


def scored(commit: Commit) -> Record:
    """What each scorer says of a commit. A commit that can't be scored has the error instead."""
    about = {
        "repository": commit.repository.name,
        "commit": commit.commit,
        "language": commit.language,
        "tests": list(commit.tests),
    }
    begun = time.process_time()
    said: dict[str, Any] = {}
    try:
        said["scorers"] = _said(commit)
    except AssayError as error:
        said["error"] = str(error)
    return {**about, **said, "cpu_s": round(time.process_time() - begun, 3)}


def _said(commit: Commit) -> dict[str, dict[str, Any]]:
    rows = [{"name": kind, "type": kind} for kind in SCORERS]
    with tempfile.TemporaryDirectory() as scratch:
        scenario = Path(scratch) / "scenario.json"
        scenario.write_text(json.dumps({"workspace_seed": {"type": "empty"}, "scorers": rows}))
        sides = [Path(scratch) / "before", Path(scratch) / "after"]
        for side, revision in zip(sides, (commit.parent, commit.commit), strict=True):
            _check_out(commit.repository, revision, side)
        report = score_against(sides[1], scenario, sides[0])
    return {
        row.name: {
            "verdict": row.verdict.value,
            "detail": row.detail,
            "findings": list(row.evidence.get("findings") or ()),
        }
        for row in report.scorers
        if row.verdict is not RowVerdict.PASS
    }


def _check_out(repository: Path, revision: str, folder: Path) -> None:
    """Write the files of a revision. Files that a partial copy of the repository has not are left out."""
    listed = _git(repository, "ls-tree", "-rz", revision).split("\0")[:-1]
    entries = [line.partition("\t") for line in listed if line.startswith("100")]
    names = "".join(f"{head.split()[2]}\n" for head, _, _ in entries).encode()
    batch = ["git", "-C", os.fspath(repository), "cat-file", "--batch"]
    blobs = io.BytesIO(subprocess.run(batch, input=names, check=True, capture_output=True).stdout)
    for _, _, path in entries:
        header = blobs.readline().split()
        if header[-1] != b"missing":
            place = folder / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(blobs.read(int(header[-1])))
            blobs.read(1)


def _git(repository: Path, *arguments: str) -> str:
    command = ["git", "-C", os.fspath(repository), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True, errors="replace").stdout


def read_findings(findings: Path) -> list[Record]:
    if not findings.exists():
        return []
    return [json.loads(line) for line in findings.read_text(encoding="utf-8").splitlines()]


if __name__ == "__main__":
    sys.exit(main())
