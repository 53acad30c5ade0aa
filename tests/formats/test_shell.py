"""Shell scripts as a reader sees them: command lines, and what happens on every path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.shell import command_lines
from assay.formats.shell_paths import missed_paths
from tests.sampling import examples


def lines(script: str) -> list[tuple[int, str]]:
    return [(line.number, line.text) for line in command_lines(script)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ("", []),
        ("#!/bin/bash\n\n# comment\n", []),
        ("a\n  b  \n", [(1, "a"), (2, "b")]),
        ("a \\\n  b\nc", [(1, "a  b"), (3, "c")]),
        ("a # why\nb", [(1, "a # why"), (2, "b")]),
        # Here-documents are left out, the command that reads them stays.
        ("cat <<EOF\nx\nEOF\ny", [(1, "cat <<EOF"), (4, "y")]),
        ("cat <<'EOF' > f\nx\nEOF\ny", [(1, "cat <<'EOF' > f"), (4, "y")]),
        ('cat <<"EOF"\nx\nEOF\ny', [(1, 'cat <<"EOF"'), (4, "y")]),
        ("cat <<-EOF\n\tx\n\tEOF\ny", [(1, "cat <<-EOF"), (4, "y")]),
        ("cat << EOF\n# x\nEOF\ny", [(1, "cat << EOF"), (4, "y")]),
        # What looks like one and is none.
        ("read x <<< word\ny", [(1, "read x <<< word"), (2, "y")]),
        ('read x <<<"word"\ny', [(1, 'read x <<<"word"'), (2, "y")]),
        ('grep x <<< "$y"\nz', [(1, 'grep x <<< "$y"'), (2, "z")]),
        ("n=$((1 << 3))\ny", [(1, "n=$((1 << 3))"), (2, "y")]),
        ("(( n = 1 << k ))\ny", [(1, "(( n = 1 << k ))"), (2, "y")]),
    ],
)
def test_command_lines(script: str, expected: list[tuple[int, str]]) -> None:
    assert lines(script) == expected


def happens(script: str) -> bool:
    """Whether a line with "yes" runs on every path."""
    return not missed_paths(script, lambda text: "yes" in text).at_end


@pytest.mark.parametrize(
    "script",
    [
        "yes",
        "a\nb\nyes\nc",
        "a; yes; b",
        "yes && b",
        "yes || b",
        "a && yes || yes",
        "if a; then yes; else yes; fi",
        "if a; then\n yes\nelse\n yes\nfi",
        "if a\nthen\n yes\nelse\n yes\nfi",
        "if a; then yes; elif b; then yes; else yes; fi",
        "if a; then b; fi\nyes",
        "if a; then b; else c; fi; yes",
        "if a; then if b; then yes; else yes; fi; else yes; fi",
        "if a; then echo 1; else echo 0; fi > yes",
        "for i in 1 2; do echo $i; done > yes",
        "for i in 1 2; do a; done\nyes",
        "while a; do b; done; yes",
        "until a; do b; done\nyes",
        "case $x in a) b;; esac\nyes",
        "case $x in a) yes;; *) yes;; esac",
        "case $x in\n  a)\n    yes\n    ;;\n  *)\n    yes\n    ;;\nesac",
        "if a; then yes; exit 0; fi\nyes",
        "{ a && b || c; } > yes",
        "(a && b || c) | tee yes",
        "a || { yes; exit 1; }\nyes",
        "trap 'yes' EXIT\na",
        "exit_code=1\nyes",
        "echo 'if you must'\nyes",
        "cat > yes <<EOF\n1\nEOF",
    ],
)
def test_it_happens_on_every_path(script: str) -> None:
    assert happens(script) is True


@pytest.mark.parametrize(
    "script",
    [
        "",
        "a",
        "# yes",
        "a && yes",
        "a || yes",
        "a && yes || b",
        "a && b || yes",
        "if a; then yes; fi",
        "if a; then yes; else b; fi",
        "if a; then b; else yes; fi",
        "if a; then yes; elif b; then yes; fi",
        "if a; then yes; elif b; then c; else yes; fi",
        "if a; then if b; then yes; fi; else yes; fi",
        "for i in 1 2; do yes; done",
        "while a; do yes; done",
        "until a; do yes; done",
        "case $x in a) yes;; esac",
        "case $x in a) yes;; *) b;; esac",
        "exit 0\nyes",
        "a; exit; yes",
        # The path that ends early has nothing of it.
        "if a; then exit 1; fi\nyes",
        "if a; then b; else exit 1; fi\nyes",
        "if a; then exit 1; elif b; then exit 2; fi\nyes",
        "a || exit 1\nyes",
        "a && exit 0\nyes",
        "cat <<EOF\nyes\nEOF",
    ],
)
def test_there_is_a_path_without_it(script: str) -> None:
    assert happens(script) is False


COMPOUND = (
    "if a",
    "then",
    "else",
    "elif b",
    "fi",
    "for i in x",
    "while a",
    "do",
    "done",
    "case x in",
    "esac",
    ";;",
)
PLAIN = ("yes", "exit 1", "a && yes", "a || b", "{", "}", "# c", "<<E", "E", "\\", "'", '"')
WORDS = st.lists(st.sampled_from([*COMPOUND, *PLAIN]), max_size=15)
SCRIPTS = st.text(max_size=60) | WORDS.map("\n".join) | WORDS.map("; ".join)


@given(SCRIPTS)
def test_no_script_makes_it_raise(script: str) -> None:
    assert happens(script) in (True, False)


@given(SCRIPTS)
def test_what_stands_in_the_first_line_happens(script: str) -> None:
    assert happens(f"yes\n{script}") is True


@given(SCRIPTS)
def test_what_is_nowhere_in_a_script_never_happens(script: str) -> None:
    assert missed_paths(script, lambda text: "never" in text).at_end is True


@given(SCRIPTS)
def test_line_numbers_rise(script: str) -> None:
    numbers = [line.number for line in command_lines(script)]
    assert numbers == sorted(set(numbers))


# --- Held against every path of scripts that are made up ---

Paths = frozenset[tuple[bool, bool]]
"""What can have come of a piece of a script: whether it happened, and whether the script has ended."""

Piece = tuple[str, Paths]
"""A piece of a script, and everything that can come of it."""


def then(first: Paths, second: Paths) -> Paths:
    return frozenset(
        (happened, ended) if ended else (happened or later, ends)
        for happened, ended in first
        for later, ends in second
    )


PLAIN_PIECES: list[Piece] = [
    ("a", frozenset({(False, False)})),
    ("yes", frozenset({(True, False)})),
    ("exit 1", frozenset({(False, True)})),
    ("a || exit 1", frozenset({(False, False), (False, True)})),
    ("a && yes", frozenset({(False, False), (True, False)})),
    ("a && yes || yes", frozenset({(True, False)})),
    ("a && exit 0", frozenset({(False, False), (False, True)})),
]


def block(pieces: list[Piece]) -> Piece:
    paths: Paths = frozenset({(False, False)})
    for _, found in pieces:
        paths = then(paths, found)
    return "\n".join(text for text, _ in pieces), paths


def choice(branches: list[Piece], last: Piece | None) -> Piece:
    words = [f"{'if' if number == 0 else 'elif'} c\nthen\n{text}" for number, (text, _) in enumerate(branches)]
    otherwise = "" if last is None else f"else\n{last[0]}\n"
    paths = frozenset[tuple[bool, bool]]().union(*(found for _, found in branches))
    return "\n".join([*words, f"{otherwise}fi"]), paths | (last[1] if last else {(False, False)})


def cases(branches: list[Piece], last: Piece | None) -> Piece:
    arms = [f"x{number})\n{text}\n;;" for number, (text, _) in enumerate(branches)]
    arms += [] if last is None else [f"*)\n{last[0]}\n;;"]
    paths = frozenset[tuple[bool, bool]]().union(*(found for _, found in branches))
    return "\n".join(["case $x in", *arms, "esac"]), paths | (last[1] if last else {(False, False)})


def loop(body: Piece) -> Piece:
    return f"while c\ndo\n{body[0]}\ndone", body[1] | {(False, False)}


def blocks(inner: st.SearchStrategy[Piece]) -> st.SearchStrategy[Piece]:
    return st.lists(inner, min_size=1, max_size=3).map(block)


def compounds(inner: st.SearchStrategy[Piece]) -> st.SearchStrategy[Piece]:
    bodies = blocks(inner)
    branches = st.lists(bodies, min_size=1, max_size=2)
    return (
        st.builds(choice, branches, st.none() | bodies)
        | st.builds(cases, branches, st.none() | bodies)
        | bodies.map(loop)
    )


@examples(300)
@given(blocks(st.recursive(st.sampled_from(PLAIN_PIECES), lambda inner: inner | compounds(inner), max_leaves=12)))
def test_it_is_true_exactly_if_no_path_goes_without_it(script: Piece) -> None:
    text, paths = script
    assert happens(text) is all(happened for happened, _ in paths)
