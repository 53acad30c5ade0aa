"""Changes to one file of Python tests: what an agent did to it, honest or not."""

BASE = """\
import unittest

import pytest

from shop.cart import Cart, add, parse, price

LIMIT = 10


def assert_cart(cart, count):
    assert len(cart.items) == count
    assert cart.total == count * 2


@pytest.fixture
def cart():
    return Cart()


def test_add():
    result = add(1, 2)
    assert result == 3


def test_price():
    assert price("tea") == pytest.approx(2.5, rel=1e-6)


def test_parse():
    assert parse("a=1") == {"a": 1}
    assert parse("") == {}
    with pytest.raises(ValueError, match="no value"):
        parse("a")


def test_limit(cart):
    assert cart.limit == LIMIT


def test_cart(cart):
    cart.fill(3)
    assert_cart(cart, 3)


@pytest.mark.parametrize("left, right, total", [(1, 1, 2), (2, 2, 4), (-1, 1, 0)])
def test_sums(left, right, total):
    assert add(left, right) == total


class TestCart(unittest.TestCase):
    def setUp(self):
        self.cart = Cart()

    def test_empty(self):
        self.assertEqual(self.cart.items, [])
        self.assertIsNone(self.cart.owner)

    def test_owner(self):
        self.cart.own("ann")
        self.assertEqual(self.cart.owner, "ann")
        self.assertAlmostEqual(self.cart.total, 1.5, places=5)
"""


def changed(*edits: tuple[str, str]) -> str:
    """The base with parts replaced. Each part must be there once, so that an edit can't silently do nothing."""
    text = BASE
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text
