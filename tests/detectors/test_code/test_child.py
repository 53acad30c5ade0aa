"""The native parser in a process of its own: a text that it gets lost in costs a moment, not the grading."""

import os
import signal
import time

import pytest

from assay.detectors.test_code import child
from assay.detectors.test_code.child import Child, Request

ENDLESS = Request("typescript", '[x*new@n}.\\["""=/"""}~{{;f""', False)
FINE = Request("javascript", "it('adds', () => { expect(add(1, 2)).toBe(3) })", False)


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> "Child":
    monkeypatch.setattr(child, "LIMIT_SEC", 5.0)
    return Child()


def test_a_text_that_the_parser_gets_lost_in_is_a_problem_and_the_next_is_read(reader: Child) -> None:
    assert reader.read(FINE).tests[0].identity == "adds"
    began = time.monotonic()
    assert reader.read(ENDLESS).problems == ("The parser lost itself in the file.",)
    assert time.monotonic() - began < 30
    assert reader.read(FINE).problems == ()
    reader.end()


def test_a_child_that_was_killed_is_started_again(reader: Child) -> None:
    reader.read(FINE)
    assert reader.pid is not None
    os.kill(reader.pid, signal.SIGKILL)
    assert reader.read(FINE).tests[0].identity == "adds"
    reader.end()


def test_a_workspace_full_of_such_texts_does_not_hold_a_grading_up(
    reader: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "MOST_LOST", 1)
    reader.read(ENDLESS)
    assert "given up" in reader.read(FINE).problems[0]
    reader.end()


def test_any_characters_may_stand_in_a_text() -> None:
    found = child.read_in_child("javascript", "it('\ud800\0é', () => { expect(f()).toBe(1) })", False)
    assert len(found.tests) == 1
