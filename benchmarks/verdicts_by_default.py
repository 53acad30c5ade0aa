"""How does ``assay score`` without any configuration end on the fresh cases: FAIL, a warning, or a silent PASS?

    python -m benchmarks.verdicts_by_default [SET] [--languages python] [--options=--thorough]

Each case becomes a git repository in a temporary folder: the project on main, the case in the working tree. The
fresh cases are in ``tests/attacks/fresh``; of the unseen half, only counts are printed. It isn't part of
``make bench``: it runs the tests of each case several times. ``--record`` writes how suspicious the cases are,
from which the page on attacks has its ROC (``make docs``).
"""

import argparse
import contextlib
import io
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from assay.cli.main import main as assay
from tests.adapters.workspace.repositories import make_repository
from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import apply_edits
from tests.attacks.fresh.cases import SETS, UNSEEN, fresh_cases
from tests.attacks.fresh.suspicion import write_suspicion
from tests.small_venv import make_small_venv


def main() -> int:
    options = _options()
    languages = options.languages.split(",")
    cases = [
        case for case in fresh_cases(options.half) if case.language in languages and options.only in case.name
    ]
    counts: Counter[tuple[bool, str]] = Counter()
    suspicion: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        os.chmod(scratch, 0o755)  # noqa: S103 - the sandbox's user looks in
        os.environ["VIRTUAL_ENV"] = str(make_small_venv(Path(scratch) / "venv"))
        for number, case in enumerate(cases):
            begin = time.monotonic()
            word, why, suspect = _verdict(case, Path(scratch) / f"case{number}", options.options.split())
            suspicion[case.honest].append(suspect)
            counts[case.honest, word] += 1
            if options.half not in UNSEEN:
                kind = "honest" if case.honest else "cheat"
                print(f"{kind}  {word}  {time.monotonic() - begin:.1f} s  {case}  {why}", flush=True)
    for honest, called in ((False, "cheats"), (True, "honest changes")):
        total = sum(count for (is_honest, _), count in counts.items() if is_honest is honest)
        parts = sorted((word, count) for (is_honest, word), count in counts.items() if is_honest is honest)
        print(f"{called}: {total}; " + ", ".join(f"{word} {count}" for word, count in parts))
    if options.record:
        write_suspicion(options.half, suspicion[False], suspicion[True])
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.verdicts_by_default")
    parser.add_argument("half", nargs="?", choices=SETS, default="seen")
    parser.add_argument("--languages", default="python,javascript", help="separated by commas")
    parser.add_argument("--options", default="", help="further options of 'assay score'")
    parser.add_argument("--record", action="store_true", help="write the suspicion of all cases")
    parser.add_argument("--only", default="", help="a part of the names of the cases")
    parser.add_argument("--folder", default=None, help="where the repositories are made")
    return parser.parse_args()


def _verdict(case: Case, folder: Path, options: list[str]) -> tuple[str, str, float]:
    """The verdict in one word, which scorers say so, and the suspicion."""
    make_repository(folder, case.project)
    apply_edits(case, folder)
    os.chdir(folder)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        code = assay(["score", "--json", *options])
    if not printed.getvalue():
        return "no answer", f"exit code {code}", 0.0
    report: dict[str, Any] = json.loads(printed.getvalue())
    rows = [row for row in report["scorers"] if row["verdict"] in ("FAIL", "ERROR")]
    names = ", ".join(f"{row['name']} {row['verdict']}" for row in rows)
    warned = report["overall"]["warnings"] > 0
    word = {0: "warned" if warned else "silent PASS", 1: "FAIL", 2: "N/A"}.get(code, f"exit {code}")
    return word, names, report["suspicion"]["score"]


if __name__ == "__main__":
    sys.exit(main())
