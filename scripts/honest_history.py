"""How often do the scorers flag changes that nobody made to fool them?

    python scripts/honest_history.py [--own] [--tests VENV] [--releases FOLDER] [--pairs N] [PACKAGE ...]

``--own`` scores each commit of this repository against the one before it. For each package, the sources of its
last releases are downloaded into ``--releases`` with pip, and each is scored against the one before it. The
scorers are those that need no configuration. Prints Markdown for docs/evidence/honest-history.md, and the
findings to standard error. It needs a package index, so no test runs it.

``--tests`` runs the tests, too, in a virtual environment with all that they need: each pair becomes a repository,
in which the later release is scored as ``assay score`` does without any configuration.
"""

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from assay.scorers import RowVerdict, score_against

ROOT = Path(__file__).resolve().parents[1]
SCORERS = (
    "forbid_secrets",
    "no_new_skips",
    "assertions_not_weakened",
    "protected_config",
    "runner_tampering",
    "suspicious_source",
)
PACKAGES = (
    "attrs", "click", "flask", "requests", "itsdangerous", "packaging", "pluggy", "werkzeug", "jinja2", "httpx",
)  # fmt: skip


@dataclass(frozen=True)
class Pair:
    """Two states of one project, the later with what honest people changed."""

    project: str
    label: str
    before: str
    after: str


def main() -> int:
    options = _options()
    with tempfile.TemporaryDirectory() as scratch:
        pairs = list(own_commits(Path(scratch))) if options.own else []
        for package in options.packages if options.pairs else ():
            pairs += releases(package, Path(options.releases), options.pairs)
        if options.tests:
            by_default(pairs, Path(scratch), options.tests)
        else:
            _print({pair: flagged(pair, Path(scratch)) for pair in pairs})
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="How often do the scorers flag honest changes?")
    parser.add_argument("--own", action="store_true", help="score this repository's own commits")
    parser.add_argument("--tests", metavar="VENV", help="run the tests with this virtual environment")
    parser.add_argument("--releases", default="releases", help="where the sources of releases lie or are put")
    parser.add_argument(
        "--pairs", type=int, default=5, help="how many pairs of releases of each package; 0 for none"
    )
    parser.add_argument("packages", nargs="*", default=PACKAGES)
    return parser.parse_args()


def own_commits(scratch: Path) -> Iterator[Pair]:
    """Each commit as an archive, against its parent."""
    listed = _output("git", "-C", str(ROOT), "log", "--first-parent", "--reverse", "--format=%H").split()
    for parent, commit in pairwise(listed):
        archive = scratch / f"{commit}.tar"
        _output("git", "-C", str(ROOT), "archive", "-o", str(archive), commit)
        yield Pair("this project", commit[:8], f"{ROOT}@{parent}", str(archive))


def releases(package: str, folder: Path, pairs: int) -> Iterator[Pair]:
    """The last releases of a package, oldest first, each against the one before."""
    found = [(version, _source(package, version, folder)) for version in _versions(package, pairs + 1)]
    unpacked = [(version, source) for version, source in found if source is not None]
    for (old, before), (new, after) in pairwise(unpacked):
        yield Pair(package, f"{old} to {new}", str(before), str(after))


def _versions(package: str, count: int) -> list[str]:
    said = _output(sys.executable, "-m", "pip", "index", "versions", package)
    line = re.search(r"Available versions: (.*)", said)
    return list(reversed(line[1].split(", ")[:count] if line else []))


def _source(package: str, version: str, folder: Path) -> Path | None:
    """The unpacked source of a release; None where there is none that pip can get."""
    place = folder / f"{package}-{version}"
    if not place.exists():
        download = [sys.executable, "-m", "pip", "download", "-q", "--no-binary", ":all:", "--no-deps"]
        done = subprocess.run([*download, "-d", str(folder), f"{package}=={version}"], check=False)
        archives = [
            path for path in folder.glob("*.tar.gz") if path.name.lower().startswith(f"{package}-{version}.")
        ]
        if done.returncode or not archives:
            return None
        with tarfile.open(archives[0]) as tar:
            tar.extractall(place, filter="data")
    # The folder inside is named after the version, which is no change of the project's.
    return next(place.iterdir())


def flagged(pair: Pair, scratch: Path) -> list[str]:
    """Who flags a pair. What they found goes to standard error."""
    scenario = scratch / "scenario.json"
    rows = [{"name": kind, "type": kind} for kind in SCORERS]
    scenario.write_text(json.dumps({"workspace_seed": {"type": "empty"}, "scorers": rows}))
    report = score_against(pair.after, scenario, pair.before)
    failed = [row for row in report.scorers if row.verdict is not RowVerdict.PASS]
    failed = [row for row in failed if row.verdict is not RowVerdict.NOT_APPLICABLE]
    for row in failed:
        print(f"{pair.project} {pair.label}: {row.name}: {row.detail}", file=sys.stderr)
        for finding in list(row.evidence.get("findings") or ())[:8]:
            print(f"    {finding}", file=sys.stderr)
    return [row.name for row in failed]


def by_default(pairs: Sequence[Pair], scratch: Path, venv: str) -> None:
    """How ``assay score`` ends for each pair, in a repository of its own."""
    counts: Counter[str] = Counter()
    scratch.chmod(0o755)
    for number, pair in enumerate(pairs):
        root = scratch / f"repository{number}"
        shutil.copytree(pair.before, root)
        for step in (("init", "-q", "-b", "main"), ("add", "-Af"), ("commit", "-qm", "Before")):
            _output("git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@localhost", *step)
        for old in [path for path in root.iterdir() if path.name != ".git"]:
            shutil.rmtree(old) if old.is_dir() else old.unlink()
        shutil.copytree(pair.after, root, dirs_exist_ok=True)
        word, why = _by_default(root, venv)
        counts[word] += 1
        print(f"{word}\t{pair.project} {pair.label}\t{why}", flush=True)
        shutil.rmtree(root)
    print(", ".join(f"{word} {count}" for word, count in sorted(counts.items())))


def _by_default(root: Path, venv: str) -> tuple[str, str]:
    """The verdict in one word, and what the required scorers say."""
    environment = {**os.environ, "VIRTUAL_ENV": venv}
    command = [str(Path(sys.executable).with_name("assay")), "score", "--json"]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    if not done.stdout:
        return "no answer", done.stderr.strip()[-200:]
    report = json.loads(done.stdout)
    said = [
        f"{row['name']} {row['verdict']}: {row['detail']}"
        for row in report["scorers"]
        if row["required"] and (row["verdict"] in ("FAIL", "ERROR") or row["type"] == "command")
    ]
    word = {0: "PASS", 1: "FAIL", 2: "N/A", 4: "ERROR"}[done.returncode]
    if word == "PASS" and report["overall"]["warnings"]:
        word = "PASS with warnings"
    return word, "; ".join(said)


def _print(answers: dict[Pair, list[str]]) -> None:
    print(f"Measured on {datetime.date.today().isoformat()}.\n")
    print(f"| project | changes | {' | '.join(f'`{kind}`' for kind in SCORERS)} |")
    print("|" + " --- |" * (len(SCORERS) + 2))
    for project in dict.fromkeys(pair.project for pair in answers):
        _line(project, {pair: kinds for pair, kinds in answers.items() if pair.project == project})
    _line("all", answers)
    for project in dict.fromkeys(pair.project for pair in answers):
        labels = [pair.label for pair in answers if pair.project == project]
        print(f"\n{project}: {', '.join(labels) if project != 'this project' else f'{labels[0]} to {labels[-1]}'}")


def _line(name: str, answers: dict[Pair, list[str]]) -> None:
    counted = Counter(kind for kinds in answers.values() for kind in kinds)
    print(f"| {name} | {len(answers)} | {' | '.join(str(counted[kind]) for kind in SCORERS)} |")


def _output(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


if __name__ == "__main__":
    sys.exit(main())
