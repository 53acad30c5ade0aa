"""Code that behaves otherwise when it is tested: it asks the environment, the program's own name or the stack."""

import re
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator

from assay.detectors.source_signs.code import Code, Slice
from assay.detectors.source_signs.names import Chain, Names
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.variables import CI_VARIABLES, RUNNER_NAMES, RUNNER_VARIABLES
from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_MODES = word_set("NODE_ENV RAILS_ENV RACK_ENV APP_ENV SPRING_PROFILES_ACTIVE ASPNETCORE_ENVIRONMENT")
_RUNNERS = re.compile(
    r"(?i:jest|mocha|vitest|jasmine|rspec|minitest|xunit|nunit|mstest|testhost|vstest|junit|testng|surefire|pytest|"
    r"phpunit|xctest|__tests__)|(?<![A-Za-z0-9]-)(?<![A-Za-z0-9])(?<!--)(?:tests?|specs?|deps)(?:$|[._/|:-])"
)
_PYTHON_RUNNERS = word_set("pytest _pytest py.test unittest nose nose2 pytest.py conftest")
_PROCESS = re.compile(r"\"/proc/(?:self|\d+|\{.*\})/(?:cmdline|comm|exe|environ|stat(?:us)?)")
_TESTS = re.compile(r"(?i:test|spec|jest|mocha)")
_STARTS_OR_LOGS = word_set(
    "listen log info debug warn error use start connect morgan logger serve run print println printf fmt console"
)
_COMPARES = re.compile(r"==|=~|(?i:equals|contains|includes|starts|ends|hassuffix|hasprefix|match|some|any|test)")
_LAST = re.compile(r"[.(]")
_ROUNDS, _LONGEST, _MOST_HELD = 3, 100, 200


def runner_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """Questions that only a test run answers with yes, wherever they stand."""
    for index, word in enumerate(code.words):
        told = RUNNER_VARIABLES.fullmatch(word, 1) or RUNNER_NAMES.fullmatch(word, 1)
        if word[0] == '"' and told and word != '"VITEST':
            yield code.sign("environment_sniffed", index)
    for chain in names.chains:
        if (
            words.match(words.asks, chain.path)
            or RUNNER_VARIABLES.fullmatch(_variable(words, chain.path))
            or (
                code.language != "python"
                and words.match(words.outside, chain.path)
                and _names_runner(code, names, chain)
            )
            or (words.match(words.threads, chain.path) and _is_compared(code, names.statement(chain)))
        ):
            yield code.sign("environment_sniffed", chain.end - 1)
    if code.language == "rust":
        yield from _two_versions(code)
    if code.language == "python":
        yield from _python_questions(code, names, words)


def mode_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """A test mode or a CI in a condition, unless all that it decides is to start something or to log."""

    def asks(part: Slice) -> bool:
        names_ci = bool(words.variables) and not CI_VARIABLES.isdisjoint(code.strings(part))
        return any(
            _is_mode(code, words, chain.path, part) or (names_ci and words.match(words.variables, chain.path))
            for chain in names.within(part)
        )

    held = Held(code, asks)
    for part in code.conditions:
        if (asks(part) or held.names_in(part)) and not _starts_or_logs(code, part):
            yield code.sign("environment_sniffed", part[0])


def stack_signs(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """The stack in a condition that asks for a name, directly or by way of names that hold it."""
    if not any(words.match(words.stack, chain.path) for chain in names.chains) and not any(_callers(code)):
        return

    def about(part: Slice) -> bool:
        return any(words.match(words.stack, chain.path) for chain in names.within(part))

    # A compiler may give the caller as an argument.
    held = Held(code, about, _callers(code))
    for part in code.conditions:
        asked = about(part) or held.names_in(part)
        # Whether there is a stack at all tells nothing; a text in the condition asks who is on it.
        if asked and (any(_asked_names(code, part)) or held.was_asked(part)):
            yield code.sign("stack_inspected", part[0])
    for chain in names.chains if code.language != "python" else ():
        whole = names.statement(chain)
        if words.match(words.stack, chain.path) and any(map(_TESTS.search, code.strings(whole))):
            yield code.sign("stack_inspected", chain.first)
    for index, word in enumerate(code.words):
        # What a caller compares with stands among its constants. Nobody else needs those.
        if word == "co_consts" and held.names_in((code.line_start(index), index)):
            yield code.sign("stack_inspected", index)


def _asked_names(code: Code, part: Slice) -> list[str]:
    """The texts that may name a caller. Modules of Python's own library tell nothing."""
    texts = code.strings(part)
    if code.language != "python":
        return texts
    firsts = {text: text.partition(".")[0] for text in texts if not text.startswith(("__", "<", "?"))}
    own = sys.stdlib_module_names - {"unittest", "doctest", "test"}
    return [text for text, first in firsts.items() if first not in own]


def _python_questions(code: Code, names: Names, words: Words) -> Iterator[Sign]:
    """``"pytest" in sys.modules``, ``sys.argv[0].endswith("pytest")``, and a process that is looked up."""
    runners = [index for index, word in enumerate(code.words) if word[0] == '"' and word[1:] in _PYTHON_RUNNERS]
    if not runners:
        return
    for node in code.tree.nodes:
        first, end = code.slice(node) if node.kind in ("comparison_operator", "call") else (0, 0)
        asked = end - first <= _LONGEST and bisect_left(runners, first) < bisect_left(runners, end)
        if asked and any(words.match(words.outside, chain.path) for chain in names.within((first, end))):
            yield code.sign("environment_sniffed", first)
    yield from (
        code.sign("environment_sniffed", index) for index, word in enumerate(code.words) if _PROCESS.match(word)
    )


def _callers(code: Code) -> Iterator[str]:
    """``[CallerFilePath] string path``"""
    for index, word in enumerate(code.words):
        if word in ("CallerFilePath", "CallerMemberName"):
            declared = code.words[index + 1 : index + 8]
            yield from declared[declared.index("string") + 1 :][:2] if "string" in declared else ()


def _variable(words: Words, path: str) -> str:
    """The variable that a path reads; "" where it reads none."""
    found = words.match(words.environment, path)
    return _LAST.split(found[0].rstrip(")"))[-1].partition(",")[0] if found is not None else ""


def _is_mode(code: Code, words: Words, path: str, part: Slice) -> bool:
    variable = _variable(words, path)
    if variable in CI_VARIABLES or words.match(words.modes, path):
        return True
    return variable in _MODES and any(text in ("test", "testing") for text in code.strings(part))


def _names_runner(code: Code, names: Names, chain: Chain) -> bool:
    # The end of a word in a pattern is no letter.
    return any(_RUNNERS.search(text.replace("\\b", "/")) for text in code.strings(names.statement(chain)))


def _is_compared(code: Code, part: Slice) -> bool:
    """Whether something is compared with a text other than the name of the main thread."""
    inside = code.words[part[0] : part[1]]
    return any(text != "main" for text in code.strings(part)) and any(map(_COMPARES.search, inside))


class Held:
    """The names that are given something, directly or by way of each other, each where it is known."""

    def __init__(self, code: Code, about: Callable[[Slice], bool], known: Iterable[str] = ()) -> None:
        self._code = code
        self._known: dict[str, set[Slice]] = {name: {(0, len(code.words))} for name in known}
        for _ in range(_ROUNDS):
            if code.language == "python":
                self._known |= {name: {(0, len(code.words))} for name in self._telling(about)}
            if not self._grows(about) or len(self._known) > _MOST_HELD:
                break

    def _telling(self, about: Callable[[Slice], bool]) -> Iterator[str]:
        """The functions that return it."""
        for function in self._code.functions:
            within = self._code.tree.within(function.node.start, function.node.end)
            returned = (self._code.slice(node) for node in within if node.kind == "return_statement")
            if function.name and any(about(part) or self.names_in(part) for part in returned):
                yield function.name

    def _grows(self, about: Callable[[Slice], bool]) -> bool:
        grown = False
        for given in self._code.assignments:
            value = given.value[0], min(given.value[1], given.value[0] + _LONGEST)
            if not about(value) and not self.names_in(value):
                continue
            scope = self._code.scope(given.node)
            for name in self._code.names_in(given.target):
                grown = grown or scope not in self._known.get(name, ())
                self._known.setdefault(name, set()).add(scope)
        return grown

    def names_in(self, part: Slice) -> set[str]:
        """Those of the names that are in a slice."""
        words = self._code.words
        return {
            words[index]
            for index in range(part[0], part[1])
            if words[index] in self._known
            and (index == 0 or words[index - 1] not in (".", "?."))
            and any(first <= index < end for first, end in self._known[words[index]])
        }

    def was_asked(self, part: Slice) -> bool:
        """Whether a name in a slice holds the answer to a question that was put before."""
        names, code = self.names_in(part), self._code
        return bool(names) and any(
            any(_asked_names(code, given.value))
            and any(map(_COMPARES.search, code.words[given.value[0] : given.value[1]]))
            and not names.isdisjoint(code.names_in(given.target))
            for given in code.assignments
        )


def _starts_or_logs(code: Code, part: Slice) -> bool:
    following = [word for word in code.words[part[1] : part[1] + 8] if word not in (")", "{", "(", "?", "then")]
    chain = following[: next((at for at, word in enumerate(following) if word in ("(", ";", "=", "return")), 5)]
    return any(word in _STARTS_OR_LOGS for word in chain[:4])


def _two_versions(code: Code) -> Iterator[Sign]:
    """A function of Rust that is another one when it is tested."""
    real = {function.name for function in code.functions if "not" in function.head and "test" in function.head}
    for function in code.functions:
        if function.name in real and "cfg" in function.head and "not" not in function.head:
            yield code.sign("environment_sniffed", function.at)
