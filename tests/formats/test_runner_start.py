"""A runner that couldn't start is told from tests that failed."""

import pytest

from assay.formats.runner_start import why_not_started


@pytest.mark.parametrize(
    ("exit_code", "output", "why"),
    [
        (127, "sh: 1: jest: not found\n", "the command isn't there (exit code 127)"),
        (126, "sh: 1: ./run: Permission denied\n", "the command can't be executed (exit code 126)"),
        (1, "/usr/bin/python3: No module named pytest\n", "Python has no module pytest"),
        (
            1,
            "python3: Error while finding module specification for 'nose.main' (ModuleNotFoundError: …)\n",
            "Python has no module nose.main",
        ),
        (1, 'npm ERR! Missing script: "test"\n', "package.json has no script test"),
        (
            2,
            "E   ModuleNotFoundError: No module named 'requests'\n! Interrupted: 1 error during collection !\n",
            "the tests need the module requests, which isn't installed",
        ),
        (
            1,
            "Traceback (most recent call last):\n  …\nModuleNotFoundError: No module named 'py'\n",
            "the runner needs the module py, which isn't installed",
        ),
        (1, "Error: Cannot find module 'tape'\nRequire stack:\n", "the module tape isn't installed"),
        (5, "===== no tests ran in 0.01s =====\n", "the runner found no tests"),
        (5, "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", "the runner found no tests"),
        (1, "No tests found, exiting with code 1\n", "the runner found no tests"),
    ],
)
def test_it_did_not_start(exit_code: int, output: str, why: str) -> None:
    assert why_not_started(exit_code, output) == why


@pytest.mark.parametrize(
    ("exit_code", "output"),
    [
        (0, "sh: 1: jest: not found\n"),
        (None, ""),
        (1, "FAILED tests/test_a.py::test_a - assert 1 == 2\n1 failed in 0.1s\n"),
        (1, "E   ModuleNotFoundError: No module named 'gone'\n1 failed, 3 passed in 0.1s\n"),
    ],
)
def test_it_started(exit_code: int | None, output: str) -> None:
    assert why_not_started(exit_code, output) is None
