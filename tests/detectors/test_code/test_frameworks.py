"""Tests that left their framework for another one: one finding that says so, with the others within it."""

import pytest

from assay.checks.assertions_not_weakened import AssertionsNotWeakened
from assay.core.outcome import Scored
from tests.checks.fake_workspace import FakeWorkspace

MOCHA = """const { expect } = require('chai');
describe('cube', () => {
  it('of two', () => { expect(cube(2)).to.equal(8); });
  it('of three', () => { expect(cube(3)).to.equal(27); });
});
"""
NODE = """const test = require('node:test');
test('all cubes', (t) => { t.assert.snapshot([2, 3].map(cube)); });
"""
JUNIT = """import org.junit.Test;
public class CubeTest {
  @Test public void two() { org.junit.Assert.assertEquals(8, cube(2)); }
  @Test public void three() { org.junit.Assert.assertEquals(27, cube(3)); }
}
"""
SPOCK = """import spock.lang.Specification
class CubeTest extends Specification {
  def two() { expect: cube(2) == 8 }
}
"""


@pytest.mark.parametrize(
    ("old", "new", "frameworks"),
    [
        ({"test/cube.test.js": MOCHA}, {"test/cube.test.js": NODE}, ("chai", "node:test")),
        (
            {"src/test/java/CubeTest.java": JUNIT},
            {"src/test/groovy/CubeTest.groovy": SPOCK},
            ("JUnit 4", "Spock"),
        ),
    ],
    ids=["javascript", "java"],
)
def test_one_finding(old: dict[str, str], new: dict[str, str], frameworks: tuple[str, str]) -> None:
    found = AssertionsNotWeakened().run(FakeWorkspace(old, new))
    assert isinstance(found, Scored)
    listed = found.evidence["findings"]
    assert isinstance(listed, list)
    (finding,) = listed
    assert (found.passed, finding["rule"], finding["before"]) == (False, "test-framework-changed", frameworks[0])
    assert finding["after"].startswith(f"{frameworks[1]}; within it, ")
    assert len(found.evidence["within_it"]) >= 2  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "new",
    [
        {"test/cube.test.js": MOCHA.replace(".to.equal(8)", "").replace(".to.equal(27)", "")},
        {"test/cube.test.js": MOCHA[: MOCHA.index("  it(")] + "});\n", "test/new.test.js": NODE},
    ],
    ids=["the same framework", "the old one beside the new one"],
)
def test_others_stay_as_they_are(new: dict[str, str]) -> None:
    found = AssertionsNotWeakened().run(FakeWorkspace({"test/cube.test.js": MOCHA}, new))
    assert isinstance(found, Scored)
    rules = {one["rule"] for one in found.evidence["findings"]}  # type: ignore[attr-defined]
    assert rules
    assert "test-framework-changed" not in rules
