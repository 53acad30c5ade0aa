"""The native parser in a process of its own: a text that it never returns from costs a moment, not the grading."""

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

from assay.adapters.machine import isolated_reader as reading_apart
from assay.adapters.machine.child_process import ChildProcess
from assay.adapters.machine.isolated_reader import BrokenReaderError, ReadingApart, end_idle
from assay.detectors.test_code.model import TestCode
from assay.detectors.test_code.read import Text, parsed
from assay.evidence.workspace import Answer, Question, UnreadableError

ENDLESS = Text("typescript", '[x*new@n}.\\["""=/"""}~{{;f""', False)
FINE = Text("javascript", "it('adds', () => { expect(add(1, 2)).toBe(3) })", False)


@pytest.fixture(autouse=True)
def _ended() -> Iterator[None]:
    end_idle()
    yield
    end_idle()


def read(apart: ReadingApart, text: Text) -> TestCode:
    return apart(parsed, text, TestCode)


def test_a_text_that_the_parser_never_returns_from_is_unreadable_and_the_next_is_read() -> None:
    apart = ReadingApart(cpu_sec=0.5)
    assert read(apart, FINE).tests[0].identity == "adds"
    with pytest.raises(UnreadableError, match=r"the parser gave up on it after 0\.5 s of CPU time"):
        read(apart, ENDLESS)
    assert read(apart, FINE).problems == ()


class Counting(ReadingApart):
    """Knows how often the child was asked."""

    asked = 0

    def _ask_child(self, read: Callable[[Question], Answer], question: Question) -> bytes:
        self.asked += 1
        return super()._ask_child(read, question)


def test_what_was_lost_is_remembered_for_this_grading_only() -> None:
    for apart in (Counting(cpu_sec=0.5), Counting(cpu_sec=0.5)):
        for _ in range(2):
            with pytest.raises(UnreadableError, match=r"gave up on it after 0\.5 s"):
                read(apart, ENDLESS)
        assert apart.asked == 1


def test_a_child_that_was_killed_is_started_again() -> None:
    read(ReadingApart(), FINE)
    (child,) = reading_apart._idle
    os.kill(child.pid, signal.SIGKILL)
    assert read(ReadingApart(), FINE).tests[0].identity == "adds"


def test_a_workspace_full_of_such_texts_does_not_hold_a_grading_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_apart, "MOST_LOST", 1)
    apart = ReadingApart(cpu_sec=0.5)
    with pytest.raises(UnreadableError):
        read(apart, ENDLESS)
    with pytest.raises(UnreadableError, match="stopped 1 times before, so it wasn't tried"):
        read(apart, FINE)
    # The next grading has lost nothing.
    assert read(ReadingApart(), FINE).tests[0].identity == "adds"


def test_any_characters_may_stand_in_a_text() -> None:
    found = read(ReadingApart(), Text("javascript", "it('\ufffd\0é', () => { expect(f()).toBe(1) })", False))
    assert len(found.tests) == 1


def test_a_reader_that_fails_is_no_property_of_the_text() -> None:
    with pytest.raises(BrokenReaderError, match="KeyError: 'klingon'"):
        read(ReadingApart(), Text("klingon", "", False))


def test_a_refused_text_is_no_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading_apart, "MOST_LOST", 1)
    apart = ReadingApart()
    with pytest.raises(UnreadableError, match="parts of it aren't go at all"):
        read(apart, Text("go", "-}" * 4000, False))
    assert read(apart, FINE).tests[0].identity == "adds"


def test_a_child_that_says_nothing_is_not_waited_for() -> None:
    child = ChildProcess("timeit")
    with pytest.raises((TimeoutError, EOFError)):
        child.receive(time.monotonic() + 0.2)
    child.end()
