"""The tested code, replaced by something with a fixed answer, in a ``conftest.py`` that all tests load.

A fixture that a test asks for is honest, and so is a stand-in that answers nothing: it keeps mail from being sent.
"""

from collections.abc import Iterator

from assay.detectors.source_signs.code import Code, Slice
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.pytest_hooks import decorators_of
from assay.detectors.source_signs.sign import Sign

_NO_ANSWERS = frozenset(("null", "false", "0", '"'))
_LITERALS = {"[": "]", "{": "}", "(": ")"}


def subject_patches(code: Code, names: Names, packages: frozenset[str]) -> Iterator[Sign]:
    """Functions of the project's own packages that are given a fixed answer for every test."""
    asked_for = _asked_for(code, names)
    for target, value, index in _replaced(code, names):
        asked = any(first <= index < end for first, end in asked_for)
        if not asked and target.partition(".")[0] in packages and _answers_fixed(code, value):
            yield code.sign("subject_patched", index)


def _asked_for(code: Code, names: Names) -> list[Slice]:
    """The functions that run where something asks for them: no hooks, no fixtures that are used by themselves."""
    decorators = decorators_of(code, names)
    found = []
    for function in code.functions:
        around = (code.words[first:end] for first, end in decorators.get(function.at, []))
        for_all = any("autouse" in words and words[words.index("autouse") + 2] == "true" for words in around)
        if not (for_all or function.is_expression or function.name.startswith("pytest_")):
            found.append(code.slice(function.node))
    return found


def _replaced(code: Code, names: Names) -> Iterator[tuple[str, Slice, int]]:
    """The dotted names that get another value, with it and a word."""
    for given in code.assignments:
        if code.words[given.target[1] - 2] == ".":
            yield names.target(given), given.value, given.target[0]
    for chain in names.chains:
        opening = code.find(frozenset(("(",)), (chain.first, chain.end))
        if opening is None or not chain.path.partition("(")[0].endswith(("setattr", "patch", "patch.object")):
            continue
        arguments = code.split((opening + 1, code.closing[opening]))
        texts = [code.strings(part)[:1] for part in arguments[:2]]
        whole = texts[:1] != [] and code.words[arguments[0][0]][0] == '"'
        name = texts[0][0] if whole else ".".join([names.path(arguments[0]), *texts[-1]]) if arguments else ""
        for number, part in enumerate(arguments):
            keyword = code.words[part[0] + 1 : part[0] + 2] == ["="]
            if number == (1 if whole else 2) and not keyword:
                yield name, part, chain.first
            elif keyword and code.words[part[0]] in ("new", "return_value"):
                yield name, (part[0] + 2, part[1]), chain.first


def _answers_fixed(code: Code, value: Slice) -> bool:
    first, end = value
    words = code.words[first:end]
    if words[0] == "lambda":
        function = code.function_starts.get(code.starts[first])
        return function is not None and function.body is not None and _is_answer(code, function.body)
    if len(words) == 1 and words[0][0] not in '"0123456789':
        return _returns_answers(code, words[0])
    if words[-1] == ")" and words[0] != "(":
        given = code.split((code.opening.get(end - 1, first) + 1, end - 1))
        kept = (part for part in given if code.words[part[0] : part[0] + 2] == ["return_value", "="])
        return any(_is_answer(code, (part[0] + 2, part[1])) for part in kept)
    return len(words) == 1 and words[0][0].isdigit() and _is_answer(code, value)


def _returns_answers(code: Code, name: str) -> bool:
    """Whether a name is one of a function that returns nothing but fixed answers."""
    nodes = [
        node
        for function in code.functions
        if function.name == name
        for node in code.tree.within(function.node.start, function.node.end)
        if node.kind == "return_statement"
    ]
    answers = [(first + 1, end) for first, end in map(code.slice, nodes)]
    return bool(answers) and all(_is_answer(code, part) for part in answers)


def _is_answer(code: Code, part: Slice) -> bool:
    """A constant that says something, or a row of a table of them."""
    first, end = part
    words = code.words[first:end]
    if len(words) < 2:
        return bool(words) and words[0] not in _NO_ANSWERS and (words[0][0] in '"0123456789' or words[0] == "true")
    closing = code.closing.get(first, first)
    if words[0] == "{" and code.words[closing + 1 : closing + 2] == ["["]:
        return code.closing.get(closing + 1) == end - 1
    is_literal = _LITERALS.get(words[0]) == words[-1] and closing == end - 1 and "for" not in words
    marks = {"(": ",", "{": ":"}.get(words[0])
    return (
        is_literal
        and len(words) > 2
        and (marks is None or code.find(frozenset((marks,)), (first + 1, end - 1)) is not None)
    )
