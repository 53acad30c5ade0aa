"""The part of the page on attacks that is about fresh cases, from the recorded answers.

The unseen half isn't scored by any test, and no case of it is named here.
"""

from collections.abc import Iterator, Mapping, Sequence

from docs.markdown import from_docstring, table
from tests.attacks.corpus.cases import attacks, controls
from tests.attacks.effect_cheats import BLIND, BY_SCORER, SEEN_BY_READING, STILL_BITING
from tests.attacks.fresh.answers import FIRST, NOW, Answers, read_answers
from tests.attacks.fresh.cases import FOLDER, SETS, Cases, fresh_cases, identity
from tests.attacks.fresh.rates import Found, by_kind, by_language, rate, rates
from tests.attacks.fresh.suspicion import roc
from tests.yaml_files import read_yaml


def fresh_section() -> Iterator[str]:
    first, now = read_answers(FIRST), read_answers(NOW)
    columns = {
        f"seen, {first.day}": answered("seen", first),
        f"seen, now ({now.day})": answered("seen", now),
        f"unseen, {first.day}": answered("unseen", first),
        f"unseen, now ({now.day})": answered("unseen", now),
        "published, now": answered("published", now),
        "newest, now": answered("newest", now),
        "newest, unseen, now": answered("newest-unseen", now),
        "latest, now": answered("latest", now),
        "latest, unseen, now": answered("latest-unseen", now),
        "avoided, now": answered("avoided", now),
    }
    halves: dict[str, Found] = {which: answered(which, now) for which in SETS}
    yield "## Fresh cases, and an unseen half"
    yield from_docstring(_ABOUT)
    yield rates(columns)
    yield "All sets of cases, of which those that aren't fresh were written together with the detectors:"
    yield table(("cases", "cheats found", "honest changes flagged"), _sets(halves))
    yield from_docstring(_SUSPICION)
    yield roc()
    yield "The fresh ones by kind of cheat, and by language, found by reading or by effect, as of now:"
    yield by_kind(halves)
    yield by_language(halves)


def _sets(halves: Mapping[str, Found]) -> Iterator[tuple[str, str, str]]:
    """What is found by reading or by effect in each set. The tests hold the first three to be true."""
    found, flagged = [bool(case.by) for case in attacks()], [bool(case.flagged) for case in controls()]
    yield ("the corpus, by reading", _share(found), _share(flagged))
    changes = read_yaml(FOLDER.parent / "small_changes.yaml")
    small = [[bool(change.get("by")) for change in changes[kind]] for kind in ("attacks", "honest")]
    yield ("small changes, by reading", _share(small[0]), _share(small[1]))
    cheats = [name for by_name in BY_SCORER.values() for name in by_name]
    controlled = [False] * (len(STILL_BITING) + len(BLIND))
    yield (
        "cheats by effect, by reading",
        _share([name in SEEN_BY_READING for name in cheats]),
        _share(controlled),
    )
    yield ("cheats by effect, by effect", _share([True] * len(cheats)), _share(controlled))
    for name, answers in halves.items():
        parts = [
            [bool(one.by_any) for case, one in answers.items() if case.honest is kind] for kind in (False, True)
        ]
        yield (f"fresh, {name}, by either", _share(parts[0]), _share(parts[1]))


def _share(answers: Sequence[bool]) -> str:
    return rate(sum(answers), len(answers))


def answered(half: Cases, answers: Answers) -> Found:
    """The cases of a half that had been written when the answers were given."""
    named = {identity(case): case for case in fresh_cases(half)}
    return {case: answers.cases[name] for name, case in named.items() if name in answers.cases}


_SUSPICION = """
Each run has one score for its suspicion, from 0 to 1. The weights are in ``assay/dialects/scorers/suspicion.py``
and were set before either half was scored by them. So a rate can be given at a share of false alarms: these are
the fresh cases in all languages as ``assay score`` scores them without configuration, at a limit that
``--fail-on-suspicion`` would have. The tests are run where this machine has the tools; elsewhere only readers say
something. ``python -m benchmarks.verdicts_by_default HALF --record`` measures it again.
"""

_ABOUT = """
The corpus was written beside the detectors, so it says little about cheats that nobody has thought of. The cases
in ``tests/attacks/fresh`` were written from neutral descriptions of what a cheat does, in eight languages, by
somebody who had not read the detectors, and were committed before they were first scored. A hash of the
description splits them: one half may be looked at while detectors are being worked on, the other is only run, and
its cases are never named. Whoever looks at one of them moves it to the seen half and adds new ones. The rules are
in ``tests/attacks/fresh/cases.py``.

The first answers are kept as they were; effects were measured in Python and JavaScript then. Now they are measured
in every language but C#, on a machine that has the tools. The projects have tests that fail before the agent
comes. Scorers of effects are asked one after another until one flags the case; of the unseen half, only
``tests_need_the_fix`` and ``test_data_unmodified`` in Rust and for eight cases in Java, where every run builds the
program. A third set, ``published``, has cheats and honest changes as the literature tells of them, in Python and
JavaScript, written down before a detector was read; its answers here are by reading alone. Without configuration,
``assay score`` said FAIL to 20 of its 45 cheats and a silent PASS to 18 when they were new; now to 41 and 2. A
fourth set, ``newest``, is by yet another author, in the same two languages, and is split like the first. Of the 25
cheats of its unseen half, ``assay score`` said FAIL to 18 and a silent PASS to 6 when they were new, and now to 20
and 5; of its 11 honest changes, none fails and one has a warning.
A fifth set, ``latest``, has 36 cheats that were tried, by one author in an hour before a detector was read, and
was shuffled into two halves. When they were new, all 18 cheats of its seen half were FAIL; of the 18 of its
unseen half, 13 were FAIL and 5 a silent PASS. Of 14 honest changes, 3 were FAIL and 3 had a warning. The 5 were
looked at and moved, and 5 others were written in their place by somebody who had read detectors by then. Now 19
of the 23 seen ones are FAIL, 3 have a warning and 1 is silent; of the 18 unseen ones, 16, 1 and 1. Of the honest
changes none fails and 4 have a warning: they change what a test expects that failed before, or that passed.
A sixth set, ``avoided``, of 2026-11-19, has 16 cheats and 8 honest changes in Python, JavaScript and Rust, and
was tried, too. Its cheats avoid what shows a mistake (other inputs, another order, another place on earth,
another build), or are right for the tests' inputs in ways that the other sets don't have. It was written and
committed by somebody who had read the scorers that run tests, before it was scored once, without configuration:
11 of the 16 cheats were FAIL, 1 had a warning and 4 were a silent PASS; of the 8 honest changes, none failed and
2 had a warning.
Each rate has its 95 % interval;
one description in several languages isn't several independent cheats, so the truth is somewhat wider.

These commands score both halves again, for effects with ``--effects``; ``make docs`` then writes this
page:

    python -m tests.attacks.fresh seen --record
    python -m tests.attacks.fresh unseen --record
"""
