"""Ways to end a run of tests with success. Outside of tests only what runs when a file is loaded or at the end."""

from collections.abc import Iterator

from assay.detectors.source_signs.code import Code, Function, Slice
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.patches import is_function_like
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_GOES_ON = word_set("if unless } end ) ; rescue and or ||")
_NO_EXIT = ("process.exit", "process.reallyExit", "process.abort")
_PROGRAM = word_set("args usage help clap main Command")


def exit_signs(code: Code, names: Names, words: Words, *, in_tests: bool) -> Iterator[Sign]:
    """Everything of a file that ends the process with success at the wrong time."""
    found = _Exits(code, names, words)
    at_end = list(found.at_end())
    yield from (code.sign("exit_at_end", part[0]) for part in at_end)
    yield from found.early("exit_in_test" if code.language == "rust" else "exit_at_import", in_tests)
    if code.language == "go":
        yield from _dropped_results(code, names, found)
    if code.language == "javascript" and not in_tests:
        for given in code.assignments:
            path = names.target(given)
            if path.endswith(_NO_EXIT) and is_function_like(code, given.value):
                yield code.sign("framework_patched", given.target[0])
    if in_tests and words.exits_anywhere_in_tests:
        yield from (code.sign("exit_in_test", index) for index in found.explicit)
    elif words.top_level_runs and (in_tests or code.language != "ruby"):
        yield from (code.sign("exit_at_import", index) for index in found.explicit if found.is_top_level(index))
    # A library has no reason to end the program that uses it, unless it reads the command line.
    if code.language == "rust" and not in_tests and _PROGRAM.isdisjoint(code.words):
        yield from (code.sign("exit_in_library", index) for index in found.explicit)


class _Exits:
    """Where a file exits with success; ``explicit`` without those that leave the status open."""

    def __init__(self, code: Code, names: Names, words: Words) -> None:
        self._code, self._names, self._words = code, names, words
        self.all: list[int] = []
        self.explicit: list[int] = []
        for chain in names.chains:
            if not words.ends(words.exits, chain.path) or self._is_given_more(chain.end, chain.path):
                continue
            self.all.append(chain.first)
            if not (chain.path.endswith("()") and code.language == "javascript"):
                self.explicit.append(chain.first)
        for given in code.assignments:
            if words.match(words.exit_codes, names.target(given)) and code.words[given.value[0]] == "0":
                self.all.append(given.target[0])
                self.explicit.append(given.target[0])

    def within(self, part: Slice) -> bool:
        return any(part[0] <= index < part[1] for index in self.all)

    def at_end(self) -> Iterator[Slice]:
        """Statements that have something done when the process ends, or when a test has failed."""
        for chain in self._names.chains:
            if self._words.match(self._words.at_end, chain.path):
                whole = self._names.statement(chain)
                block = self._code.block_after(chain.end)
                if self.within(whole) or self.within(block):
                    yield whole

    def early(self, rule: str, in_tests: bool) -> Iterator[Sign]:
        """What runs before anybody calls it."""
        code = self._code
        for function in code.functions:
            looked_at = not in_tests or not self._words.exits_anywhere_in_tests
            if looked_at and function.body and self._is_early(function) and self.within(function.body):
                yield code.sign(rule, function.at)
        for node in code.tree.nodes:
            if node.kind in self._words.early_blocks and not in_tests and self.within(code.slice(node)):
                yield code.sign(rule, code.at(node.start))

    def is_top_level(self, index: int) -> bool:
        code = self._code
        if code.language == "javascript":
            return index not in code.in_braces
        return not code.enclosed(index, code.grammar.holders)

    def _is_early(self, function: Function) -> bool:
        words, code = self._words, self._code
        if code.language == "go":
            return words.is_one(words.early, function.name) and len(function.head) == 1
        static = function.node.kind == "constructor_declaration" and function.head[:1] == ("static",)
        return static or any(words.is_one(words.early, word) for word in function.head)

    def _is_given_more(self, end: int, path: str) -> bool:
        """``exit code``: what a command of Ruby's is given without parentheses."""
        code = self._code
        if path.endswith(")") or end >= len(code.words):
            return False
        return not code.breaks(end) and code.words[end] not in _GOES_ON


def _dropped_results(code: Code, names: Names, exits: _Exits) -> Iterator[Sign]:
    """A ``TestMain`` of Go's that never runs the tests, or ends with success whatever they said."""
    for function in code.functions:
        if function.name != "TestMain" or function.body is None or not function.parameters:
            continue
        first, end = function.body
        runs = [chain.first for chain in names.within(function.body) if chain.path.endswith(".Run()")]
        if not runs:
            dropped = not any(
                code.words[index] == function.parameters[0] and code.words[index - 1] in ("(", ",")
                for index in range(first, end)
            )
        else:
            deferred = any(code.words[index - 1] == "defer" and first <= index < end for index in exits.all)
            dropped = exits.within((runs[-1], end)) or deferred or _is_reset(code, function.body, runs)
        if dropped:
            yield code.sign("result_changed", function.at)


def _is_reset(code: Code, body: Slice, runs: list[int]) -> bool:
    """Whether what the tests said is set to 0 afterwards."""
    inside = [given for given in code.assignments if body[0] <= given.target[0] < body[1]]
    held = {name for given in inside if given.value[0] in runs for name in code.names_in(given.target)}
    return any(
        given.target[0] > runs[0]
        and code.words[given.value[0]] == "0"
        and not held.isdisjoint(code.names_in(given.target))
        for given in inside
    )
