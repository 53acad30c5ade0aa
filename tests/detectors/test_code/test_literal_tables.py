"""Tables of cases, found in the source of any language by their brackets and told by their literals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.test_code.literal_tables import tables_of, used_whole
from assay.detectors.test_code.literals import literals

ONE, TWO = {'"EUR': 1, "11": 1}, {'"GBP': 1, "13": 1}


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("python", 'CASES = [("EUR", 11), ("GBP", 13)]'),
        ("python", '@pytest.mark.parametrize("a, b", [pytest.param("EUR", 11.0), pytest.param("GBP", 13)])'),
        ("python", "for a, b in {'EUR': 11, 'GBP': 13}.items(): pass"),
        ("javascript", "it.each([['EUR', 11], ['GBP', 13]])('a', f)"),
        ("typescript", "it.each<[string, number]>([['EUR', 11], ['GBP', 13]])('a', f)"),
        ("go", 'tests := []struct{ a string; b int }{{"EUR", 11}, {"GBP", 13}}'),
        ("go", 'map[string]int{"EUR": 11, "GBP": 13}'),
        ("java", 'Stream.of(Arguments.of("EUR", 11), Arguments.of("GBP", 13L))'),
        ("java", 'Map.of("EUR", 11, "GBP", 13)'),
        ("rust", '#[case("EUR", 11)]\n#[case::pound("GBP", 13_u32)]\nfn a() {}'),
        ("rust", 'for (a, b) in vec![("EUR", 11), ("GBP", 13)] {}'),
        ("ruby", "[['EUR', 11], [:GBP, 13]].each do |a, b|"),
        ("ruby", "it_behaves_like 'EUR', 11\nit_behaves_like 'GBP', 13"),
        ("csharp", '[InlineData("EUR", 11)]\n[InlineData("GBP", 13)]'),
        ("csharp", 'new List<object[]> { new object[] { "EUR", 11 }, new object[] { "GBP", 13 } }'),
    ],
)
def test_rows_have_what_stands_in_them(language: str, source: str) -> None:
    (table,) = tables_of(source, language)
    assert [dict(row.literals) for row in table.rows] == [ONE, TWO]


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("javascript", "test.each`\n  a | b\n  ${'EUR'} | ${11}\n  ${'GBP'} | ${13}\n`('a', f)"),
        ("java", '@CsvSource({"EUR, 11", "GBP, 13"})'),
        ("java", '@CsvSource(textBlock = """\n  EUR, 11\n  GBP, 13\n  """)'),
    ],
)
def test_a_text_has_its_cells(language: str, source: str) -> None:
    (table,) = tables_of(source, language)
    first, second = table.rows[-2:]
    assert ONE.items() <= first.literals.items()
    assert TWO.items() <= second.literals.items()


@pytest.mark.parametrize(
    ("language", "source"),
    [
        ("javascript", "it('a', () => { expect(f(1, 2)).toBe(3); });"),
        ("go", "func TestA(t *testing.T) { if f(1, 2) != 3 { t.Fail() } }"),
        ("python", "# [(1, 2), (3, 4)]\nassert f(1, 2) == 3"),
        ("rust", "/* [(1, 2), (3, 4)] */ assert_eq!(f(1, 2), 3);"),
    ],
)
def test_code_and_comments_are_no_tables(language: str, source: str) -> None:
    assert tables_of(source, language) == []


@pytest.mark.parametrize(
    ("source", "whole"),
    [
        ("cases = [(1, 2), (3, 4)]\nfor a, b in cases: pass", True),
        ("cases = [(1, 2), (3, 4)]\nfor a, b in cases[:0]: pass", False),
        ("let cases = [(1, 2), (3, 4)]; for c in cases.iter() {}", True),
        ("let cases = [(1, 2), (3, 4)]; for c in cases.into_iter().take(0) {}", False),
        ("const unused = [[1, 2], [3, 4]]; f(1)", False),
        ("f(cases = [(1, 2), (3, 4)])", True),
        ("[[1, 2], [3, 4]].forEach(f)", True),
        ("[[1, 2], [3, 4]].slice(1).forEach(f)", False),
        ("const cases = [[1, 2], [3, 4]]; cases.filter(c => c).forEach(f)", False),
    ],
)
def test_a_table_that_is_cut_short_is_not_used_as_a_whole(source: str, whole: bool) -> None:
    assert bool(used_whole(source, tables_of(source, "javascript"))) is whole


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.0", "1"), ("1_000", "1000"), ("10L", "10"), ("2.50f", "2.5"), ("'a'", '"a"'), ("%w[a b]", "['a', 'b']")],
)
def test_a_literal_is_what_it_means(one: str, other: str) -> None:
    assert literals(one, "ruby") == literals(other, "ruby")
    assert literals(one, "ruby") != literals(f"{other} 7", "ruby")


@given(
    st.text(alphabet="[](){}\"'`,;:|#/* \n=.case1a%w-", max_size=200), st.sampled_from(["python", "rust", "ruby"])
)
def test_any_text_has_tables_or_none(text: str, language: str) -> None:
    for table in used_whole(text, tables_of(text, language)):
        assert 0 <= table.start < table.end <= len(text)
