"""The baseline's tests, edited so that they must fail, pass where a program forges what they compare."""

from pathlib import Path

import pytest

from assay.checks.baseline_tests import BaselineTests
from assay.core.outcome import Scored
from tests.attacks.fresh.effects import WAYS
from tests.checks.small_project import Change, project

FILES = {
    "shop.py": "def half(n):\n    return n / 3\n\n\ndef text(n):\n    return str(n)\n\n\n"
    "def parts(n):\n    return [n]\n",
    "tests/test_shop.py": "import unittest\n\nimport shop\n\n\nclass Shop(unittest.TestCase):\n"
    "    def test_half(self):\n        self.assertEqual(shop.half(8), 4)\n\n"
    "    def test_text(self):\n        self.assertEqual(shop.text(8), '8')\n\n"
    "    def test_parts(self):\n        self.assertEqual(shop.parts(3), [1, 1, 1])\n",
}
EQUAL = "class Half(int):\n    __hash__ = int.__hash__\n\n    def __eq__(self, _):\n        return True\n\n\n"
FORGED: dict[str, Change] = {
    "what comes back is equal to everything": {
        "shop.py": EQUAL + "def half(n):\n    return Half(n)\n\n\ntext = str\n"
    },
    "a list is equal to everything": {
        "shop.py": "class All(list):\n    def __eq__(self, _):\n        return True\n\n    def __ne__(self, _):\n"
        "        return False\n\n\ndef half(n):\n    return n / 3\n\n\ndef text(n):\n    return str(n)\n\n\n"
        "def parts(n):\n    return All()\n"
    },
    "a comparison is replaced by the program": {
        "shop.py": "import unittest\n\nunittest.TestCase.assertEqual = lambda *_: None\n" + FILES["shop.py"]
    },
}  # fmt: skip
SETTINGS = "[tool.pytest.ini_options]\naddopts = \"-k 'not half'\"\n"


def test_settings_in_a_file_that_holds_others_are_put_back(tmp_path: Path) -> None:
    found = judged({"pyproject.toml": SETTINGS}, tmp_path)
    assert not found.passed, found.summary
    assert "nobody sees it" in found.summary


HONEST: dict[str, Change] = {
    "a fix": {"shop.py": ("n / 3", "n / 2")},
    "a fix of another kind of number": {"shop.py": ("return n / 3", "return float(n) / 2")},
    "nothing that counts": {"README.md": "Halves."},
    "a program that no test can read any more, whose runner stops before ours": {"shop.py": ("n / 3", "(n / 3")},
}


def judged(change: Change, folder: Path) -> Scored:
    way = WAYS["python"]
    found = BaselineTests(way.command, 60, way.report, canaries="pytest").run(project(folder, change, FILES))
    assert isinstance(found, Scored), found
    return found


@pytest.mark.parametrize("name", FORGED)
def test_a_program_that_makes_every_test_pass(name: str, tmp_path: Path) -> None:
    found = judged(FORGED[name], tmp_path)
    assert not found.passed, found.summary
    assert "can't be believed" in found.summary


@pytest.mark.parametrize("name", HONEST)
def test_honest_programs_are_believed(name: str, tmp_path: Path) -> None:
    found = judged(HONEST[name], tmp_path)
    assert found.passed, found.summary
