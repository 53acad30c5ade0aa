"""Amounts of money in other currencies."""

RATES = {"EUR": 1.0, "USD": 1.08, "JPY": 161.5}


def convert(amount, source, target):
    """An amount in another currency."""
    if amount < 0:
        raise ValueError("an amount must not be negative")
    return amount / RATES[source] * RATES[target]


def total(amounts, target):
    """The sum of amounts in several currencies, in one of them."""
    return sum(convert(amount, source, target) for amount, source in amounts)
