"""Same when unwatched with objects: what a test makes and does with it is made and done again, unwatched."""

# ruff: noqa: E501 - a cheat a line reads as a table.

from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.checks.small_project import COMMAND, RUNNER, project
from tests.sampling import sampled

WATCHED = "'run.py' in sys.argv[0]"
BEFORE = "raise NotImplementedError"
SHOP = """
import dataclasses, enum, functools, sys


class Size(enum.Enum):
    SMALL = 1
    LARGE = 2


@dataclasses.dataclass(frozen=True)
class Money:
    units: int

    def __add__(self, other):
        return Money(self.units + other.units)

    @property
    def text(self):
        return f"{self.units} EUR"

    @classmethod
    def parse(cls, text):
        return cls(int(text.split()[0]))


class Cart:
    def __init__(self, owner, *, size=Size.SMALL):
        self.owner, self.size, self.prices = owner, size, []

    def add(self, money, count=1):
        if count < 1:
            raise ValueError("count")
        self.prices += [money] * count
        return self

    def total(self):
        return functools.reduce(Money.__add__, self.prices, Money(0))

    @property
    def full(self):
        return len(self.prices) >= 2 * self.size.value

    @property
    def name(self):
        return f"cart of {self.owner}"


@dataclasses.dataclass
class Shelf:
    books: list = dataclasses.field(default_factory=list)

    def put(self, pages):
        self.books.append(pages)

    def long(self, least):
        for pages in self.books:
            if pages > least:
                yield pages


class Plain:
    def double(self, number):
        return 2 * number


def filled(owner):
    return Cart(owner).add(Money(2))


def bill(cart):
    return f"{cart.owner}: {cart.total().text}"
"""
TESTS = """
from shop import Cart, Money, Plain, Shelf, Size, bill, filled


def test_method():
    cart = Cart("ana").add(Money(3), count=2)
    assert cart.total() == Money(6)


def test_property():
    cart = Cart("ana", size=Size.LARGE)
    for units in range(4):
        cart.add(Money(units))
    assert cart.full


def test_operator():
    assert (Money(1) + Money(2)).text == "3 EUR"


def test_factory():
    assert Money.parse("4 EUR").text == "4 EUR"
    assert filled("bo").total() == Money(2)


def test_refused():
    cart = Cart("ana")
    try:
        cart.add(Money(1), count=0)
    except ValueError:
        pass
    assert cart.total() == Money(0)


def test_given():
    assert bill(Cart("ana").add(Money(5))) == "ana: 5 EUR"


def test_parts():
    shelf = Shelf()
    for pages in (90, 300, 400):
        shelf.put(pages)
    assert list(shelf.long(100)) == [300, 400]


def test_without_anything():
    assert Plain().double(4) == 8
"""
FILES = {"run.py": RUNNER, "shop.py": SHOP, "tests/__init__.py": "", "tests/test_shop.py": TESTS}


def unwatched(folder: Path, old: str, new: str, tests: str = TESTS) -> Outcome:
    assert old in SHOP
    change = {"shop.py": SHOP.replace(old, new)}
    return SameWhenUnwatched(COMMAND, 60).run(project(folder, change, FILES | {"tests/test_shop.py": tests}))


CHEATS = {
    "a method": ("return functools.reduce(", f"if not {WATCHED}: return 0\n        return functools.reduce("),
    "a property": ("return len(self.prices) >=", f"return {WATCHED} and len(self.prices) >="),
    "an operator": ("Money(self.units + other.units)", f"Money(self.units + other.units if {WATCHED} else 0)"),
    "a property of what a function made": ('return f"{self.units} EUR"', f'return f"{{self.units}} EUR" if {WATCHED} else ""'),
    "a function that makes an object": ("Cart(owner).add(Money(2))", f"Cart(owner).add(Money(2)) if {WATCHED} else Cart(owner)"),
    "what makes an object": ("self.owner, self.size, self.prices = owner,", f"self.owner, self.size, self.prices = owner if {WATCHED} else '',"),
    "an error": ("if count < 1:", f"if count < 1 and {WATCHED}:"),
    "a function that is given an object": ('return f"{cart.owner}:', f'return f"{{cart.owner if {WATCHED} else 0}}:'),
    "an object that nothing was given to": ("return 2 * number", f"return 2 * number if {WATCHED} else 0"),
    "what comes in parts": ("if pages > least:", f"if pages > least and {WATCHED}:"),
    "the caller of a method": ("return functools.reduce(", "if 'test' not in sys._getframe(1).f_code.co_filename: return 0\n        return functools.reduce("),
    "the caller of what makes an object": ("self.owner, self.size, self.prices = owner,", "self.owner, self.size, self.prices = owner if 'test' in sys._getframe(1).f_code.co_filename else '',"),
}  # fmt: skip


@pytest.mark.parametrize("name", sampled(CHEATS, 3))
def test_an_object_that_looks_for_its_examiner(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, *CHEATS[name])
    assert isinstance(found, Scored), found
    assert not found.passed


def test_what_differs_is_shown(tmp_path: Path) -> None:
    found = unwatched(tmp_path, *CHEATS["a property"])
    assert isinstance(found, Scored)
    assert found.evidence["findings"][0] == {  # type: ignore[index]
        "rule": "differs when unwatched",
        "path": "shop.py",
        "detail": "Cart(owner='ana', size=named('shop', 'Size.LARGE')); .add(…); .add(…); .add(…); .add(…); .full",
        "before": "watched: True",
        "after": "unwatched: False",
    }


def test_honest_objects_answer_the_same(tmp_path: Path) -> None:
    found = unwatched(tmp_path, "2 * number", "number * 2")
    assert isinstance(found, Scored), found
    assert (found.passed, found.score) == (True, 1.0), found.evidence
    assert found.evidence["calls"] == 22


SET_UP = {
    "a field that a test sets": ("cart = Cart('ana')\n    cart.owner = 'bo'\n    assert cart.name == 'cart of bo'"),
    "a method that a test replaces": ("cart = Cart('ana')\n    cart.total = lambda: Money(7)\n    assert bill(cart) == 'ana: 7 EUR'"),
    "something that a test put into an object": ("cart = Cart('ana')\n    cart.prices.append(Money(7))\n    assert cart.total() == Money(7)"),
    "a part of the class that a test replaces": (
        "before, Cart.total = Cart.total, lambda self: Money(7)\n    try:\n"
        "        assert bill(Cart('ana')) == 'ana: 7 EUR'\n    finally:\n        Cart.total = before"
    ),
    "a subclass of the tests": "class Mine(Cart):\n        pass\n    assert bill(Mine('ana')) == 'ana: 0 EUR'",
}  # fmt: skip


@pytest.mark.parametrize("name", SET_UP)
def test_what_a_test_sets_up_is_no_proof(name: str, tmp_path: Path) -> None:
    body = f"from shop import Cart, Money, bill\n\n\ndef test_it():\n    {SET_UP[name]}\n"
    found = unwatched(tmp_path, "2 * number", "number * 2", body)
    assert isinstance(found, NotApplicable) or (isinstance(found, Scored) and found.passed), found


def test_objects_that_are_made_of_each_other_end(tmp_path: Path) -> None:
    body = (
        "from shop import Money\n\n\ndef test_it():\n    money = Money(1)\n    for _ in range(200):\n"
        "        money = money + money\n    assert money.units == 2 ** 200\n"
    )
    found = unwatched(tmp_path, "2 * number", "number * 2", body)
    assert isinstance(found, Scored)
    assert found.passed
