"""The line heuristic: counts of what looks like a skip or an assertion, for languages without a reader.

Approximate by design. Text in quotes and comments does not count.
"""

import re
from collections import Counter

_SKIPS = re.compile(
    r"""@(?:Ignore|Disabled|Skip|skip\w*|unittest\.(?:skip\w*|expectedFailure)|pytest\.mark\.(?:skip\w*|xfail))\b
      | @tag\s+:?skip | \#\[\s*ignore | \bDISABLED_\w+ | \b(?:Ignore|Skip)\s*=\s*["'$]
      | \.config\(\s*enabled\s*=\s*false | \bGTEST_SKIP\b
      | \b(?:pytest\.(?:skip|xfail|importorskip)|skipTest|markTestSkipped|markTestIncomplete|XCTSkip\w*)\b
      | \b(?:t|b|tb)\.(?:Skip|Skipf|SkipNow)\b
      | \b(?:xit|xdescribe|xtest|xcontext|xspecify|fit|fdescribe)\b\s*[(\s]
      | \.(?:skip|only|todo|skipIf|runIf)\b\s*[(.] | \b(?:skip|pending)\s*(?:$|\(|["'])
      | \b(?:assumeTrue|assumeFalse|Assume\.\w+)\b | \bskip_on_\w+\(""",
    re.VERBOSE,
)
_ASSERTIONS = re.compile(
    r"""\b(?:assert|expect|should|require|verify|refute|check)\w*\s*[(!.\s] | \bassert_\w+ | @test\b
      | \b(?:ASSERT|EXPECT|CHECK|REQUIRE)(?:_\w+)?\s*\( | \bXCTAssert\w*\( | (?:->|::)assert\w+\(
      | \bt\.(?:Error|Errorf|Fatal|Fatalf|Fail|FailNow)\( | \b(?:shouldBe|mustBe)\b
      | \b(?:is|ok|is_deeply|like|isnt|cmp_ok)\s*\( | \[\[?\s.{0,2000}\s\]\]?""",
    re.VERBOSE,
)
_QUOTED = re.compile(
    r"""("[^"\\\n]*+(?:\\.[^"\\\n]*+){0,1000}+"|'[^'\\\n]*+(?:\\.[^'\\\n]*+){0,1000}+'|`[^`\\\n]*+(?:\\.[^`\\\n]*+){0,1000}+`)"""
)
_COMMENT = re.compile(r"(?:^|\s)(?://|#(?!\[)|--\s|;;|%%|\*\s|/\*).*$")


def marker_lines(text: str, *, skips: bool) -> list[tuple[int, str]]:
    """The lines that look like a skip, or like an assertion, with their numbers."""
    pattern = _SKIPS if skips else _ASSERTIONS
    found = []
    for number, line in enumerate(text.split("\n"), 1):
        bare = _COMMENT.sub("", _QUOTED.sub('""', line[:2000]))
        if pattern.search(bare):
            found.append((number, line.strip()[:240]))
    return found


def net_added(before: str, after: str, *, skips: bool) -> tuple[int, list[tuple[int, str]]]:
    """How many more such lines there are, and the new ones, or the lost ones where there are fewer."""
    old, new = marker_lines(before, skips=skips), marker_lines(after, skips=skips)
    net = len(new) - len(old)
    more, fewer = (new, old) if net >= 0 else (old, new)
    return net, _left_over(more, fewer)[: abs(net)]


def _left_over(more: list[tuple[int, str]], fewer: list[tuple[int, str]]) -> list[tuple[int, str]]:
    known = Counter(line for _, line in fewer)
    left = []
    for number, line in more:
        if known[line]:
            known[line] -= 1
        else:
            left.append((number, line))
    return left
