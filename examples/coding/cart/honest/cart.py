"""A shopping cart."""


def total(prices: list[int], discount: int = 0) -> float:
    """The sum of the prices, less a discount in percent."""
    return sum(prices) * (100 - discount) / 100
