"""Ways to end a run of tests with success. Outside of tests only what runs when a file is loaded or at the end."""

import re
from collections.abc import Iterator

from assay.detectors.source_signs.code import Code, CodeFunction, Slice
from assay.detectors.source_signs.names import Chain, Names
from assay.detectors.source_signs.patches import is_function_like
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_GOES_ON = word_set("if unless } end ) ; rescue and or ||")
_NO_EXIT = ("process.exit", "process.reallyExit", "process.abort")
_FAILURE = re.compile(r"[1-9]|\".|true$")
_LEAVING = word_set("SystemExit sys.exit exit quit builtins.exit builtins.quit builtins.SystemExit")
_REPLACES = re.compile(r"os\.exec[lv]p?e?\(")
_SUCCESS = (["0"], ["null"])
_PROGRAM = word_set("args usage help clap main Command")


def exit_signs(code: Code, names: Names, words: Words, *, in_tests: bool) -> Iterator[Sign]:
    """Everything of a file that ends the process with success at the wrong time."""
    found = _Exits(code, names, words)
    if code.language == "python":
        yield from _python_exits(code, names, words, found, in_tests=in_tests)
        return
    at_end = list(found.at_end())
    yield from (code.sign("exit_at_end", part[0]) for part in at_end)
    yield from found.early("exit_in_test" if code.language == "rust" else "exit_at_import", in_tests)
    if code.language == "go":
        yield from _dropped_results(code, names, found)
    if code.language == "javascript" and not in_tests:
        yield from _disabled(code, names)
    if in_tests and words.exits_anywhere_in_tests:
        yield from (code.sign("exit_in_test", index) for index in found.explicit)
    elif words.top_level_runs and (in_tests or code.language != "ruby"):
        yield from (code.sign("exit_at_import", index) for index in found.explicit if found.is_top_level(index))
    # A library has no reason to end the program that uses it, unless it reads the command line.
    if code.language == "rust" and not in_tests and _PROGRAM.isdisjoint(code.words):
        yield from (code.sign("exit_in_library", index) for index in found.explicit)


def _disabled(code: Code, names: Names) -> Iterator[Sign]:
    """``process.exit = () => {}``"""
    for given in code.assignments:
        if names.target(given).endswith(_NO_EXIT) and is_function_like(code, given.value):
            yield code.sign("framework_patched", given.target[0])


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
        """Code that runs before any call of it."""
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
        if code.language != "python":
            return not code.enclosed(index, code.grammar.holders)
        in_main = any("__name__" in code.words[slice(*part)] for part in code.guards(index))
        return not in_main and not code.enclosed(index, frozenset(("function_definition",)))

    def _is_early(self, function: CodeFunction) -> bool:
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


def python_exits(code: Code, names: Names, words: Words) -> list[int]:
    """Where Python ends with success, or says that a run of tests did."""
    found = _Exits(code, names, words).all
    found += _raised(code, names)
    for chain in names.chains:
        given = [code.words[slice(*part)] for part in names.arguments(chain)]
        if chain.path.startswith("pytest.exit(") and any(
            word[:2] == ["returncode", "="] and word[2:] in _SUCCESS for word in given
        ):
            found.append(chain.first)
    return found


def _python_exits(code: Code, names: Names, words: Words, exits: _Exits, *, in_tests: bool) -> Iterator[Sign]:
    """Exits on import, also by way of a function; a hard one anywhere in tests; and what is left for the end."""
    hard = {chain.first: chain for chain in names.chains if words.match(words.hard_exits, chain.path)}
    if in_tests:
        yield from (code.sign("hard_exit", index) for index in hard if _ends_tests(code, hard[index]))
    exits.all += _raised(code, names)
    ending = {function.name for function in code.functions if function.body and exits.within(function.body)}
    at_once = {index for index in exits.all if _is_run(code, index, index in hard)}
    for index in sorted(at_once.union(_handed_over(code, names, hard, ending))):
        if exits.is_top_level(index):
            yield code.sign("exit_at_import", index)
    for index, part in _left_for_the_end(code, names, words):
        ends = not ending.isdisjoint(code.words[slice(*part)]) or not _LEAVING.isdisjoint(names.paths(part))
        if ends or exits.within(part) or _has_bare(hard, part):
            yield code.sign("exit_at_end", index)


def _raised(code: Code, names: Names) -> list[int]:
    """Where an exception that ends Python with success is raised."""
    return [one.first for one in names.chains if one.path in _LEAVING and code.words[one.first - 1] == "raise"]


def _handed_over(code: Code, names: Names, hard: dict[int, Chain], ending: set[str]) -> Iterator[int]:
    """Calls of functions that end the process; ``Timer(1, os._exit, [0])``; and ``os.execv``."""
    yield from (at for at in range(1, len(code.words)) if _is_call(code, at, ending - {"main", ""}))
    yield from (at for at, one in hard.items() if one.called is None and code.words[at - 1] in ("(", ","))
    yield from (one.first for one in names.chains if _REPLACES.match(one.path))


def _has_bare(hard: dict[int, Chain], part: Slice) -> bool:
    """Whether something is given a hard exit to call."""
    return any(part[0] <= at < part[1] and chain.called is None for at, chain in hard.items())


def _is_run(code: Code, index: int, is_hard: bool) -> bool:
    """Whether an exit is run where it stands; a hard one in a closure is, if that is handed over."""
    closures = _lambdas(code, index)
    return not closures or (is_hard and "=" not in closures)


def _lambdas(code: Code, index: int) -> list[str]:
    """The words before the closures in Python that a word is in."""
    offset = code.starts[index]
    around = [one for one in code.functions if one.is_expression and one.node.start <= offset < one.node.end]
    return [code.words[one.at - 1] for one in around]


def _ends_tests(code: Code, chain: Chain) -> bool:
    """Whether a hard exit may be one with success. A child that was forked has to end this way."""
    if chain.called is None or _FAILURE.match(code.words[chain.called + 1]):
        return False
    forks = "fork" in code.words[slice(*code.scope_at(chain.first))]
    return not (forks and code.guards(chain.first))


def _is_call(code: Code, index: int, names: set[str]) -> bool:
    before, after = code.words[index - 1], code.words[index + 1 : index + 2]
    return code.words[index] in names and after == ["("] and before not in (".", "def")


def _left_for_the_end(code: Code, names: Names, words: Words) -> Iterator[tuple[int, Slice]]:
    for path, value, index in names.given(None):
        if words.match(words.exit_hooks, path):
            yield index, value
    for chain in names.chains:
        if words.match(words.at_end, chain.path):
            if chain.path.startswith("@"):
                decorated = next((one for one in code.functions if one.at > chain.first and one.name), None)
                if decorated is not None and decorated.body:
                    yield decorated.at, decorated.body
            else:
                yield chain.first, names.arguments(chain)[0] if names.arguments(chain) else (0, 0)


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
