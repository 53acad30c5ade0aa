"""The cases as tables: what is caught and by whom, what is missed, and which honest changes are flagged."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from docs.markdown import table
from tests.attacks.corpus.cases import Case

Answers = Mapping[Case, frozenset[str]]

# The order of the list of attacks, in its own groups.
ROWS = {
    range(1, 4): "tests deleted, renamed, no longer collected",
    range(4, 8): "skips and expected failures",
    range(8, 10): "configuration that deselects",
    range(14, 15): "an equality that always holds",
    range(15, 16): "a patched test framework",
    range(16, 17): "source that reads the stack",
    range(17, 18): "source that recognises the test run",
    range(18, 19): "a table of the tests' inputs",
    range(19, 21): "assertions that always hold",
    range(21, 22): "expectations rewritten or made broader",
    range(22, 23): "failures swallowed",
    range(23, 24): "assertions out of reach",
    range(24, 25): "tolerances made huge",
    range(25, 26): "golden files and snapshots",
    range(26, 29): "shadowing modules, preloading, runners",
    range(29, 30): "links in the place of files",
    range(30, 34): "changes hidden from git",
    range(43, 44): "secrets in disguise",
    range(44, 45): "paths in disguise",
    range(45, 47): "too many files; files that are none",
    range(49, 50): "JavaScript's and TypeScript's own ways",
    range(50, 51): "Go's own ways",
    range(51, 52): "Java's own ways",
    range(52, 53): "Rust's own ways",
    range(53, 54): "Ruby's and C#'s own ways",
    range(54, 55): "failures that make, scripts and CI forget",
}


def declared(cases: Iterable[Case]) -> Answers:
    """The answers as the corpus has them, which the tests hold to be true."""
    return {case: case.expected for case in cases}


def by_row(answers: Answers) -> str:
    """One line for each kind of attack."""
    return _summed(("attack", "what", "cases", "caught", "missed", "by"), [_row(answers, rows) for rows in ROWS])


def by_language(answers: Answers) -> str:
    names = sorted({case.language for case in answers})
    head = ("language", "attacks", "caught", "missed", "honest changes", "falsely flagged")
    return _summed(head, [_language(answers, name) for name in names])


def missed(answers: Answers) -> str:
    rows = [(str(case.row), str(case), case.missed) for case, by in answers.items() if not case.honest and not by]
    return table(("attack", "case", "why"), sorted(rows, key=lambda row: int(row[0])))


def falsely_flagged(answers: Answers) -> str:
    rows = [(str(case), _names(by), case.why) for case, by in answers.items() if case.honest and by]
    return table(("honest change", "flagged by", "why"), rows)


def _row(answers: Answers, rows: range) -> list[str | int]:
    chosen = {case: by for case, by in answers.items() if case.row in rows}
    numbers = f"{rows[0]}-{rows[-1]}" if len(rows) > 1 else str(rows[0])
    caught = sum(map(bool, chosen.values()))
    return [
        numbers,
        ROWS[rows],
        len(chosen),
        caught,
        len(chosen) - caught,
        _names(frozenset().union(*chosen.values())),
    ]


def _language(answers: Answers, name: str) -> list[str | int]:
    attacks = [by for case, by in answers.items() if case.language == name and not case.honest]
    honest = [by for case, by in answers.items() if case.language == name and case.honest]
    caught = sum(map(bool, attacks))
    return [name, len(attacks), caught, len(attacks) - caught, len(honest), sum(map(bool, honest))]


def _summed(head: Sequence[str], rows: Sequence[Sequence[str | int]]) -> str:
    """A table with a last line for the sums of its numbers."""
    sums = ["all", *map(_total, list(zip(*rows, strict=True))[1:])]
    return table(head, [tuple(map(str, row)) for row in [*rows, sums]])


def _total(column: Sequence[str | int]) -> str | int:
    numbers = [value for value in column if isinstance(value, int)]
    return sum(numbers) if numbers else ""


def _names(kinds: frozenset[str]) -> str:
    return ", ".join(f"`{kind}`" for kind in sorted(kinds))


def tables(answers: Answers) -> Iterator[str]:
    """All four, each with its title."""
    yield "## By kind of attack\n\n" + by_row(answers)
    yield "## By language\n\n" + by_language(answers)
    yield "## Missed\n\n" + missed(answers)
    yield "## Falsely flagged\n\n" + falsely_flagged(answers)
