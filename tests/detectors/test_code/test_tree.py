"""What the thin layer over the parser gives to the readers."""

import time

import pytest

from assay.detectors.test_code.tree import parse
from assay.evidence.workspace import UnreadableError
from tests.builders import REPO

KINDS = frozenset(("call_expression", "arguments", "statement_block"))


def test_nodes_come_in_order_and_know_what_is_around_them() -> None:
    tree = parse("a(b(1));\n{ c() }", "javascript", KINDS)
    found = [(tree.source(node), node.parent.kind if node.parent else None) for node in tree.nodes[1:]]
    assert found == [
        ("a(b(1))", ""),
        ("(b(1))", "call_expression"),
        ("b(1)", "arguments"),
        ("(1)", "call_expression"),
        ("{ c() }", ""),
        ("c()", "statement_block"),
        ("()", "call_expression"),
    ]


def test_offsets_count_characters_and_lines_begin_at_one() -> None:
    tree = parse("é😀;\nf(1)\n", "javascript", KINDS)
    call = tree.nodes[1]
    assert (tree.source(call), tree.line(call.start)) == ("f(1)", 2)


def test_within_gives_what_begins_between_two_offsets() -> None:
    tree = parse("f(1); g(2); h(3)", "javascript", frozenset(("call_expression",)))
    assert [tree.source(node) for node in tree.within(6, 12)] == ["g(2)"]


def test_words_of_a_kind_can_be_asked_for() -> None:
    tree = parse("skip\nother", "ruby", frozenset(("call",)), ("identifier", "^skip$"))
    assert [tree.source(node) for node in tree.nodes[1:]] == ["skip"]


def test_what_is_no_code_is_a_problem_with_its_line() -> None:
    assert parse("a\n)\n", "javascript", KINDS).problems == ("Line 2 is no valid javascript.",)


def test_a_lone_surrogate_moves_nothing() -> None:
    tree = parse("'\ud800'; f()", "javascript", KINDS)
    assert tree.source(tree.nodes[1]) == "f()"


@pytest.mark.parametrize("rubble", ["-}", "*&!&", "!,<"])
def test_a_text_that_the_parser_would_need_very_long_for_is_refused(rubble: str) -> None:
    begin = time.process_time()
    with pytest.raises(UnreadableError, match="parts of it aren't typescript at all"):
        parse("f();\n" * 2000 + rubble * 50_000, "typescript", KINDS)
    assert time.process_time() - begin < 10


def test_several_pieces_with_many_errors_are_refused_before_they_are_parsed() -> None:
    with pytest.raises(UnreadableError, match="parts of it aren't javascript at all"):
        parse("grep: '" * 2000, "javascript", KINDS)


@pytest.mark.parametrize(
    ("language", "begin", "row", "end"),
    [
        ("go", "package a\n\nvar rows = []struct{ a, b int }{\n", "\t{1, 2},\n", "}\n"),
        ("java", "class A {\n    int[][] rows = {\n", "        {1, 2},\n", "    };\n}\n"),
        ("rust", "const ROWS: &[(i32, i32)] = &[\n", "    (1, 2),\n", "];\n"),
        ("typescript", "const rows = [\n", "  { a: 1, b: [2] },\n", "];\n"),
        ("php", "<?php\n$rows = [\n", "    ['a' => 1, 'b' => 2],\n", "];\n"),
    ],
)
def test_a_long_table_is_code(language: str, begin: str, row: str, end: str) -> None:
    assert not parse(begin + row * 3000 + end, language, frozenset()).problems


def test_a_long_text_in_another_language_is_read_with_its_problems() -> None:
    """Prose and other code are far from what makes the parser slow, so nothing but the text decides."""
    assert parse((REPO / "CONTRIBUTING.md").read_text(), "rust", frozenset(("call_expression",))).problems
