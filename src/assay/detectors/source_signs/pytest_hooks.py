"""Hooks of pytest that change what a test's result is, which tests there are, or the status of the run.

A hook that only looks, prints or stores is no sign: keeping the report on the item is a well-known recipe.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise

from assay.detectors.source_signs.code import Assignment, Code, CodeFunction, Slice
from assay.detectors.source_signs.exits import python_exits
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.tree import Node
from assay.detectors.test_code.word_sets import word_set

_RESULTS = word_set(
    "outcome exitstatus testsfailed wasxfail longrepr excinfo _excinfo _result _exception passed failed shouldfail"
)
_OPTIONS = word_set(
    "keyword markexpr deselect ignore ignore_glob collectonly maxfail lf file_or_dir noconftest runxfail args "
    "continue_on_collection_errors"
)
_RUNS = word_set(
    "pytest_pyfunc_call pytest_runtest_call pytest_runtest_protocol pytest_runtest_setup pytest_runtest_teardown "
    "pytest_runtest_makereport pytest_runtestloop"
)
_REPLACES_RUN = word_set("pytest_pyfunc_call pytest_runtest_protocol pytest_runtestloop")
_TOUCHES_TEST = word_set("obj funcargs runtest function _request runtestprotocol pytest_runtest_protocol yield")
_BROAD = word_set("Exception BaseException AssertionError Failed")
_TAKES_OVER = word_set("force_result unregister set_blocked")
_FALSY = (["null"], ["false"], ["0"], ['"'])
_IFS = frozenset(("if_statement", "elif_clause"))


def hook_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """Effects of a conftest's or a plugin's hooks on results."""
    decorators = decorators_of(code, names)
    exits = python_exits(code, names, words)
    for function in code.functions:
        around = decorators.get(function.at, [])
        name = _hook_name(code, function, around)
        if name.startswith("pytest_"):
            yield from _Hook(code, names, function).signs(name, exits)
        # A fixture that runs for every test may catch what the tests raise.
        elif any(text[-1:] == [")"] and "fixture" in text[:3] for text in _texts(code, around)):
            yield from _Hook(code, names, function).swallowed()


def decorators_of(code: Code, names: Names) -> dict[int, list[Slice]]:
    """The decorators of each function that has some, by the index of its name."""
    found: dict[int, list[Slice]] = {}
    waiting: list[Slice] = []
    for index, word in enumerate(code.words):
        if word[0] == "@" and len(word) > 1 and (index == 0 or code.breaks(index)):
            waiting.append((index, names.chain(index).end))
            if code.words[waiting[-1][1] : waiting[-1][1] + 1] in (["def"], ["async"]):
                found[code.words.index("def", waiting[-1][1]) + 1] = waiting
                waiting = []
    return found


def _texts(code: Code, decorators: Iterable[Slice]) -> Iterator[list[str]]:
    for first, end in decorators:
        yield [code.words[first].lstrip("@"), *code.words[first + 1 : end]]


def _hook_name(code: Code, function: CodeFunction, decorators: list[Slice]) -> str:
    for words in _texts(code, decorators):
        if "hookimpl" in words and "specname" in words:
            return words[words.index("specname") + 2].lstrip('"')
    return function.name


class _Hook:
    """One hook, and what it does to results."""

    def __init__(self, code: Code, names: Names, function: CodeFunction) -> None:
        self._code, self._names, self._at = code, names, function.at
        self._body = function.body or (function.at, function.at)
        self._words = code.words[slice(*self._body)]
        self._nodes = code.tree.within(function.node.start, function.node.end)
        self._returns = [code.slice(node) for node in self._of(frozenset(("return_statement",)))]

    def signs(self, name: str, exits: Iterable[int]) -> Iterator[Sign]:
        first, end = self._body
        yield from (self._code.sign("exit_in_hook", at) for at in exits if first <= at < end)
        for given in self._code.assignments:
            if first <= given.target[0] < end:
                yield from self._assigned(given)
        yield from (self._code.sign("result_changed", at) for at in range(first, end) if self._call_changes(at))
        for start, stop in self._deleted():
            if self._is_stats((start, stop)):
                yield self._code.sign("result_changed", start)
        if name in _RUNS:
            yield from self.swallowed()
        if name in _REPLACES_RUN and self._returns_one_of([["true"]]) and _TOUCHES_TEST.isdisjoint(self._words):
            yield self._code.sign("test_not_run", self._at)
        if (name == "pytest_report_teststatus" and self._is_always_passed()) or (
            name == "pytest_cmdline_main" and self._returns_one_of([["0"], ["false"]])
        ):
            yield self._code.sign("result_changed", self._at)
        if name == "pytest_collection_modifyitems":
            yield from self._dropped()

    def swallowed(self) -> Iterator[Sign]:
        """``try: yield`` or ``try: item.runtest()`` with a handler that drops what a test raised."""
        words = self._code.words
        for handler in self._of(frozenset(("except_clause",))):
            first, end = self._code.slice(handler)
            tried = handler.parent
            colon = self._code.find(frozenset((":", "as")), (first, end)) or end
            kinds = {words[at] for at in range(first + 1, colon) if words[at + 1] != "."}
            broad = colon == first + 1 or not _BROAD.isdisjoint(kinds)
            if tried is not None and broad and "raise" not in words[first:end]:
                start = self._code.at(tried.start)
                stop = self._code.find(frozenset(("except",)), (start, end)) or end
                touched = (at for at in range(start, stop) if words[at] in _TOUCHES_TEST)
                if any(words[at] == "yield" or words[at - 1] == "." for at in touched):
                    yield self._code.sign("failure_swallowed", first)

    def _of(self, kinds: frozenset[str]) -> list[Node]:
        return [node for node in self._nodes if node.kind in kinds]

    def _assigned(self, given: Assignment) -> Iterator[Sign]:
        words = self._code.words
        target, value = words[slice(*given.target)], words[slice(*given.value)]
        path = self._names.target(given) or "".join(target)
        owner, _, name = path.rpartition(".")
        if self._is_result(given.target, value):
            yield self._code.sign("result_changed", given.target[0])
        elif name in _OPTIONS and owner.endswith(("option", "config")):
            yield self._code.sign("selection_changed", given.target[0])

    def _is_result(self, target: Slice, value: list[str]) -> bool:
        words = self._code.words[slice(*target)]
        if words[-1] == "]":
            return self._is_stats(target) or (words[-3] == "[" and words[-2] in ('"outcome', '"exitstatus'))
        if words[-2:-1] != ["."]:
            return False
        name = words[-1]
        if name in ("obj", "_obj"):
            # Wrapping what a test calls is honest; calling something else is not.
            return not any(pair == (".", "obj") for pair in pairwise(value))
        if name == "longrepr":
            return value in _FALSY
        return name in _RESULTS and words[:-2] != ["self"] and value != ['"failed']

    def _is_stats(self, part: Slice) -> bool:
        """``reporter.stats["failed"]``"""
        words, opening = self._code.words, self._code.opening.get(part[1] - 1)
        return opening is not None and words[opening] == "[" and words[opening - 2 : opening] == [".", "stats"]

    def _call_changes(self, at: int) -> bool:
        """Whether a word is a function that is called and that gives a result another value."""
        code, words, name = self._code, self._code.words, self._code.words[at]
        if words[at + 1 : at + 2] != ["("]:
            return False
        given = code.split((at + 2, code.closing.get(at + 1, at + 2)))
        if (name == "setattr" and words[at - 1] != ".") or words[at - 2 : at + 1] == [
            "object",
            ".",
            "__setattr__",
        ]:
            _, result, value = (code.strings(part) for part in given) if len(given) == 3 else ((), [""], [])
            return not _RESULTS.isdisjoint(result) and value != ["failed"]
        if words[at - 1] != ".":
            return False
        if name == "update":
            return any(words[first] in _RESULTS and words[first + 1] == "=" for first, _ in given)
        before = words[code.line_start(at) : at]
        return name in _TAKES_OVER or (name in ("pop", "clear") and "stats" in before)

    def _deleted(self) -> list[Slice]:
        slices = (self._code.slice(node) for node in self._of(frozenset(("delete_statement",))))
        return [(first + 1, end) for first, end in slices]

    def _returns_one_of(self, answers: list[list[str]]) -> bool:
        return any(self._code.words[first + 1 : end] in answers for first, end in self._returns)

    def _is_always_passed(self) -> bool:
        """``return "passed", ".", …`` that no condition on the report guards."""
        code = self._code
        for first, end in (code.slice(node) for node in self._of(_IFS)):
            asked = code.words[first : code.find(frozenset((":",)), (first, end)) or end]
            if any("passed" in word for word in asked):
                return False
        for first, end in self._returns:
            inner = (first + 2, end - 1) if code.closing.get(first + 1) == end - 1 else (first + 1, end)
            if code.words[inner[0] : inner[0] + 2] in (['"passed', ","], ['"', ","]):
                return True
        return False

    def _dropped(self) -> Iterator[Sign]:
        """Items that are taken off the list, unless an option of the command line asks for it."""
        code, words = self._code, self._code.words
        guarded: list[Slice] = []
        for first, end in (code.slice(node) for node in self._of(_IFS)):
            asked = words[first : code.find(frozenset((":",)), (first, end)) or end]
            guarded += [(first, end)] if any("option" in word for word in asked) else []

        def is_guarded(at: int) -> bool:
            return any(first <= at < end for first, end in guarded)

        if any(is_guarded(first) for first, _ in self._returns):
            return
        for at in range(*self._body):
            if words[at] == "items" and words[at - 1] != "." and not is_guarded(at) and self._drops(at):
                yield code.sign("tests_dropped", at)

    def _drops(self, at: int) -> bool:
        """Whether items are replaced, deleted or taken away where they are named."""
        words = self._code.words
        if words[at + 1] == ".":
            return words[at + 2] in ("clear", "remove", "pop") and words[at + 3] == "("
        behind = self._code.closing.get(at + 1, at) + 1 if words[at + 1] == "[" else at
        replaced = words[behind] == "=" and behind > at
        ordered = words[behind + 1] in ("sorted", "reversed", "list") and words[behind + 2] == "("
        return (replaced and not ordered) or (behind > at and words[at - 1] == "del")
