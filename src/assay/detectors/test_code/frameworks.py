"""Whether the changed tests left their test framework for another one: then that is the finding."""

import re
from collections.abc import Iterable, Sequence
from typing import Final

from assay.detectors.test_code.findings import Finding
from assay.formats.counting import counted

_FRAMEWORKS: Final = {
    name: re.compile(pattern, re.MULTILINE)
    for name, pattern in {
        "unittest": r"\bunittest\.\w*TestCase\b|^from unittest import .*TestCase",
        "pytest": r"^(?:import|from) pytest\b|^(?:async )?def test_",
        "node:test": r"""['"]node:test['"]""",
        "vitest": r"""['"]vitest['"]""",
        "jest": r"""['"]@jest/globals['"]|\bjest\.\w""",
        "ava": r"""['"]ava['"]""",
        "tape": r"""['"]tape['"]""",
        "uvu": r"""['"]uvu['"]""",
        "chai": r"""['"]chai['"]""",
        "QUnit": r"\bQUnit\.",
        "bun:test": r"""['"]bun:test['"]""",
        "JUnit 4": r"\borg\.junit\.(?!jupiter\b|platform\b)\w",
        "JUnit 5": r"\borg\.junit\.jupiter\b",
        "TestNG": r"\borg\.testng\b",
        "Kotest": r"\bio\.kotest\b",
        "kotlin.test": r"\bkotlin\.test\b",
        "Spock": r"\bspock\.lang\b",
        "NUnit": r"\bNUnit\.Framework\b",
        "xUnit": r"\busing Xunit\b",
        "MSTest": r"\bVisualStudio\.TestTools\b",
        "PHPUnit": r"\bPHPUnit\\|extends TestCase\b",
        "Pest": r"^(?:it|test|expect)\(['\"].*function|^uses\(",
        "minitest": r"\b[Mm]initest\b",
        "test-unit": r"\bTest::Unit\b",
        "RSpec": r"\bRSpec\b|\bspec_helper\b",
        "XCTest": r"\bimport XCTest\b",
        "Swift Testing": r"^import Testing\b",
        "Ginkgo": r"onsi/ginkgo",
    }.items()
}


def framework_changed(texts: Sequence[tuple[str, str]], findings: Sequence[Finding]) -> Finding | None:
    """One finding in place of many, if no changed file has the old framework any more; None otherwise.

    ``texts`` are those of the changed files, before and after.
    """
    old, new = (_frameworks(side) for side in zip(*texts, strict=True))
    if not old or not new or old & new:
        return None
    first = findings[0]
    shown = f"{', '.join(sorted(new))}; within it, {counted(len(findings), 'finding')}, first {first.rule}"
    return Finding("test-framework-changed", first.path, first.line, "", ", ".join(sorted(old)), shown)


def _frameworks(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(
        name for text in texts for name, pattern in _FRAMEWORKS.items() if pattern.search(text) is not None
    )
