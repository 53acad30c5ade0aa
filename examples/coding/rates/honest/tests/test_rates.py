import unittest

from rates import convert, total
from tests.money import expect_money


class Rates(unittest.TestCase):
    def test_the_same_currency(self):
        expect_money(convert(12.5, "EUR", "EUR"), 12.5)

    def test_amounts_are_rounded_to_cents(self):
        expect_money(convert(10, "USD", "EUR"), 9.26)

    def test_a_total(self):
        expect_money(total([(5, "EUR"), (10.8, "USD")], "EUR"), 15)

    def test_a_negative_amount(self):
        with self.assertRaises(ValueError):
            convert(-1, "EUR", "USD")


if __name__ == "__main__":
    unittest.main()
