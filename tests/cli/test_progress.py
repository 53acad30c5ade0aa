"""A progress bar only for somebody who watches, and only if it takes long."""

import io

import pytest

from assay.cli.output import progress
from assay.cli.output.progress import ProgressBar


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SEC", 0)
    monkeypatch.setattr(progress, "REFRESH_SEC", 0)


def run(stream: io.StringIO, total: int, label: str = "reading j1") -> str:
    bar = ProgressBar(label, stream)
    for done in range(1, total + 1):
        bar(done, total)
    return stream.getvalue()


@pytest.mark.usefixtures("impatient")
def test_it_grows_and_wipes_itself_out() -> None:
    shown = run(Terminal(), 128)
    assert shown == f"\rreading j1 {'█' * 15}{'░' * 15} 64/128\r\x1b[2K"


@pytest.mark.usefixtures("impatient")
def test_nobody_watches() -> None:
    assert run(io.StringIO(), 1000) == ""


def test_quick_work_shows_nothing() -> None:
    assert run(Terminal(), 1000) == ""


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("total", [0, 1, 63])
def test_a_little_work_shows_nothing(total: int) -> None:
    assert run(Terminal(), total) == ""


@pytest.mark.usefixtures("impatient")
def test_a_hostile_name_does_not_reach_the_terminal_raw() -> None:
    shown = run(Terminal(), 128, label="reading \x1b[31mred\n")
    assert "\x1b[31m" not in shown
    assert "\n" not in shown
