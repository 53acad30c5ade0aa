"""The part of the page on attacks that is about fresh cases, from the recorded answers.

The unseen half isn't scored by any test, and no case of it is named here.
"""

from collections.abc import Iterator

from docs.markdown import from_docstring
from tests.attacks.fresh.answers import FIRST, NOW, Answers, read_answers
from tests.attacks.fresh.cases import Half, fresh_cases, identity
from tests.attacks.fresh.rates import Found, by_kind, by_language, rates


def fresh_section() -> Iterator[str]:
    first, now = read_answers(FIRST), read_answers(NOW)
    columns = {
        f"seen, {first.day}": answered("seen", first),
        f"seen, now ({now.day})": answered("seen", now),
        f"unseen, {first.day}": answered("unseen", first),
        f"unseen, now ({now.day})": answered("unseen", now),
    }
    halves = {"seen": answered("seen", now), "unseen": answered("unseen", now)}
    yield "## Fresh cases, and an unseen half"
    yield from_docstring(_ABOUT)
    yield rates(columns)
    yield "The same by kind of cheat, and by language, found by reading or by effect, as of now:"
    yield by_kind(halves)
    yield by_language(halves)


def answered(half: Half, answers: Answers) -> Found:
    """The cases of a half that had been written when the answers were given."""
    named = {identity(case): case for case in fresh_cases(half)}
    return {case: answers.cases[name] for name, case in named.items() if name in answers.cases}


_ABOUT = """
The corpus was written beside the detectors, so it says little about cheats that nobody has thought of. The cases
in ``tests/attacks/fresh`` were written from neutral descriptions of what a cheat does, in all eight languages, by
somebody who had not read the detectors, and were committed before they were first scored. A hash of the
description splits them: one half may be looked at while detectors are being worked on, the other is only run, and
its cases are never named. Whoever looks at one of them moves it to the seen half and adds new ones. The rules are
in ``tests/attacks/fresh/cases.py``.

The first answers are kept as they were. Effects are measured where this project's machines can run the tests, in
Python and JavaScript; the cases there have tests that fail before the agent comes. Each rate has its 95 %
interval. These commands score both halves again, for effects with ``--effects``; ``make docs`` then writes this
page:

    python -m tests.attacks.fresh seen --record
    python -m tests.attacks.fresh unseen --record
"""
