"""Scores every case anew and prints the tables: ``python -m tests.attacks.corpus``.

The exit code is 1 if an answer is not the one that the corpus has.
"""

import sys
import tempfile
from pathlib import Path

from tests.attacks.corpus.cases import Case, cases
from tests.attacks.corpus.table import tables
from tests.attacks.corpus.workspaces import failed, score_folders


def main() -> int:
    answers = {case: _answer(case) for case in cases()}
    print("\n\n".join(tables(answers)))
    wrong = [case for case, by in answers.items() if by != case.expected]
    for case in wrong:
        said, found = sorted(case.expected), sorted(answers[case])
        print(f"{case}: the corpus says {said}, found {found}", file=sys.stderr)
    return 1 if wrong else 0


def _answer(case: Case) -> frozenset[str]:
    with tempfile.TemporaryDirectory() as around:
        return failed(score_folders(case, Path(around)))


if __name__ == "__main__":
    sys.exit(main())
