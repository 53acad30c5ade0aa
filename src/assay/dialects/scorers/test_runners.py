"""``tests: pytest`` in a command scorer: the command, what is put back first, and the report, in one word."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.field_limits import one_of

TESTS = "tests"
TO_FIX = "to_fix"
_XML, _JSON, _TEXT = ".assay-report.xml", ".assay-report.json", ".assay-report.txt"
_PUT_BACK = ["@tests", "@runner"]
_WITH_CANARIES = ("pytest", "unittest", "jest", "vitest", "node", "go")


@dataclass(frozen=True, slots=True)
class _TestTool:
    """How a runner is started so that it writes a report. Without a command, the scenario must have one."""

    command: str | None
    report: str
    format: str


RUNNERS = {
    "pytest": _TestTool(f"python3 -m pytest -q -p no:cacheprovider --junitxml={_XML}", _XML, "junit"),
    "unittest": _TestTool(
        f"python3 -m unittest discover -v -b 2> {_TEXT} || {{ code=$?; cat {_TEXT} >&2; exit $code; }}",
        _TEXT,
        "unittest",
    ),
    "jest": _TestTool(f"npx --no-install jest --ci --json --outputFile={_JSON}", _JSON, "jest"),
    "vitest": _TestTool(f"npx --no-install vitest run --reporter=json --outputFile={_JSON}", _JSON, "jest"),
    "node": _TestTool(f"node --test --test-reporter=junit --test-reporter-destination={_XML}", _XML, "junit"),
    "go": _TestTool(f"go test -json ./... > {_JSON}", _JSON, "go"),
    "cargo": _TestTool(
        f"RUSTC_BOOTSTRAP=1 cargo test -- -Z unstable-options --format json > {_JSON}", _JSON, "cargo"
    ),
    "junit": _TestTool(None, _XML, "junit"),
}


@dataclass(frozen=True, slots=True)
class Shorthand:
    """``tests`` names a test runner: its command, what is put back first and its report follow from that.

    ``to_fix`` lists tests that fail on the baseline and must pass.
    """

    tests: str | None = field(default=None, metadata=one_of(RUNNERS))
    to_fix: tuple[str, ...] = ()


class ShorthandError(ValueError):
    """A shorthand can't be written out. ``field`` says where, and the message what must be there."""

    def __init__(self, field: str, problem: str) -> None:
        super().__init__(problem)
        self.field = field


def written_out(config: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a scorer that runs tests, with ``tests`` written out. What the scenario says itself stays.

    Raises ``ShorthandError``.
    """
    if TESTS not in config:
        return dict(config)
    given = {key: value for key, value in config.items() if key not in (TESTS, TO_FIX)}
    runner = RUNNERS.get(config[TESTS]) if isinstance(config[TESTS], str) else None
    if runner is None:
        raise ShorthandError(TESTS, f"must be one of {', '.join(RUNNERS)}, got {config[TESTS]!r}")
    if runner.command is None and "command" not in given:
        raise ShorthandError("command", f"must be given with tests: {config[TESTS]}, got nothing")
    report = given.get("report", {})
    if not isinstance(report, dict):
        raise ShorthandError("report", f"must be an object, got {report!r}")
    to_fix = config.get(TO_FIX, [])
    if not isinstance(to_fix, list) or not all(isinstance(name, str) for name in to_fix):
        raise ShorthandError(TO_FIX, f"must be a list of names of tests, got {to_fix!r}")
    expected = [*report.get("expected", []), *to_fix]
    return {
        "command": runner.command,
        "restore": _PUT_BACK,
        **_canaries(config[TESTS]),
        **given,
        "report": {"path": runner.report, "format": runner.format, **report, "expected": expected},
    }


def _canaries(runner: str) -> dict[str, str]:
    return {"canaries": runner} if runner in _WITH_CANARIES else {}
