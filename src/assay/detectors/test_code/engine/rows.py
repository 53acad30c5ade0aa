"""Tables of cases: what names stand for in each row of a list that a loop, a closure or a test is run for.

A row that is a record keeps the names of its fields, so that ``case.want`` is what this row wants.
"""

import re
from collections.abc import Iterable, Sequence
from itertools import islice, product

from assay.detectors.test_code.engine.bound import NOTHING_BOUND, Bound
from assay.detectors.test_code.engine.expressions.brackets import closing
from assay.detectors.test_code.engine.expressions.literals import elements, fields_of
from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS, LOOPS, Part
from assay.detectors.test_code.engine.expressions.words import bare, split
from assay.detectors.test_code.engine.reading import FAR, Reading
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

MOST_ROUNDS = 200
_OVER = (frozenset(("in", "of", "range", "as")), frozenset(":"))
"""What stands between the names of a loop and what it goes over."""
_DECLARING = word_set("const let var val final mut ref async static in out auto & * await case")
_LEADING = word_set("async function fn func static move { do")
_ARROWS = frozenset(("=>", "->", "{", "in", "do"))
_PAIRS = frozenset((":", "=>", "to"))
_NAME = re.compile(r"[$@]{0,2}[^\W\d][\w$]*\Z")
_DEEPEST, _LONGEST_HEAD = 4, 400


def rounds(reading: Reading, node: Node, until: Node | None = None) -> list[Bound]:
    """The values of the loop names around a node in each round, inside of its function or up to a node."""
    return every(found for around in _loops(reading, node, until) if (found := rows_of(reading, around)))


def times(reading: Reading, node: Node, until: Node | None) -> int | None:
    """How often the loops around a node run it; None where that is not written out."""
    count = 1
    for around in _loops(reading, node, until):
        rows = rows_of(reading, around)
        if rows is None:
            return None
        count *= len(rows)
    return count


def every(tables: Iterable[Sequence[Bound]]) -> list[Bound]:
    """Each row of each table with each of the others; those of the last table change slowest."""
    found = list(tables)
    if not found:
        return [NOTHING_BOUND]
    joined = (
        {name: words for part in parts for name, words in part.items()} for parts in product(*reversed(found))
    )
    return list(islice(joined, MOST_ROUNDS))


def _loops(reading: Reading, node: Node, until: Node | None) -> Iterable[Node]:
    """The nodes around a node that run it several times, the innermost first."""
    for around in islice(node.ancestors(), FAR):
        if around is until:
            return
        if around.part in LOOPS or (around.part is Part.CLOSURE and _repeating(reading, around) is not None):
            yield around
        elif around.part in FUNCTIONS and until is None:
            return


def _repeating(reading: Reading, closure: Node) -> Node | None:
    """The call that runs a closure for each element of what it is made on: ``cases.forEach(…)``."""
    holder = closure.parent
    if holder is not None and holder.part is Part.GIVEN:
        holder = holder.parent
    call = reading.calls.get(holder) if holder is not None else None
    repeats = call is not None and call.names[-1:] != () and call.names[-1] in reading.language.repeating
    return holder if repeats else None


def rows_of(reading: Reading, node: Node) -> list[Bound] | None:
    """The rows of a loop by the names that it gives their parts; None where they are not written out."""
    if node not in reading.rows:
        reading.rows[node] = _rows(reading, node)
    return reading.rows[node]


def _rows(reading: Reading, node: Node) -> list[Bound] | None:
    if node.part is Part.CLOSURE:
        call = _repeating(reading, node)
        given = reading.calls[call].arguments if call is not None else None
        head = reading.words(call.start, given.start) if call is not None and given is not None else []
        over = head[: len(head) - 1 - head[::-1].index(".")] if "." in head else []
        names = closure_names(reading, node)[:1]
    else:
        names, over = head_of(reading, node)
    rows = listed(reading, over, node) if over else None
    return None if rows is None else [bound(names, row) for row in rows]


def head_of(reading: Reading, loop: Node) -> tuple[list[list[str]], list[str]]:
    """The names that a loop gives to an element or to its parts, and what it goes over."""
    found = reading.branches(loop)
    words = reading.loop_head(found) if found is not None else []
    if words[-1:] == ["|"]:
        opened = words.index("|")
        dot = next((at for at in range(opened, 0, -1) if words[at] == "."), 0)
        return _patterns(words[opened + 1 : -1]), words[:dot]
    at = next((index for over in _OVER for index, word in enumerate(words) if word in over), 0)
    if not at:
        return [], []
    named, over = (words[:at], words[at + 1 :]) if words[at] != "as" else (words[at + 1 :], words[:at])
    if words[at] == "range":
        parts = split(named[:-1])
        # The first is the number of the round, or the key in a map.
        return [["_", *parts[0]], parts[1]] if len(parts) == 2 else [], over
    return _patterns(named), over


def _patterns(named: list[str]) -> list[list[str]]:
    """The names between commas, or of a key and its value."""
    named = [word for word in named if word not in _DECLARING]
    return split(named, "=>") if "=>" in named else split(bare(named))


def closure_names(reading: Reading, closure: Node) -> list[list[str]]:
    """The parameters of a closure, each as its words."""
    lexicon = reading.language.lexicon
    words = lexicon.words(reading.tree.text, closure.start, min(closure.end, closure.start + _LONGEST_HEAD))
    while words and words[0] in _LEADING:
        words = words[1:]
    if words[:1] == ["|"]:
        return split(words[1 : words.index("|", 1)]) if "|" in words[1:] else []
    if words[:1] == ["("]:
        return split(words[1 : closing(words, 0)])
    end = next((at for at, word in enumerate(words) if word in _ARROWS), 0)
    return split(words[:end])


def listed(reading: Reading, words: list[str], used: Node, depth: int = 0) -> list[list[str]] | None:
    """The elements of a list that is written out, here or where its name is bound; records with their fields."""
    words = bare(words)
    if words[:4] == ["Object", ".", "entries", "("] and words[-1] == ")":
        words = words[4:-1]
    if not words or depth > _DEEPEST:
        return None
    value = reading.following.value(words[0], used) if _NAME.match(words[0]) and words[1:2] != ["("] else None
    if value is not None:
        return listed(reading, [*value.words, *words[1:]], value.node, depth + 1)
    filled = reading.following.filled(words, used, containers=True)
    rows = elements(filled)
    own = reading.language.quirks.fields
    if rows is None or own is None:
        return rows
    names = own(reading, filled)
    return [_labelled(row, names) for row in rows] if names else rows


def _labelled(row: list[str], names: Sequence[str]) -> list[str]:
    """A row of values with the names of its fields."""
    if len(row) > 2 and row[1] == ":" and row[2] == "{":
        return [*row[:2], *_labelled(row[2:], names)]
    opened = row.index("{") if "{" in row else -1
    parts = split(row[opened + 1 : -1]) if opened >= 0 and row[-1] == "}" else []
    if not parts or len(parts) > len(names) or any(part[1:2] == [":"] for part in parts):
        return row[opened:] if parts else row
    out = ["{"]
    for name, part in zip(names, parts, strict=False):
        out += [name, ":", *part, ","]
    return [*out[:-1], "}"]


def bound(names: Sequence[list[str]], row: list[str]) -> Bound:
    """The values of some names in one row: an element, its parts, or its key and its value."""
    pair = pair_of(row)
    if pair is not None and len(names) == 1 and names[0][:1] in (["["], ["("]):
        names = split(names[0][1:-1])
    if len(names) == 2 and pair is not None:
        return {**matched(names[0], pair[0]), **matched(names[1], pair[1])}
    if len(names) == 1:
        return matched(names[0], row)
    if len(names) == 2 and names[0][:1] == ["_"]:
        return matched(names[1], row)
    parts = elements(row) or []
    return spread(names, parts) if len(parts) == len(names) else {}


def spread(names: Sequence[list[str]], parts: Sequence[list[str]]) -> Bound:
    """The values of some names, one for each."""
    return {
        name: words for one, part in zip(names, parts, strict=False) for name, words in matched(one, part).items()
    }


def pair_of(row: list[str]) -> tuple[list[str], list[str]] | None:
    """``key: value``."""
    at = closing(row, 0) + 1 if row and row[0] in ("(", "[") else 1
    return (row[:at], row[at + 1 :]) if len(row) > at + 1 and row[at] in _PAIRS else None


def matched(pattern: list[str], value: list[str]) -> Bound:
    """The values of a pattern's names: ``x``, ``int x``, ``[a, b]``, ``{ want }``."""
    pattern = [word for word in pattern if word not in _DECLARING]
    if not pattern:
        return {}
    if pattern[0] in ("(", "["):
        parts, values = split(pattern[1 : closing(pattern, 0)]), elements(value) or []
        return spread(parts, values) if len(parts) <= len(values) else {}
    if pattern[0] == "{":
        known = fields_of(value)
        parts = [split(each, "=")[0] for each in split(pattern[1 : closing(pattern, 0)])]
        return {each[-1]: known[each[0]] for each in parts if each[0] in known}
    name = pattern[0] if pattern[1:2] == [":"] else pattern[-1]
    return {name: value} if _NAME.match(name) else {}


def handed(names: Sequence[list[str]], row: list[str]) -> Bound:
    """The parameters of a function called with each row of a table; the name of a row is none."""
    pair = pair_of(row)
    row = pair[1] if pair is not None and pair[1][:1] in (["["], ["{"], ["("]) else row
    parts = elements(row) if row[:1] in (["["], ["("]) else None
    return spread(names, parts) if parts else matched(names[0], row) if names else {}
