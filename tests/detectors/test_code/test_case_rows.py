"""Rows of tables of cases, which are compared by what they want for what they are given."""

import pytest

from assay.detectors.test_code.findings import FilePair
from assay.detectors.test_code.read import read_test_code
from assay.detectors.test_code.weakening import compare_assertions
from assay.evidence.workspace import read_here

GO = """package a

import "testing"

func TestAdd(t *testing.T) {
	for _, tt := range []struct{ %s }{%s} {
		if got := Add(tt.a, tt.b); got != tt.want {
			t.Errorf("got %%d", got)
		}
	}
}
"""
JAVASCRIPT = "it.each([%s])('adds', (a, b, sum) => { expect(add(a, b)).toBe(sum); });\n"
RECORDS = "it.each([%s])('adds', ({ a, expected }) => { expect(twice(a)).toBe(expected); });\n"
PLAIN = "a, b, want int"


def go(fields: str, rows: str) -> tuple[str, str]:
    return "a_test.go", GO % (fields, rows)


def javascript(rows: str) -> tuple[str, str]:
    return "a.test.js", JAVASCRIPT % rows


def records(rows: str) -> tuple[str, str]:
    return "a.test.js", RECORDS % rows


def thinned(over: str) -> tuple[str, str]:
    loop = f"for (const [n, want] of {over}) {{ expect(twice(n)).toBe(want); }}"
    return "a.test.js", f"test('a', () => {{\n  const rows = [[1, 2], [2, 4]];\n  {loop}\n}});\n"


def subtests(first: str) -> tuple[str, str]:
    run = 't.Run("a", func(t *testing.T) { assert.Equal(t, 3, Add(c.a, c.b)) })'
    loop = f"for _, c := range []struct{{ a, b int }}{{{{1, 2}}, {{2, 1}}}} {{\n{first}\n{run}\n}}"
    return "a_test.go", f'package a\n\nimport "testing"\n\nfunc TestAdd(t *testing.T) {{\n{loop}\n}}\n'


def rules(before: tuple[str, str], after: tuple[str, str]) -> list[str]:
    old, new = (read_test_code(path, text.encode(), read_here) for path, text in (before, after))
    return [found.rule for found in compare_assertions([FilePair(after[0], before[0], old, new)]).findings]


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (go(PLAIN, "{1, 2, 3}"), go(PLAIN, "{1, 2, 4}"), ["expectation-rewritten"]),
        (go(PLAIN, "{a: 1, b: 2, want: 3}"), go(PLAIN, "{a: 1, b: 2, want: 4}"), ["expectation-rewritten"]),
        (javascript("[1, 2, 3]"), javascript("[1, 2, 4]"), ["expectation-rewritten"]),
        (records("{a: 1, expected: 3}"), records("{a: 1, expected: 4}"), ["expectation-rewritten"]),
        (go(PLAIN, "{1, 2, 3}, {2, 2, 4}"), go(PLAIN, "{1, 2, 3}"), ["cases-removed"]),
        (thinned("rows"), thinned("rows.filter(([n]) => n > 1)"), ["cases-removed", "assertion-weaker"]),
        (subtests(""), subtests("if c.a > c.b { continue }"), ["cases-removed", "cases-removed"]),
    ],
)
def test_worse(before: tuple[str, str], after: tuple[str, str], expected: list[str]) -> None:
    assert rules(before, after) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (go(PLAIN, "{1, 2, 3}"), go(PLAIN, "{1, 2, 3}, {2, 2, 4}")),
        (go(PLAIN, "{1, 2, 3}, {2, 2, 4}"), go(PLAIN, "{2, 2, 4}, {1, 2, 3}")),
        (go(PLAIN, "{1, 2, 3}"), go(PLAIN, "{a: 1, b: 2, want: 3}")),
        (go(PLAIN, "{1, 2, 3}"), go("name string; a, b, want int", '{"small", 1, 2, 3}')),
        (go(PLAIN, "{1, 2, 3}"), go(PLAIN + "; wantErr bool", "{1, 2, 3, false}")),
        (javascript("[1, 2, 3]"), javascript("[1, 2, 3], [5, 5, 10]")),
    ],
)
def test_as_good(before: tuple[str, str], after: tuple[str, str]) -> None:
    assert rules(before, after) == []
