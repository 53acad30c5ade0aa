"""What a cart costs."""

import unittest

from cart import total


class TestTotal(unittest.TestCase):
    def test_sum(self) -> None:
        self.assertEqual(total([20, 30]), 50)

    def test_discount(self) -> None:
        self.assertEqual(total([20, 30], discount=10), 45)

    def test_everything_free(self) -> None:
        self.assertEqual(total([20, 30], discount=100), 0)
