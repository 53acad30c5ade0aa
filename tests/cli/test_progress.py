"""A line of progress: only if the work takes long, in a terminal or now and then in a log."""

import io
import os
from collections.abc import Iterator

import pytest

from assay.cli.output import progress
from assay.cli.output.progress import Progress


class Terminal(io.StringIO):
    """A stream that somebody watches."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "REFRESH_SEC", 0)


def seconds(each: float) -> Iterator[float]:
    """A clock that goes on by this much whenever it is asked."""
    return (number * each for number in range(10_000))


def run(stream: io.StringIO, total: int, label: str = "reading j1", each: float = 2.0) -> str:
    times = seconds(each)
    line = Progress(label, stream, lambda: next(times))
    for done in range(1, total + 1):
        line(done, total)
    return stream.getvalue()


def test_it_grows_and_erases_itself() -> None:
    shown = run(Terminal(), 128)
    half = "█" * 10 + "░" * 10
    assert shown == f"\r\x1b[2Kreading j1 {half} 64/128 · 0:00:02, about 0:00:02 left\r\x1b[2K"


def test_a_log_has_lines_of_its_own() -> None:
    assert run(io.StringIO(), 640, each=12) == (
        "assay: reading j1 64 of 640, about 0:01:48 left\n"
        "assay: reading j1 256 of 640, about 0:01:12 left\n"
        "assay: reading j1 448 of 640, about 0:00:36 left\n"
    )


@pytest.mark.parametrize("stream", [Terminal(), io.StringIO()])
def test_quick_work_shows_nothing(stream: io.StringIO) -> None:
    assert run(stream, 1000, each=0.01) == ""


def test_a_terminal_that_can_do_nothing_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    assert "\x1b" not in run(Terminal(), 128)


def test_a_hostile_name_does_not_reach_the_terminal_raw() -> None:
    shown = run(Terminal(), 128, label="reading \x1b[31mred\n")
    assert "\x1b[31m" not in shown
    assert "\n" not in shown


def test_lines_stand_above_it_and_what_was_done_before_does_not_count() -> None:
    times, stream = iter((0.0, 1.0, 10.0, 10.0, 10.0)), Terminal()
    line = Progress("trials", stream, lambda: next(times), logged=False, done_before=8)
    line(8, 12, "a, b")
    line.print("9/12  a  passed")
    line(10, 12, "b")
    bars = [part for part in stream.getvalue().split("\r\x1b[2K") if part]
    assert [part.replace("█", "").replace("░", "") for part in bars] == [
        "9/12  a  passed\n",
        "trials  8/12 · 0:00:10 · a, b",
        "trials  10/12 · 0:00:10, about 0:00:10 left · b",
    ]


def test_a_log_of_work_with_lines_of_its_own_has_no_others() -> None:
    times, stream = seconds(100), io.StringIO()
    line = Progress("trials", stream, lambda: next(times), logged=False)
    line(1, 12)
    line.print("1/12  a  passed")
    assert stream.getvalue() == "1/12  a  passed\n"


def test_time_goes_on_between_two_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PATIENCE_SEC", 0)
    monkeypatch.setattr(progress, "REFRESH_SEC", 0.001)
    reading, writing = os.pipe()
    with os.fdopen(writing, "w", encoding="utf-8") as stream, os.fdopen(reading, encoding="utf-8") as screen:
        monkeypatch.setattr(stream, "isatty", lambda: True, raising=False)
        with Progress("scoring", stream).going_on() as line:
            line(0, 3, "tests")
            shown = screen.read(400)
    assert shown.count("scoring ░░░░░░░░░░░░░░░░░░░░ 0/3 · 0:00:00 · tests") > 1


def test_no_line_is_longer_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "_columns", lambda _stream: 30)
    lines = [part for part in run(Terminal(), 128).split("\r\x1b[2K") if part]
    assert [len(line) for line in lines] == [29]
