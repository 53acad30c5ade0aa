"""Dockerfiles, as Docker's reference has them: lines to instructions, instructions to words, and variables."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.formats.dockerfile import Instruction, parse_dockerfile, substitute


def parsed(text: str) -> list[tuple[int, str, str]]:
    return [(one.line, one.keyword, one.text) for one in parse_dockerfile(text)]


@pytest.mark.parametrize(
    ("text", "instructions"),
    [
        ("", []),
        ("\n\n# only a comment\n", []),
        ("FROM debian:12", [(1, "FROM", "debian:12")]),
        ("FROM debian:12\nWORKDIR /app\n", [(1, "FROM", "debian:12"), (2, "WORKDIR", "/app")]),
        ("FROM debian:12\r\nWORKDIR /app\r\n", [(1, "FROM", "debian:12"), (2, "WORKDIR", "/app")]),
        # Keywords in any case; white space around.
        ("from debian:12\n  Run x  \n", [(1, "FROM", "debian:12"), (2, "RUN", "x")]),
        ("WORKDIR    /app", [(1, "WORKDIR", "/app")]),
        ("WORKDIR\t/app", [(1, "WORKDIR", "/app")]),
        ("CMD", [(1, "CMD", "")]),
        # Continuation lines: the instruction begins where its first line is.
        ("\nRUN a \\\n  b \\\n  c\nRUN d", [(2, "RUN", "a b c"), (5, "RUN", "d")]),
        ("RUN a \\\n", [(1, "RUN", "a")]),
        ("RUN a \\", [(1, "RUN", "a")]),
        ("\\", []),
        # Comments and empty lines inside of one are left out.
        ("RUN a \\\n# why\n\n  # still\n  b", [(1, "RUN", "a b")]),
        ("# FROM x\nFROM y # not a comment", [(2, "FROM", "y # not a comment")]),
        ("  # indented\nFROM y", [(2, "FROM", "y")]),
        # The escape directive.
        ("# escape=`\nRUN a `\n b", [(2, "RUN", "a b")]),
        ("#escape = `\nCOPY c:\\ d", [(2, "COPY", "c:\\ d")]),
        ("# syntax=docker/dockerfile:1\n# escape=`\nRUN a `\n b", [(3, "RUN", "a b")]),
        ("FROM x\n# escape=`\nRUN a \\\n b", [(1, "FROM", "x"), (3, "RUN", "a b")]),
    ],
)
def test_lines_become_instructions(text: str, instructions: list[tuple[int, str, str]]) -> None:
    assert parsed(text) == instructions


@pytest.mark.parametrize(
    "opening",
    ["RUN <<EOF", "RUN <<-EOF", "RUN <<'EOF'", 'RUN <<"EOF" cat', "COPY <<EOF /app/x", "RUN python3 <<EOF"],
)
def test_the_lines_of_a_here_document_are_no_instructions(opening: str) -> None:
    found = parsed(f"{opening}\nENV A=1\ncopy a b\nWORKDIR /evil\nEOF\nWORKDIR /app\n")
    assert [(line, keyword) for line, keyword, _ in found] == [(1, opening.partition(" ")[0]), (6, "WORKDIR")]
    assert "<<" in found[0][2]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a b c", ["a", "b", "c"]),
        ("a\tb", ["a", "b"]),
        ("'a b' \"c d\" e\\ f", ["a b", "c d", "e f"]),
        ('["a b", "/x/"]', ["a b", "/x/"]),
        ('[ "a" ]', ["a"]),
        ('["a", 1]', ["[a,", "1]"]),
        ("[ab].txt /x", ["[ab].txt", "/x"]),
        ("it's broken", ["it's", "broken"]),
        ("", []),
        ("--chown=1:1 a b", ["a", "b"]),
        ("--chown=1:1 --chmod=755 a b", ["a", "b"]),
        ("--link a b", ["a", "b"]),
        ('--from=build ["a b", "c"]', ["a b", "c"]),
        ("a --not-a-flag=1 b", ["a", "--not-a-flag=1", "b"]),
    ],
)
def test_the_words_of_an_instruction(text: str, words: list[str]) -> None:
    assert Instruction("COPY", text, 1).words == words


@pytest.mark.parametrize(
    ("text", "flags"),
    [
        ("a b", {}),
        ("--from=build a b", {"from": "build"}),
        ("--chown=1:1 --from=build a b", {"chown": "1:1", "from": "build"}),
        ("--platform=linux/amd64 debian:12", {"platform": "linux/amd64"}),
        ("a --from=build b", {}),
        ("--checksum=sha256:ab=cd x y", {"checksum": "sha256:ab=cd"}),
    ],
)
def test_the_flags_in_front(text: str, flags: dict[str, str]) -> None:
    assert Instruction("COPY", text, 1).flags == flags


def test_a_flag_behind_one_without_a_value_is_seen() -> None:
    assert Instruction("COPY", "--link --from=build a b", 1).flags["from"] == "build"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$A", "one"),
        ("${A}", "one"),
        ("x${A}y$A-z", "xoney" + "one-z"),
        ("$AB", ""),
        ("${A:-other}", "one"),
        ("${B:-other}", "other"),
        ("${B:-}", ""),
        ("${EMPTY:-other}", "other"),
        ("$B", ""),
        ("${B}", ""),
        ("$", "$"),
        ("$1", "$1"),
        ("${}", "${}"),
        ("plain", "plain"),
        ("$A$A", "oneone"),
        ("${TRICK}", "$A"),
    ],
)
def test_variables(text: str, expected: str) -> None:
    """A name without a value becomes nothing; what was put in is not looked at again."""
    assert substitute(text, {"A": "one", "EMPTY": "", "TRICK": "$A"}) == expected


@given(st.text())
@example("\\")
@example("\\\n\\\n")
def test_no_text_makes_it_raise(text: str) -> None:
    for instruction in parse_dockerfile(text):
        assert instruction.line >= 1
        assert isinstance(instruction.words, list)
        assert isinstance(instruction.flags, dict)
        assert isinstance(substitute(instruction.text, {}), str)


LINES = st.lists(st.sampled_from(["RUN a \\", "# c", "", "  b", "COPY --from=x a", "--link", '["', "<<E", "E"]))


@given(LINES.map("\n".join))
def test_instructions_come_in_the_order_of_their_lines(text: str) -> None:
    numbers = [one.line for one in parse_dockerfile(text)]
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= text.count("\n") + 1 for number in numbers)
