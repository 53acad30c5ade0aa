"""The line heuristic for languages without a reader."""

import pytest

from assay.detectors.test_code.lines import marker_lines, net_added


@pytest.mark.parametrize(
    "line",
    [
        "$this->markTestSkipped('later');",
        "@Ignore",
        "@Disabled fun adds() {}",
        "  xit('adds', () => {})",
        "@tag :skip",
        "TEST(Math, DISABLED_Adds) {}",
        "GTEST_SKIP();",
        "try XCTSkipIf(true)",
        "skip 'later'",
        "it.skip('adds')",
    ],
)
def test_skips(line: str) -> None:
    assert marker_lines(line, skips=True) == [(1, line.strip())]


@pytest.mark.parametrize(
    "line",
    [
        "// skip this",
        "# @Ignore",
        'name = "skip(1)"',
        "skipper = 3",
        "reader.skipLines(3);",
        "  * pending",
        "-- skip()",
    ],
)
def test_words_that_are_no_skips(line: str) -> None:
    assert marker_lines(line, skips=True) == []


@pytest.mark.parametrize(
    "line",
    [
        "$this->assertSame(1, f());",
        "assert f() == 1",
        "EXPECT_EQ(f(), 1);",
        "XCTAssertEqual(f(), 1)",
        "f() shouldBe 1",
        "is(f(), 1);",
        '[ "$status" -eq 0 ]',
    ],
)
def test_assertions(line: str) -> None:
    assert marker_lines(line, skips=False) == [(1, line)]


def test_only_what_is_more_or_less_counts() -> None:
    before = "EXPECT_EQ(f(), 1);\nEXPECT_EQ(g(), 2);\n"
    assert net_added(before, "EXPECT_EQ(g(), 2);\nEXPECT_EQ(f(), 1);\n", skips=False) == (0, [])
    assert net_added(before, "EXPECT_EQ(f(), 1);\n", skips=False) == (-1, [(2, "EXPECT_EQ(g(), 2);")])
    assert net_added(before, before + "EXPECT_EQ(h(), 3);\n", skips=False) == (1, [(3, "EXPECT_EQ(h(), 3);")])
