"""A row of the table: one change of tests in neutral words, and the answer that it must get in every language."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tests.attacks.parity.pieces import OTHER
from tests.attacks.parity.words import File, Node, Test

WEAKER = "assertions_not_weakened"
SKIPS = "no_new_skips"

Files = Mapping[str, Node]


@dataclass(frozen=True, eq=False)
class Row:
    """``by`` has the scorers of which one must fail; an honest change has none, and both must pass.

    ``never`` says where the row can't apply, by language or by language and library, and why.
    """

    name: str
    before: Files
    after: Files
    by: tuple[str, ...] = ()
    never: Mapping[str, str] = field(default_factory=dict)

    @property
    def honest(self) -> bool:
        return not self.by

    def __str__(self) -> str:
        return self.name


def of_files(name: str, before: Files, after: Files, *by: str, never: Mapping[str, str] | None = None) -> Row:
    return Row(name, before, after, by, never or {})


def of_items(
    name: str, before: Sequence[Node], after: Sequence[Node], *by: str, never: Mapping[str, str] | None = None
) -> Row:
    """A change of what is in one file; a test that stays as it is follows."""
    return Row(name, {"shop": File([*before, OTHER])}, {"shop": File([*after, OTHER])}, by, never or {})


def of_body(
    name: str, before: Sequence[Node], after: Sequence[Node], *by: str, never: Mapping[str, str] | None = None
) -> Row:
    """A change of what one test does."""
    return of_items(name, [Test("works", list(before))], [Test("works", list(after))], *by, never=never)
