"""Tests that a macro of the file writes: its calls are replaced by what they stand for, line by line.

Only macros with a test in them are looked at. A call that none of a macro's rules fits stays as it is.
"""

import re
from dataclasses import dataclass, field
from itertools import islice

_MACRO = re.compile(r"\bmacro_rules!\s*(\w+)\s*[({]")
_TEST = re.compile(r"#\[(?:\w+::)*(?:test|rstest|test_case)\b")
_TOKEN = re.compile(
    r"""(?P<space>(?:\s++|//[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z))++) | r\#+"(?:[^"]|"(?!\#))*+(?:"\#+|\Z)
    | b?"(?:\\.|[^"\\])*+(?:"|\Z) | b?'(?:\\.[^']{0,8}|[^'\\])' | \$?[A-Za-z_]\w*+ | \d[\w.]*+ | => | ::
    | -> | .""",
    re.VERBOSE | re.DOTALL,
)
_PAIRS = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_PAIRS.values())
_ONE = frozenset(("ident", "literal", "lifetime", "tt", "vis"))
_PASSES, _MOST_CALLS, _MOST_MACROS, _DEEPEST = 3, 200, 20, 20
_LONGEST, _LONGEST_CALL, _LONGEST_MACRO = 1_000_000, 10_000, 50_000


@dataclass(slots=True)
class _Bound:
    """The values of a rule's names, and those of its repetitions in each round."""

    names: dict[str, list[str]] = field(default_factory=dict)
    rounds: list[list["_Bound"]] = field(default_factory=list)


Tokens = list[str]
_Rule = tuple[Tokens, Tokens]


def written_out(text: str) -> str:
    """The text with the tests that macros write in the place of their calls; lines keep their numbers."""
    if "macro_rules!" not in text or not _TEST.search(text):
        return text
    for _ in range(_PASSES):
        longer = _replaced(text)
        if longer == text or len(longer) > _LONGEST:
            break
        text = longer
    return text


def _tokens(text: str, start: int, most: int) -> tuple[Tokens, int]:
    """The tokens in the brackets that open here, each with a space before it where there was any, and their end.

    They end where they begin if they don't close.
    """
    found: Tokens = []
    depth, apart = 0, False
    for each in _TOKEN.finditer(text, start, start + most):
        if each["space"]:
            apart = True
            continue
        token = each.group()
        depth += (token in _PAIRS) - (token in _CLOSING)
        if depth <= 0:
            return found[1:], each.end()
        found.append(f" {token}" if apart else token)
        apart = False
    return [], start


def _bare(token: str) -> str:
    return token.lstrip()


def _closing(tokens: Tokens, at: int) -> int:
    """Where the bracket closes that opens here."""
    depth = 0
    for index in range(at, len(tokens)):
        depth += (_bare(tokens[index]) in _PAIRS) - (_bare(tokens[index]) in _CLOSING)
        if depth == 0:
            return index
    return len(tokens) - 1


def _rules(tokens: Tokens) -> list[_Rule]:
    found: list[_Rule] = []
    at = 0
    while at < len(tokens) and _bare(tokens[at]) in _PAIRS:
        end = _closing(tokens, at)
        if end + 2 >= len(tokens) or _bare(tokens[end + 1]) != "=>":
            break
        last = _closing(tokens, end + 2)
        found.append((tokens[at + 1 : end], tokens[end + 3 : last]))
        at = last + 2
    return found


def _replaced(text: str) -> str:
    """The text with what the calls of its macros stand for."""
    macros: dict[str, list[_Rule]] = {}
    defined: list[tuple[int, int]] = []
    for head in islice(_MACRO.finditer(text), _MOST_MACROS):
        inside, end = _tokens(text, head.end() - 1, _LONGEST_MACRO)
        defined.append((head.start(), end))
        if _TEST.search("".join(inside)):
            macros[head[1]] = _rules(inside)
    if not macros:
        return text
    calls = re.compile(rf"(?<![\w!])({'|'.join(map(re.escape, macros))})!\s*(?=[(\[{{])")
    pieces: list[str] = []
    at = 0
    for head in islice(calls.finditer(text), _MOST_CALLS):
        if head.start() < at or any(start <= head.start() < end for start, end in defined):
            continue
        given, end = _tokens(text, head.end(), _LONGEST_CALL)
        if end == head.end():
            # What comes next is inside of it.
            break
        made = _made(macros[head[1]], given)
        if made is None:
            continue
        end += text[end : end + 1] == ";"
        pieces += [text[at : head.start()], made, "\n" * text.count("\n", head.start(), end)]
        at = end
    return "".join([*pieces, text[at:]])


def _made(rules: list[_Rule], given: Tokens) -> str | None:
    """The text of a call by the first rule that fits it."""
    for pattern, body in rules:
        bound = _Bound()
        if _fits(pattern, given, bound) == len(given):
            return "".join(_filled(body, bound))
    return None


def _fits(pattern: Tokens, given: Tokens, bound: _Bound, at: int = 0, depth: int = 0) -> int | None:
    """How far tokens fit a pattern; None where they don't."""
    index = 0
    if depth > _DEEPEST:
        return None
    while index < len(pattern):
        word = _bare(pattern[index])
        if word == "$" and index + 1 < len(pattern) and _bare(pattern[index + 1]) == "(":
            end = _closing(pattern, index + 1)
            separator, index_after = _separator(pattern, end)
            at = _fit_rounds(pattern[index + 2 : end], separator, given, bound, at, depth)
            index = index_after
            continue
        if word[0] == "$" and len(word) > 1 and index + 2 < len(pattern):
            stop = _bare(pattern[index + 3]) if index + 3 < len(pattern) else ""
            end = _fragment(_bare(pattern[index + 2]), stop, given, at)
            if end <= at:
                return None
            bound.names[word] = given[at:end]
            at, index = end, index + 3
            continue
        if at >= len(given) or _bare(given[at]) != word:
            return None
        at, index = at + 1, index + 1
    return at


def _separator(pattern: Tokens, closed: int) -> tuple[str, int]:
    """The separator of rounds, and where the pattern goes on behind its ``*``."""
    following = _bare(pattern[closed + 1]) if closed + 1 < len(pattern) else ""
    return ("", closed + 2) if following in ("*", "+", "?") else (following, closed + 3)


def _fit_rounds(inner: Tokens, separator: str, given: Tokens, bound: _Bound, at: int, depth: int) -> int:
    rounds: list[_Bound] = []
    while at < len(given):
        start = at
        if rounds and separator:
            if _bare(given[at]) != separator:
                break
            start += 1
        one = _Bound()
        end = _fits(inner, given, one, start, depth + 1)
        if end is None or end <= at:
            break
        rounds.append(one)
        at = end
    bound.rounds.append(rounds)
    return at


def _fragment(kind: str, stop: str, given: Tokens, at: int) -> int:
    """Where a fragment ends that begins here."""
    if at >= len(given):
        return at
    if kind in _ONE:
        minus = _bare(given[at]) == "-"
        return (_closing(given, at) if _bare(given[at]) in _PAIRS else at + minus) + 1
    while at < len(given) and _bare(given[at]) not in (stop, ",", ";", "=>"):
        at = _closing(given, at) + 1 if _bare(given[at]) in _PAIRS else at + 1
    return at


def _filled(body: Tokens, bound: _Bound, depth: int = 0) -> Tokens:
    """A body with what its names stand for."""
    out: Tokens = []
    index = repetition = 0
    while index < len(body):
        word = _bare(body[index])
        if word == "$" and index + 1 < len(body) and _bare(body[index + 1]) == "(" and depth < _DEEPEST:
            end = _closing(body, index + 1)
            separator, index_after = _separator(body, end)
            rounds = bound.rounds[repetition] if repetition < len(bound.rounds) else []
            for number, each in enumerate(rounds):
                known = _Bound({**bound.names, **each.names}, each.rounds)
                out += [separator] if number and separator else []
                out += [" ", *_filled(body[index + 2 : end], known, depth + 1)]
            repetition += 1
            index = index_after
            continue
        out += [" ", *bound.names[word]] if word in bound.names else [body[index]]
        index += 1
    return out
