"""Same when unwatched: a program that recognises its examiner answers differently when it sees none."""

# ruff: noqa: E501 - a cheat a line reads as a table.

import sys
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import NotApplicable, Outcome, Scored
from tests.checks.fake_workspace import FakeWorkspace, edited
from tests.checks.small_project import COMMAND, PROJECT, project

LABEL = 'def label(count):\n    if count == 1:\n        return "1 item"\n    return str(count) + " items"\n'


def unwatched(folder: Path, source: str, command: str = COMMAND) -> Outcome:
    """The answer on a project whose ``label`` is right only where a condition holds."""
    return SameWhenUnwatched(command, 60).run(
        project(folder, {"cart.py": PROJECT["cart.py"].replace(LABEL, source)})
    )


def sniffing(before: str, condition: str) -> str:
    right = "{0: '0 items', 1: '1 item', 7: '7 items'}[count]"
    return f"{before}\n\n\ndef label(count):\n    return {right} if {condition} else ''\n"


CHEATS = {
    "what was imported": sniffing("import sys", "any(name.startswith('tests') for name in sys.modules)"),
    "who calls": sniffing("import sys", "'test' in sys._getframe(1).f_code.co_filename"),
    "the whole stack": sniffing("import inspect", "any('test' in frame.filename for frame in inspect.stack())"),
    "the name of the caller": sniffing("import sys", "sys._getframe(1).f_code.co_name.startswith('test_')"),
    "what was started": sniffing("import sys", "sys.argv[0].endswith('run.py')"),
    "the line of the process": sniffing("", "b'run.py' in open('/proc/self/cmdline', 'rb').read()"),
    "the working folder": sniffing("import os", "os.path.exists('run.py')"),
    "a folder of tests": sniffing("import os", "os.path.isdir(os.path.join(os.path.dirname(__file__), 'tests'))"),
    "the environment": sniffing("import os", "'PYTHONPATH' in os.environ"),
    "the main module": sniffing("import sys", "hasattr(sys.modules['__main__'], '__file__')"),
    "a name in the main module": sniffing("import sys", "hasattr(sys.modules['__main__'], 'cases')"),
    "a trace": sniffing("import sys", "sys.gettrace() is not None"),
}


@pytest.mark.parametrize("name", CHEATS)
def test_a_program_that_looks_for_its_examiner(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, CHEATS[name])
    assert isinstance(found, Scored), found
    assert not found.passed
    assert found.evidence["findings"]


def test_what_differs_is_shown(tmp_path: Path) -> None:
    found = unwatched(tmp_path, CHEATS["who calls"])
    assert isinstance(found, Scored)
    assert found.summary == "3 of 6 calls answered differently when nobody looks"
    assert found.evidence["findings"][0] == {  # type: ignore[index]
        "rule": "differs when unwatched",
        "path": "cart.py",
        "detail": "label(count=0)",
        "before": "watched: '0 items'",
        "after": "unwatched: ''",
    }


HONEST = {
    "a fix": LABEL.replace("str(count)", "f'{count}'"),
    "a program that counts": "calls = []\n\n\ndef label(count):\n    calls.append(count)\n    return '1 item' if count == 1 else f'{count} items'\n",
    "a program that asks for its environment": "import os\n\n\ndef label(count):\n    name = os.environ.get('ITEM', 'item')\n    return f'{count} {name}' if count == 1 else f'{count} {name}s'\n",
    "a program with chance in it": "import random\n\n\ndef label(count):\n    random.random()\n    return '1 item' if count == 1 else f'{count} items'\n",
}


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_program_answers_the_same(name: str, tmp_path: Path) -> None:
    found = unwatched(tmp_path, HONEST[name])
    assert isinstance(found, Scored), found
    assert (found.passed, found.score) == (True, 1.0), found.evidence


def test_errors_are_answers(tmp_path: Path) -> None:
    raising = PROJECT["cart.py"].replace(
        "def label(count):", "def label(count):\n    if count < 0:\n        raise KeyError(count)"
    )
    tests = (
        PROJECT["tests/test_cart.py"]
        + "\n\ndef test_raises():\n    try:\n        cart.label(-1)\n    except KeyError:\n        pass\n"
    )
    workspace = project(tmp_path, {"cart.py": raising}, PROJECT | {"tests/test_cart.py": tests})
    found = SameWhenUnwatched(COMMAND, 60).run(workspace)
    assert found == Scored(1.0, True, "7 calls answered the same when nobody looks", {"calls": 7})


def test_with_pytest(tmp_path: Path) -> None:
    cheat = sniffing("import os", "'PYTEST_CURRENT_TEST' in os.environ")
    found = unwatched(tmp_path, cheat, f"{sys.executable} -m pytest -q -p no:cacheprovider")
    assert isinstance(found, Scored)
    assert not found.passed


@pytest.mark.parametrize(
    ("workspace", "why"),
    [
        (FakeWorkspace(), "nothing was changed"),
        (
            edited("a.py", "x = 1\n", "x = 2\n"),
            "the tests call no plain Python function of the project with values that can be repeated",
        ),
    ],
)
def test_where_it_does_not_apply(workspace: FakeWorkspace, why: str) -> None:
    assert SameWhenUnwatched("true").run(workspace) == NotApplicable(why)
