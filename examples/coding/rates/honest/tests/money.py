"""How the tests compare amounts of money."""


def expect_money(found, wanted):
    """Fail unless two amounts are the same, to the cent."""
    if found != wanted:
        raise AssertionError(f"expected {wanted}, got {found}")
