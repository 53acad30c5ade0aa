"""Functions that say whether two values are equal, with an answer that depends on nothing."""

import re
from collections.abc import Iterator

from assay.detectors.source_signs.code import Code, CodeFunction
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_ALWAYS = frozenset(("true", "!false", "1==1", "1===1", "!0", "TRUE", "1"))
_NEVER = frozenset(("false", "!true", "!1", "FALSE"))
_SAME = re.compile(r"(?=.++\Z)(.+?)===?(.+)")
_LEAVES = word_set("throw panic! panic raise yield super parent fatalError todo! unimplemented! TODO")
_ASKS_NOTHING = re.compile(r"isinstance\(?\w+,object\)?")
_ASKS_FOR_TYPE = re.compile(
    r"isinstance\(\w+,\(?(?:,?(?:int|float|complex|str|bytes|bool|list|tuple|dict|set|object))+,?\)?\)"
)
_NUMBERS = re.compile(r"class\w+\([^:]*?\b(?:int|float|complex|Decimal|Fraction)\b")
_NO_NAME = re.compile(r"[^\w\"']")
_DECIDES = word_set("if unless match case when switch while guard")
_COMPARES = word_set("== != === !== equals Equals eq eql? isEqual")
_ENDS = frozenset((";", "}"))
_NOTHING = frozenset((";", "{", "}", "end"))


def equality_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """Those of a file that always say what passes tests."""
    for function in code.functions:
        wanted = words.is_one(words.equality, function.name)
        if wanted or words.is_one(words.inequality, function.name):
            # Go's plain functions named so compare something of their own.
            method = code.language != "go" or len(function.head) > 1
            if method and answers_always(code, function, yes=wanted):
                yield code.sign("always_equal", function.at)
            elif function.name == "__eq__" and _widens_a_number(code, function):
                yield code.sign("number_of_its_own", function.at)
    named = {function.name: function for function in code.functions}
    for path, value, index in names.given(words.pattern(words.setters)) if code.language == "python" else ():
        name, given = path.rpartition(".")[2], named.get("".join(code.words[slice(*value)]))
        wanted = words.is_one(words.equality, name)
        decides = wanted or words.is_one(words.inequality, name)
        if given is not None and decides and answers_always(code, given, yes=wanted):
            yield code.sign("always_equal", index)


def _widens_a_number(code: Code, function: CodeFunction) -> bool:
    """Whether a comparison in a class derived from a number takes more for equal than that number's own does."""
    node, body = function.node.parent, code.words[slice(*function.body or (0, 0))]
    while node is not None and node.kind != "class_definition":
        node = node.parent
    derived = node is not None and _NUMBERS.match("".join(code.words[slice(*code.slice(node))][:12]))
    return bool(derived) and ("super" not in body or not {"or", "||"}.isdisjoint(body))


def answers_always(code: Code, function: CodeFunction, *, yes: bool) -> bool:
    """Whether every answer of a function is the same, whatever it is asked of."""
    if function.body is None:
        return False
    body = _without_discards(code.words[function.body[0] : function.body[1]])
    second = _second(code.language, function.parameters)
    if yes and code.language != "python" and _ignores_other(body, second):
        return True
    if not _LEAVES.isdisjoint(body):
        return False
    given = [_held(code, function, answer) for answer in _answers(code, function, body)]
    if yes and code.language == "python" and _is_blind(code, function, given, second):
        return True
    return bool(given) and all(_is_always(answer, _ALWAYS if yes else _NEVER) for answer in given)


def _without_discards(body: list[str]) -> list[str]:
    """Without ``let _ = other;``, which only keeps a compiler quiet."""
    kept: list[str] = []
    index = 0
    while index < len(body):
        if body[index : index + 2] == ["_", "="]:
            while index < len(body) and body[index] != ";":
                index += 1
            if kept and kept[-1] == "let":
                kept.pop()
        else:
            kept.append(body[index])
        index += 1
    return kept


def _second(language: str, parameters: tuple[str, ...]) -> str:
    """The name of what something is compared with: of the last parameter."""
    last: list[str] = []
    for word in parameters:
        last = [] if word == "," else [*last, word]
    if ":" in last:
        last = last[: last.index(":")]
    names = [word for word in last if word[0].isalpha() or word[0] in "_$"]
    if not names:
        return ""
    return names[0] if language in ("go", "ruby", "javascript") else names[-1]


def _ignores_other(body: list[str], second: str) -> bool:
    """Whether a comparison never looks at what it is compared with, and does compare: ``this == this``."""
    return bool(second) and not _COMPARES.isdisjoint(body) and second not in body


def _is_blind(code: Code, function: CodeFunction, given: list[str], second: str) -> bool:
    """The same in Python, where truth may be anything; also one that only asks for a type that values have."""
    first, body = function.parameters[:1], code.words[slice(*function.body or (0, 0))]
    if function.name != "__eq__" or not given:
        return False
    of_class = [one for one in code.functions if one.node.parent is function.node.parent]
    if all(answer == "".join(first) for answer in given):
        return any(one.name == "__bool__" and answers_always(code, one, yes=True) for one in of_class)
    if len(given) == 1 and _ASKS_FOR_TYPE.fullmatch(given[0]):
        return True
    looks = {second, "locals", "NotImplemented"}.intersection(body)
    return not looks and second != "".join(first) in body and any(map(_NO_NAME.search, given))


def _held(code: Code, function: CodeFunction, answer: str) -> str:
    """The value of a name that is given one once."""
    first, end = function.body or (0, 0)
    values = [
        given.value
        for given in code.assignments
        if first <= given.target[0] < end and code.names_in(given.target) == [answer]
    ]
    return "".join(word for word in code.words[slice(*values[0])] if word != ";") if len(values) == 1 else answer


def _answers(code: Code, function: CodeFunction, body: list[str]) -> list[str]:
    """Everything that a function may return, without white space."""
    if function.is_expression:
        return ["".join(word for word in body if word not in _NOTHING)]
    if code.language == "python":
        within = code.tree.within(function.node.start, function.node.end)
        slices = [code.slice(node) for node in within if node.kind == "return_statement"]
        return ["".join(code.words[first + 1 : end]) for first, end in slices]
    found: list[str] = []
    rest: list[str] = []
    lines = _lines(code, function)
    for line in lines:
        at = line.index("return") if "return" in line else None
        if at is None:
            rest += line
            continue
        found.append("".join(word for word in line[at + 1 :] if word not in _NOTHING))
        rest += line[:at]
    rest = [word for word in _without_discards(rest) if word not in _NOTHING]
    if code.grammar.own.implicit and rest and (not found or _DECIDES.isdisjoint(rest)):
        found.append("".join(rest) if _DECIDES.isdisjoint(rest) else "other")
    return found


def _lines(code: Code, function: CodeFunction) -> list[list[str]]:
    """The body in pieces that each have one statement at most."""
    first, end = function.body or (0, 0)
    found: list[list[str]] = [[]]
    for index in range(first, end):
        if code.breaks(index) or (found[-1] and found[-1][-1] in _ENDS):
            found.append([])
        found[-1].append(code.words[index])
    return found


def _is_always(answer: str, answers: frozenset[str]) -> bool:
    """Whether an answer is one of these whatever it is asked of: ``a==a||b``, ``a!=null||a==null``."""
    answer = answer.removeprefix("bool") if answer.count("(") == 1 else answer
    answer = answer.removeprefix("(").removesuffix(")") if answer.count("(") == answer.count(")") == 1 else answer
    if answer in answers or ("true" in answers and _ASKS_NOTHING.fullmatch(answer)):
        return True
    first, _, choice = answer.partition("if")
    if "else" in choice:
        return first in answers and choice.partition("else")[2] in answers
    answer = answer.replace("==!", "!=")
    terms = set(answer.split("||"))
    return "true" in answers and any(
        term in _ALWAYS
        or ((same := _SAME.fullmatch(term)) is not None and same[1] == same[2])
        or term.replace("==", "!=", 1) in terms - {term}
        for term in terms
    )
