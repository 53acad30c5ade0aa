"""Shell scripts as a reader sees them: command lines, and what happens on every path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.shell import always, command_lines


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
    return always(script, lambda text: "yes" in text)


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
    assert always(script, lambda text: "never" in text) is False


@given(SCRIPTS)
def test_line_numbers_rise(script: str) -> None:
    numbers = [line.number for line in command_lines(script)]
    assert numbers == sorted(set(numbers))
