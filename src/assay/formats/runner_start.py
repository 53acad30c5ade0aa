"""Tell a test runner that could not even start from tests that failed, by how its command ended.

The output may be the agent's. So this is a suspicion and no verdict: the same has to be seen on the baseline, too.
"""

import re

# A shell's own words: a command that was found can't be executed, or was not found at all.
_SHELL = {126: "can't be executed", 127: "isn't there"}
_NO_MODULE = re.compile(
    r"^\S*python[\d.]*: (?:Error while finding module specification for |No module named )'?([\w.]+)", re.MULTILINE
)
_NOT_IMPORTED = re.compile(r"^(?:E +)?ModuleNotFoundError: No module named '([\w.]+)'", re.MULTILINE)
_COLLECTING = re.compile(
    r"errors? during collection|ImportError while loading conftest|no tests ran", re.IGNORECASE
)
_NOT_REQUIRED = re.compile(r"^Error: Cannot find module '([^'\n]+)'", re.MULTILINE)
_NO_SCRIPT = re.compile(r"Missing script: [\"']?([\w:-]+)")
_NOTHING_RAN = re.compile(
    r"^=+ no tests ran in |^no tests ran in |^Ran 0 tests in |^No tests found, exiting|^No test files found|"
    r"^# tests 0$|^\u2139 tests 0$|^no packages to test",
    re.MULTILINE,
)
_PYTEST_EMPTY = 5
# A line that may say why nothing ran. It is shown to people and decides nothing.
_REASON = re.compile(
    r"error|exception|cannot|can't|could not|not found|no such|missing|unrecognized|unsupported|read-only|denied|"
    r"requires|undefined|unresolved|no module|failed to",
    re.IGNORECASE,
)
_LONGEST = 200


def reason_in(exit_code: int | None, output: str) -> str:
    """The likeliest reason for a command's failure, in one line, for people to read."""
    known = why_not_started(exit_code, output)
    if known is not None:
        return known
    lines = [line.strip() for line in output.splitlines() if line.strip() and "usage:" not in line]
    line = next((line for line in lines if _REASON.search(line)), lines[-1] if lines else "")
    ended = "it was stopped" if exit_code is None else f"exit code {exit_code}"
    return f"{ended}: {line[:_LONGEST]}" if line else ended


def why_not_started(exit_code: int | None, output: str) -> str | None:
    """Why the runner seems not to have started; None if it did, or if the command ended well."""
    if not exit_code:
        return None
    if exit_code in _SHELL:
        return f"the command {_SHELL[exit_code]} (exit code {exit_code})"
    for pattern, what in ((_NO_MODULE, "Python has no module {}"), (_NO_SCRIPT, "package.json has no script {}")):
        if found := pattern.search(output):
            return what.format(found[1])
    last = output.strip().rpartition("\n")[2]
    if found := _NOT_IMPORTED.match(last):
        return f"the runner needs the module {found[1]}, which isn't installed"
    if _COLLECTING.search(output) and (found := _NOT_IMPORTED.search(output)):
        return f"the tests need the module {found[1]}, which isn't installed"
    if found := _NOT_REQUIRED.search(output):
        return f"the module {found[1]} isn't installed"
    if exit_code == _PYTEST_EMPTY or _NOTHING_RAN.search(output):
        return "the runner found no tests"
    return None
