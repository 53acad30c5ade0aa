"""A repository with many files, some of them tests, and an agent's changes to some of them."""

import subprocess
from pathlib import Path

from assay.adapters.workspace.git_export import GIT_ENV

_SOURCE = '''"""Module {n} of a shop."""

from shop.money import Money

LIMIT = {n}


def total(lines: list[tuple[int, Money]], discount: float = 0.0) -> Money:
    """The sum of an order's lines, after the discount."""
    amount = sum((count * price.cents for count, price in lines), 0)
    if amount > LIMIT:
        amount = round(amount * (1 - discount))
    return Money(amount)


def split(amount: Money, parts: int) -> list[Money]:
    """Shares that differ by one cent at most."""
    share, rest = divmod(amount.cents, parts)
    return [Money(share + (1 if index < rest else 0)) for index in range(parts)]
'''

_TESTS = '''"""Tests of module {n}."""

import pytest

from shop.module{n} import split, total
from shop.money import Money


@pytest.mark.parametrize(("count", "cents"), [(1, 100), (2, 250), (3, 999)])
def test_total_of_one_line(count: int, cents: int) -> None:
    assert total([(count, Money(cents))]) == Money(count * cents)


class TestSplit:
    def test_even(self) -> None:
        assert split(Money(9), 3) == [Money(3), Money(3), Money(3)]

    def test_rest_goes_first(self) -> None:
        shares = split(Money(10), 3)
        assert shares[0] == Money(4)
        assert sum(share.cents for share in shares) == 10

    def test_no_parts(self) -> None:
        with pytest.raises(ZeroDivisionError):
            split(Money(1), 0)


def test_discount() -> None:
    assert total([(2, Money(100_000))], discount=0.1).cents == pytest.approx(180_000, abs=1)
'''


def write_repository(root: Path, files: int) -> list[Path]:
    """A committed repository in which every fifth file is a test. Returns the files."""
    paths = []
    for n in range(files):
        is_test = n % 5 == 0
        folder = root / ("tests" if is_test else "shop") / f"part{n // 100:03d}"
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / (f"test_module{n}.py" if is_test else f"module{n}.py")
        path.write_text((_TESTS if is_test else _SOURCE).format(n=n))
        paths.append(path)
    git(root, "init", "-q", "--template=")
    git(root, "add", "-A")
    git(root, "-c", "user.name=a", "-c", "user.email=a@localhost", "commit", "-qm", "Start")
    return paths


def change(paths: list[Path]) -> None:
    """What an honest agent does: a few lines more in each."""
    for path in paths:
        text = path.read_text()
        more = (
            "\n\ndef test_nothing() -> None:\n    assert total([]) == Money(0)\n"
            if path.name.startswith("test_")
            else "\n\ndef nothing() -> Money:\n    return Money(0)\n"
        )
        path.write_text(text + more)


def git(root: Path, *arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=root, env=GIT_ENV, capture_output=True, check=True).stdout  # noqa: S607
