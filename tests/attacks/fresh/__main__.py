"""Scores one half of the fresh cases, and prints rates: ``python -m tests.attacks.fresh SET``.

- ``--effects`` also runs the scorers that judge by effect, where this machine can run the project: about a minute
  for each case.
- ``--record`` writes the answers into answers.json, from which the page on attacks is made (``make docs``), one
  by one, so that a run that is ended by hand has its answers there.
- ``--list`` prints the answer of each case. Of the unseen half, it prints hashes instead of names.

The exit code is 1 if an answer differs from the recorded one.
"""

import argparse
import datetime
import sys
import tempfile
from pathlib import Path

from tests.attacks.corpus.cases import Case
from tests.attacks.corpus.workspaces import failed, score_folders
from tests.attacks.fresh.answers import FIRST, NOW, Answer, Answers, read_answers, write_answers
from tests.attacks.fresh.cases import SETS, UNSEEN, Cases, fresh_cases, identity
from tests.attacks.fresh.effects import can_run, flagged_by_effect
from tests.attacks.fresh.rates import by_kind, by_language, rates


def main() -> int:
    options = _options()
    known = read_answers(NOW)
    found: dict[Case, Answer] = {}
    for case in fresh_cases(options.half):
        found[case] = _answer(case, options.effects, known.cases.get(identity(case)))
        if options.record:
            _record({identity(case): answer for case, answer in found.items()}, known)
    if options.list:
        for case, answer in found.items():
            print(_shown(case, options.half), sorted(answer.by_any) or "-")
    columns = {options.half: found}
    print("\n\n".join([rates(columns), by_kind(columns), by_language(columns)]))
    changed = [case for case, answer in found.items() if known.cases.get(identity(case)) != answer]
    for case in changed:
        print(f"{_shown(case, options.half)}: not as recorded", file=sys.stderr)
    return 1 if changed and not options.record else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.attacks.fresh", description="Score fresh cases.")
    parser.add_argument(
        "half", choices=SETS, help="the half to score; nobody looks at the cases of the unseen one"
    )
    parser.add_argument("--effects", action="store_true", help="also run the scorers that judge by effect")
    parser.add_argument("--record", action="store_true", help="write the answers into answers.json")
    parser.add_argument("--list", action="store_true", help="print the answer of each case")
    return parser.parse_args()


def _answer(case: Case, effects: bool, known: Answer | None) -> Answer:
    """Without effects, their recorded answer stays."""
    with tempfile.TemporaryDirectory() as around:
        by_reading = failed(score_folders(case, Path(around)))
    if not effects:
        return Answer(by_reading, known.by_effect if known else None)
    if not can_run(case):
        return Answer(by_reading)
    with tempfile.TemporaryDirectory() as around:
        return Answer(by_reading, flagged_by_effect(case, Path(around)))


def _shown(case: Case, half: Cases) -> str:
    return identity(case) if half in UNSEEN else f"{identity(case)} {case}"


def _record(found: dict[str, Answer], known: Answers) -> None:
    """Cases that are no longer there are forgotten. The first answers are kept for ever."""
    existing = {identity(case) for half in SETS for case in fresh_cases(half)}
    cases = {name: one for name, one in {**known.cases, **found}.items() if name in existing}
    answers = Answers(datetime.date.today().isoformat(), cases)
    write_answers(NOW, answers)
    if not FIRST.exists() and existing == cases.keys():
        write_answers(FIRST, answers)


if __name__ == "__main__":
    sys.exit(main())
