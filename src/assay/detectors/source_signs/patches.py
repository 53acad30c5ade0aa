"""Code that gives a test framework's functions, a language's comparisons or a clock another meaning."""

import builtins
import re
from collections.abc import Iterator

from assay.detectors.source_signs.code import Assignment, Code, CodeFunction, Slice
from assay.detectors.source_signs.equality import answers_always
from assay.detectors.source_signs.languages.javascript import BUILT_IN_MATCHERS, COMPARING, LOADERS
from assay.detectors.source_signs.languages.ruby import METHODS
from assay.detectors.source_signs.names import Chain, Names
from assay.detectors.source_signs.sign import Sign, sign
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_MOCKS = re.compile(r"(?:jest|vi|sinon)\.")
_FRAMEWORKS = re.compile(r"assert|jest|expect|chai|vitest|mocha")
_CHECKS = re.compile(r"throw|fail|AssertionError|reject|chai|jest|\w*assert\w*|process|exit")
_NOTHING = word_set("return true false nil null self None ; { } end pass ( ) ...")
_PYTHON_ASSERTIONS = re.compile(r"assert[A-Z_]\w*|fail(?:[A-Z]\w*)?|subTest|skipTest")
_FREE = word_set("pytestmark maxDiff longMessage register_assert_rewrite")
_RUNS_TESTS = word_set("runtest runtestprotocol call_and_report")
# What a test module imported for itself, given to it by somebody else.
_TEST_MODULE = re.compile(r"(?:\w+\.)*test_\w+\.\w+")
_EMPTIED = (["[", "]"], ["0"], ['"pass'], ['"passed'], ["true"], ["nil"])
_LINKED = re.compile(r"//go:linkname[ \t]+\S+[ \t]+(?:testing\.|os\.runtime_beforeExit|os\.Exit)")
_REDEFINES = word_set("alias_method define_method prepend")
_DECIDING = re.compile(r"(?:self\.)?(?:assert|refute|run|report)\w*")


def framework_patches(code: Code, names: Names, words: Words, *, in_tests: bool) -> Iterator[Sign]:
    """Functions of a framework that are replaced by others."""
    for given in code.assignments:
        if _is_patch(code, names, words, given):
            yield code.sign("framework_patched", given.target[0])
        elif words.match(words.results, names.target(given)) and _value(code, given) in _EMPTIED:
            yield code.sign("result_changed" if code.language == "ruby" else "framework_patched", given.target[0])
    for chain in names.chains:
        if words.match(words.changes, chain.path):
            yield code.sign("result_changed", chain.first)
        elif _is_patched_by_call(code, names, words, chain):
            yield code.sign("framework_patched", chain.first)
        elif words.match(words.mocks, chain.path) and _is_fixed_subject(code, names.arguments(chain)):
            yield code.sign("subject_patched", chain.first)
    # What a compiler is told stands in a comment.
    for comment in code.comments if code.language == "go" else ():
        if _LINKED.match(code.tree.source(comment)):
            yield sign("framework_patched", code.tree.line(comment.start), code.tree.source(comment))
    if code.language == "python":
        yield from _python_patches(code, names, words, in_tests=in_tests)
        return
    yield from _shadows(code, words)
    yield from _of_functions(code, words)


def clock_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """Clocks that are replaced or stopped."""
    for path, _, index in names.given(words.pattern(words.setters)):
        if words.match(words.clocks, path):
            yield code.sign("clock_patched", index)
    for function in code.functions:
        if "." in function.name and words.match(words.clocks, function.name):
            yield code.sign("clock_patched", function.at)
    for chain in names.chains:
        if words.match(words.freezes, chain.path):
            yield code.sign("clock_patched", chain.first)


def is_function_like(code: Code, value: Slice) -> bool:
    """A function that is written here, not one that another library brings."""
    first = code.words[value[0]] if value[0] < value[1] else ""
    if value[0] < value[1] and code.starts[value[0]] in code.function_starts:
        return True
    if code.words[value[0] : value[0] + 2] == ["new", "Proxy"] or first in (
        "{",
        "Object",
        "noop",
        "async",
        "function",
    ):
        return True
    return value[1] - value[0] <= 2 and any(function.name == first for function in code.functions)


def _is_patch(code: Code, names: Names, words: Words, given: Assignment) -> bool:
    if code.language != "javascript" or given.node.kind == "variable_declarator":
        return False
    target, value = names.target(given), given.value
    if words.match(LOADERS, target):
        return True
    if target.startswith("require.cache") and any(
        map(_FRAMEWORKS.search, code.strings((given.target[0], given.target[1])))
    ):
        return True
    if words.match(COMPARING, target):
        function = code.function_starts.get(code.starts[value[0]])
        return function is not None and answers_always(code, function, yes=True)
    if not words.match(words.framework, target) or _MOCKS.match(names.path(value) or "."):
        return False
    return is_function_like(code, value)


def _python_patches(code: Code, names: Names, words: Words, *, in_tests: bool) -> Iterator[Sign]:
    """Parts of a framework, of a test module or of the builtins that get another value or go, however written."""
    deleted = (
        (names.path((first + 1, end)), (end, end), first)
        for first, end in (code.slice(node) for node in code.tree.nodes if node.kind == "delete_statement")
    )
    for path, _, index in (*names.given(words.pattern(words.setters)), *deleted):
        if words.is_one(words.shadows, path) and code.words[index + 3 : index + 4] == ["["]:
            yield code.sign("framework_replaced", index)
        elif _is_of_framework(path, words, in_tests):
            yield code.sign("framework_patched", index)
    for function in code.functions:
        method = function.node.parent is not None and function.node.parent.kind in code.grammar.classes
        body = [word for word in code.words[slice(*function.body or (0, 0))] if word[0] != '"']
        if method and _PYTHON_ASSERTIONS.fullmatch(function.name) and _NOTHING.issuperset(body):
            yield code.sign("assertion_emptied", function.at)


def _is_of_framework(path: str, words: Words, in_tests: bool) -> bool:
    plain = path.removeprefix("sys.modules.").replace("__builtins__", "builtins")
    owner, _, name = plain.rpartition(".")
    if not owner or plain.startswith("unittest.mock.") or name in _FREE:
        return False
    if owner == "builtins":
        # ``_`` is what gettext puts there, or an interactive session.
        return hasattr(builtins, name) and name != "_" and not (in_tests and name in ("input", "print", "open"))
    return (
        words.match(words.framework, plain) is not None
        or name in _RUNS_TESTS
        or _TEST_MODULE.fullmatch(plain) is not None
        or re.fullmatch(r"assert[A-Z]\w*", name) is not None
    )


def _is_fixed_subject(code: Code, arguments: list[Slice]) -> bool:
    """A file of the project that is given answers: ``jest.mock("../src/cart", () => ({ total: () => 42 }))``."""
    if len(arguments) < 2 or not any(
        text.startswith((".", "/", "@/", "~/")) for text in code.strings(arguments[0])
    ):
        return False
    first, end = arguments[1]
    return any(
        code.words[index - 1] in ("=>", "return", ":", "(")
        and code.words[index][0].isdigit()
        and code.words[index] != "0"
        for index in range(first + 1, end)
    )


def _is_patched_by_call(code: Code, names: Names, words: Words, chain: Chain) -> bool:
    if code.language in ("ruby", "python"):
        return code.language == "ruby" and words.match(words.framework, chain.path) is not None
    if chain.path.startswith("expect.extend("):
        return not BUILT_IN_MATCHERS.isdisjoint(_keys(code, names.arguments(chain)))
    return words.match(words.setters, chain.path) is not None and _sets(code, names, words, names.arguments(chain))


def _value(code: Code, given: Assignment) -> list[str]:
    return [word for word in code.words[given.value[0] : given.value[1]] if word != ";"]


def _sets(code: Code, names: Names, words: Words, arguments: list[Slice]) -> bool:
    """``Object.defineProperty(globalThis, "expect", …)``, ``Object.assign(global, { it() {} })``"""
    if not arguments:
        return False
    owner = names.path(arguments[0])
    given = {*code.strings(arguments[1]), *_keys(code, arguments[1:2])} if len(arguments) > 1 else set()
    targets = [owner, *(f"{owner}.{name}" for name in given)]
    return any(words.match(words.framework, target) for target in targets)


def _keys(code: Code, arguments: list[Slice]) -> set[str]:
    """The keys of the object that a call is given first."""
    if not arguments or code.words[arguments[0][0]] != "{":
        return set()
    first = arguments[0][0]
    parts = code.split((first + 1, code.closing.get(first, first + 1)))
    return {word.lstrip('"') for part in parts for word in code.words[part[0] : part[0] + 2] if word != "async"}


def _shadows(code: Code, words: Words) -> Iterator[Sign]:
    """Classes and macros that are named like those of a framework."""
    around: list[tuple[int, str]] = []
    for node in code.tree.nodes:
        if node.kind not in code.grammar.classes:
            continue
        first, end = code.slice(node)
        name, at = _class_name(code, first, end)
        around = [(stop, one) for stop, one in around if stop >= node.end]
        whole = "::".join([*(one for _, one in around), name])
        around.append((node.end, name))
        if not words.is_one(words.shadows, whole) or "partial" in code.words[first:at]:
            continue
        if code.language != "ruby":
            yield code.sign("framework_replaced", at)
        # A framework's class may be opened to include helpers; not to give its methods another meaning.
        elif "<" not in code.words[at : at + 6] and _redefines(code, (at, end)):
            yield code.sign("framework_patched", first)


def _class_name(code: Code, first: int, end: int) -> tuple[str, int]:
    words = code.words
    at = first
    while at < end and words[at] not in (
        "class",
        "module",
        "object",
        "struct",
        "extension",
        "macro_rules",
        "trait",
    ):
        at += 1
    at += 2 if words[at : at + 2] == ["macro_rules", "!"] else 1
    stop = at
    while (
        stop < end and (stop == at or not code.breaks(stop)) and (words[stop] == "::" or words[stop][0].isalpha())
    ):
        stop += 1
        if words[stop - 1] != "::" and stop < end and words[stop] != "::":
            break
    return "".join(words[at:stop]).removeprefix("::"), min(at, end - 1)


def _redefines(code: Code, part: Slice) -> bool:
    inside = code.words[part[0] : part[1]]
    if not _REDEFINES.isdisjoint(inside):
        return True
    return any(
        part[0] <= function.at < part[1]
        and (function.name in METHODS or _DECIDING.fullmatch(function.name) is not None)
        for function in code.functions
    )


def _of_functions(code: Code, words: Words) -> Iterator[Sign]:
    """Assertions that check nothing, and hooks of a framework that drop what a test threw."""
    for function in code.functions:
        if function.body is None:
            continue
        body = code.words[function.body[0] : function.body[1]]
        if words.is_one(words.assertions, function.name):
            if code.language == "javascript":
                method = function.node.kind == "method_definition" or _is_member(code, function)
                if not method and not any(map(_CHECKS.fullmatch, body)):
                    yield code.sign("framework_replaced", function.at)
            elif _NOTHING.issuperset(body):
                yield code.sign("assertion_emptied", function.at)
        for name, needed in words.hooks:
            if words.is_one((name,), function.name) and not set(needed.split("|")).intersection(body):
                yield code.sign("failure_swallowed", function.at)
    if code.language == "ruby":
        yield from _not_run(code)


def _is_member(code: Code, function: CodeFunction) -> bool:
    """``{ expect: () => … }`` and ``x.expect = …`` have a name that nobody else sees."""
    before = code.at(function.node.start) - 1
    return before > 1 and (code.words[before] == ":" or code.words[before - 2] == ".")


def _not_run(code: Code) -> Iterator[Sign]:
    """``around { |example| … }`` that never mentions the example again."""
    for index, word in enumerate(code.words):
        if word != "around":
            continue
        opening = code.closing.get(index + 1, index) + 1
        block = code.block_after(opening)
        inside = [one for one in code.words[block[0] : block[1]] if one != "do"]
        if len(inside) > 2 and inside[0] == "|" and inside[1] not in inside[2:]:
            yield code.sign("test_not_run", index)
