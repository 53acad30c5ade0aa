"""Questions beside those that tests ask: numbers a little larger, words with another letter, longer lists.

A question was written down as source, in Python or JavaScript, and is changed as text, so that one module serves
both. What is equal in a question stays equal: a number or a word is replaced wherever it occurs. Not changed is
what a program may rightly know one by one: zero, one, truth values, nothing, and a single word.
"""

import copy
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import Enum
from itertools import chain, islice, product, takewhile, zip_longest
from typing import Any

MOST = 64
LONGEST = 4000
"""How many are made of a question, and the characters of the longest question that has any."""

_LITERAL = re.compile(
    r"""(?P<name>named\('[^']*',\ '[^']*'\) | made\(\d+\) | new\ RegExp\("(?:[^"\\]|\\.)*",\ "\w*"\)
          | [A-Za-z_$][\w$]*(?!['"\w]))
      | (?P<text>b?'(?:[^'\\]|\\.)*' | b?"(?:[^"\\]|\\.)*")
      | (?P<number>-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)""",
    re.VERBOSE,
)
_PART = re.compile(r"(?P<escape>\\u[0-9a-f]{4}|\\x[0-9a-f]{2}|\\.)|(?P<word>[A-Za-z]+)|(?P<number>\d+)")
_KEY = 16
# What holds for a few may not hold for so many times as many. Odd ones keep what is odd.
_TIMES = (3, 7, 16)
_MOST_LISTS = 2
_ONE_WORD = re.compile(r"""(['"])[a-z]{2,}\1""")
_STEMS = ("bat", "dol", "ken", "mu", "sti", "tra", "go", "harn")
# How much alike words must be for a rule: two with two letters, or three with one.
_ALIKE = 3
# By how much a number differs. The first four show a line on both sides of it.
_STEPS = (1, 2, -1, -2, 10, 4, 100, 7, 20, -10)


class Kind(Enum):
    """The kind of change: a value, the order of several, how many there are, or many times as many."""

    VALUE = "value"
    ORDER = "order"
    SIZE = "size"
    MANY = "many"


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A question beside another one. ``step`` is by how much ``of``, a number, was changed, if it was."""

    question: Any
    kind: Kind
    of: str = ""
    step: int | None = None


@dataclass(frozen=True, slots=True)
class _Change:
    """New texts for a part of a question, wherever it occurs."""

    kind: Kind
    texts: tuple[str, ...]
    of: str = ""
    step: int | None = None


def neighbours(question: Any) -> list[Neighbour]:
    """Questions beside this one; none if all that it speaks of may be known one by one."""
    before = tuple(_texts(question))
    if sum(map(len, before)) > LONGEST:
        return []
    by_part = [*_values(before)]
    if not by_part:
        return []
    interleaved = (one for several in zip_longest(*by_part) for one in several if one is not None)
    changes = chain(islice(interleaved, MOST), _together(before), _lists(before))
    seen = {json.dumps(question)}
    found = [
        *(Neighbour(_with(question, one.texts), one.kind, one.of, one.step) for one in changes),
        *_steps(question),
        *_many(question, before),
    ]
    marks = [json.dumps(one.question) for one in found]
    return [one for one, mark in zip(found, marks, strict=True) if not (mark in seen or seen.add(mark))]  # type: ignore[func-returns-value]


def kin(questions: Sequence[Any]) -> list[Neighbour]:
    """Other words that end like those of several questions that differ in a word: a rule is about all of these."""
    texts = [tuple(_texts(one)) for one in questions]
    if len({tuple(_ONE_WORD.sub("", text) for text in one) for one in texts}) != 1:
        return []
    columns = [*zip(*([found[0] for text in one for found in _ONE_WORD.finditer(text)] for one in texts))]  # noqa: B905 - as many in each
    differing = [column for column in columns if len({*column}) > 1]
    letters = zip(*(word[-2::-1] for word in differing[0])) if len(differing) == 1 else ()  # noqa: B905 - the shortest
    end = "".join(one[0] for one in takewhile(lambda one: len({*one}) == 1, letters))[::-1]
    if len(end) * len(questions) < _ALIKE or any(word[1:-1] == end for word in differing[0]):
        return []
    word = differing[0][0]
    others = [f"{word[0]}{stem}{end}{word[0]}" for stem in _STEMS]
    return [
        Neighbour(_with(questions[0], (one.replace(word, other) for one in texts[0])), Kind.VALUE)
        for other in others
    ]


def is_number(text: str) -> bool:
    """Whether a text is a number that isn't told apart from others: not zero and not one."""
    return abs(float(text)) not in (0, 1)


def _texts(question: Any) -> Iterator[str]:
    for holder, key in _places(question):
        yield holder[key]


def _places(question: Any) -> Iterator[tuple[Any, Any]]:
    """Where the arguments of a question are, and of the calls that made its objects."""
    if isinstance(question, dict):
        arguments = question.get("arguments", ())
        for key in arguments if isinstance(arguments, dict) else range(len(arguments)):
            if isinstance(arguments[key], str):
                yield arguments, key
        for key in ("objects", "of", "start", "steps"):
            yield from _places(question.get(key))
    elif isinstance(question, list):
        for one in question:
            yield from _places(one)


def _with(question: Any, texts: Iterable[str]) -> Any:
    changed = copy.deepcopy(question)
    for (holder, key), text in zip([*_places(changed)], texts, strict=True):
        holder[key] = text
    return changed


def _together(texts: tuple[str, ...]) -> Iterator[_Change]:
    """All numbers changed alike, and all arguments in another order: what held among them may hold then, too."""
    for factor, more in ((2, 0), (3, 0), (1, 1), (1, 10)):
        yield _Change(Kind.VALUE, tuple(_LITERAL.sub(lambda one: _led(one, factor, more), text) for text in texts))  # noqa: B023 - used at once
    for turned in (texts[::-1], (*texts[1:], *texts[:1])):
        yield _Change(Kind.ORDER, turned)


def _led(found: re.Match[str], factor: int, more: int) -> str:
    text = found["number"]
    if text is None or "e" in text:
        return found[0]
    return f"{Decimal(text) * factor + more}"


def _steps(question: Any) -> Iterator[Neighbour]:
    """An object that was used once more before, or once less."""
    steps = question.get("of", {}).get("steps", ()) if isinstance(question, dict) else ()
    for kind, other in ((Kind.SIZE, steps[:-1]), (Kind.SIZE, [*steps, *steps[-1:]]), (Kind.ORDER, steps[::-1])):
        if steps:
            yield Neighbour({**question, "of": {**question["of"], "steps": list(other)}}, kind)


def _many(question: Any, texts: tuple[str, ...]) -> Iterator[Neighbour]:
    """Each list, and what was done with an object, many times over: as it is, and with other numbers each time."""
    steps = question.get("of", {}).get("steps", ()) if isinstance(question, dict) else ()
    for times, other in product(_TIMES, (0, 1)):
        more = [
            _with(one, (_further(text, other * turn) for text in _texts(one)))
            for turn in range(times)
            for one in steps
        ]
        if more:
            yield Neighbour({**question, "of": {**question["of"], "steps": more}}, Kind.MANY)
        for number, text in enumerate(texts):
            for start, parts, end in islice(_bracketed(text), _MOST_LISTS):
                longer = ", ".join(_further(part, other * turn) for turn in range(times) for part in parts)
                new = (*texts[:number], f"{text[:start]}{longer}{text[end:]}", *texts[number + 1 :])
                if len(longer) <= LONGEST:
                    yield Neighbour(_with(question, new), Kind.MANY)


def _further(text: str, more: int) -> str:
    return _LITERAL.sub(lambda one: _led(one, 1, more), text) if more else text


def _values(texts: tuple[str, ...]) -> Iterator[list[_Change]]:
    """For each number and each word, what comes into its place."""
    spans = [[*_atoms(text)] for text in texts]
    for atom in dict.fromkeys(
        (kind, text[start:end]) for text, found in zip(texts, spans, strict=True) for kind, start, end in found
    ):
        kind, old = atom
        others = _numbers(old) if kind == "number" else ((None, word) for word in _words(old))
        yield [
            _Change(
                Kind.VALUE,
                tuple(_replaced(text, found, atom, new) for text, found in zip(texts, spans, strict=True)),
                old,
                step,
            )
            for step, new in others
        ]


def _replaced(text: str, spans: Iterable[tuple[str, int, int]], atom: tuple[str, str], new: str) -> str:
    parts, begin = [], 0
    for kind, start, end in spans:
        if (kind, text[start:end]) == atom:
            parts += [text[begin:start], new]
            begin = end
    return "".join([*parts, text[begin:]])


def _atoms(text: str) -> Iterator[tuple[str, int, int]]:
    """Numbers, and numbers and words in strings. A string that is one word may be a key of a table."""
    for found in _LITERAL.finditer(text):
        if found["number"] and is_number(found["number"]):
            yield "number", *found.span()
        if not found["text"]:
            continue
        parts = [
            one
            for one in _PART.finditer(text, found.start("text") + 1 + (found["text"][0] == "b"), found.end() - 1)
            if not one["escape"]
        ]
        if len(parts) == 1 and parts[0]["word"] and len(found["text"]) <= _KEY:
            continue
        for part in parts:
            if part["word"] or is_number(part["number"]):
                yield "word" if part["word"] else "number", *part.span()


def _numbers(text: str) -> Iterator[tuple[int | None, str]]:
    whole, point, rest = text.partition(".")
    if "e" in text or whole in ("-", ""):
        return
    for step in _STEPS:
        changed = int(whole) + step
        if (changed < 0) is (int(whole) < 0) and changed != 0:
            yield (
                step,
                f"{changed:0{len(whole)}d}" if whole.lstrip("-").startswith("0") else f"{changed}{point}{rest}",
            )
    for factor in (2, 10):
        yield None, f"{int(whole) * factor:0{len(whole)}d}{point}{rest}"


def _words(text: str) -> Iterator[str]:
    """With another letter at its end, in its middle, and at its beginning; and twice."""
    for at in dict.fromkeys((len(text) - 1, len(text) // 2, 0)):
        letter = text[at]
        yield text[:at] + (chr(ord(letter) + 1) if letter not in "zZ" else chr(ord(letter) - 1)) + text[at + 1 :]
    yield text + text


def _lists(texts: tuple[str, ...]) -> Iterator[_Change]:
    """Each list backwards, with its second half first, longer and shorter."""
    for number, text in enumerate(texts):
        for start, parts, end in _bracketed(text):
            half = len(parts) // 2
            for kind, other in (
                (Kind.ORDER, parts[::-1]),
                (Kind.ORDER, [*parts[half:], *parts[:half]]),
                (Kind.SIZE, [*parts, parts[0]]),
                (Kind.SIZE, parts[:-1]),
            ):
                new = f"{text[:start]}{', '.join(other)}{text[end:]}"
                yield _Change(kind, (*texts[:number], new, *texts[number + 1 :]))


def _bracketed(text: str) -> Iterator[tuple[int, list[str], int]]:
    """The lists of at least two in a text: where their content begins, its parts, and where it ends."""
    opened: list[tuple[str, list[int]]] = []
    literals = {
        at for found in _LITERAL.finditer(text) if found["text"] or found["name"] for at in range(*found.span())
    }
    for at, sign in enumerate(text):
        if at in literals:
            continue
        if sign in "([{":
            opened.append((sign, [at + 1]))
        elif sign == "," and opened:
            opened[-1][1].append(at + 1)
        elif sign in ")]}" and opened:
            bracket, starts = opened.pop()
            if bracket == "[" and len(starts) > 1:
                ends = [*(start - 1 for start in starts[1:]), at]
                yield starts[0], [text[a:b].strip() for a, b in zip(starts, ends, strict=True)], at
