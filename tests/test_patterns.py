"""No regular expression of ours takes more time than in proportion to the text, whatever the text is."""

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.builders import REPO
from tests.patterns import collect
from tests.patterns.samples import KNOWN_SLOW, SAMPLES


@pytest.fixture(scope="module")
def attacked() -> Any:
    """In a process of its own, so that one that hangs ends it and not the tests."""
    run = subprocess.run(
        [sys.executable, "-m", "tests.patterns"],
        cwd=REPO,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


def test_every_pattern_is_linear(attacked: Any) -> None:
    assert attacked["slow"] == []
    assert attacked["number"] > 900


def test_a_slow_pattern_would_be_noticed(attacked: Any) -> None:
    assert attacked["examples"] == [name for name, _, _ in KNOWN_SLOW]


def test_no_pattern_is_hidden_from_the_attacks() -> None:
    assert collect.modules_that_hide_re() == []


def test_what_is_said_about_patterns_is_about_patterns_that_exist(attacked: Any) -> None:
    assert attacked["unknown"] == []
    assert [place for place in SAMPLES if not (collect.ROOT / place).is_file()] == []
