"""The page on what is caught of known attacks, from the corpus in tests/attacks/corpus.

The corpus says of every case who flags it, and the tests hold that to be true; so the page needs no measuring.
"""

from collections.abc import Iterator

from docs.fresh_section import fresh_section
from docs.markdown import from_docstring, table
from tests.attacks.corpus.cases import cases
from tests.attacks.corpus.table import declared, tables
from tests.attacks.effect_cheats import BY_SCORER, SEEN_BY_READING


def attack_table() -> Iterator[str]:
    yield "# Attacks: caught, missed and falsely flagged"
    yield from_docstring(_ABOUT)
    yield from fresh_section()
    yield from tables(declared(cases()))
    yield "## By effect"
    yield from_docstring(_EFFECTS)
    yield table(
        ("scorer", "cheats", "found", "not seen by reading"),
        (
            (f"`{scorer}`", str(len(cheats)), str(len(cheats)), str(len(cheats.keys() - SEEN_BY_READING)))
            for scorer, cheats in BY_SCORER.items()
        ),
    )


_EFFECTS = """
``tests/attacks/effect_cheats.py`` has cheats for the scorers that run tests, on two small projects in Python, and
``javascript_effect_cheats.py`` more on one in JavaScript. Each is found by its scorer; of the honest changes
beside them, none is flagged. Again, whoever wrote the scorers wrote the cheats. The last column counts those
that none of the scorers sees that only read.
"""

_ABOUT = """
``tests/attacks/corpus`` has small projects in eight languages, and for each what agents do to them: attacks, and
honest changes as controls. Each is written as two real folders and scored end to end by ``forbid_secrets``,
``no_new_skips``, ``assertions_not_weakened``, the three detectors, and by path scorers where the attack is about
paths. An attack counts as caught if any of them says FAIL. The numbers of the attacks are those of the list that
the corpus was written from; attacks on ``command``, on the capture and on rewards have tests of their own beside
it.

The cases were written to be found out or not, whichever it is. What is missed stays in the corpus with the reason,
and a test fails when it is suddenly caught, so that this page stays true. ``make attack-table`` scores everything
anew. That whoever wrote a detector also wrote attacks makes the share of what is caught look better than it will
be; [the history of other projects](honest-history.md), which nobody wrote for this, tells more about false alarms.
"""
