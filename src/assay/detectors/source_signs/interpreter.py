"""Python that reaches into its interpreter to get at tests, or that executes code which nobody can read."""

import re
from collections.abc import Iterator

from assay.detectors.source_signs.code import Code, Slice
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.sign import Sign
from assay.detectors.source_signs.sniffing import Held
from assay.detectors.test_code.word_sets import word_set

_RUNS_CODE = re.compile(r"(?:(?:builtins\.)?(?:exec|eval)|compile|marshal\.loads)\(")
_DECODES = word_set("b64decode urlsafe_b64decode b32decode b85decode a85decode fromhex unhexlify decompress rot13")
_IMPORT_HOOKS = re.compile(r"sys\.(?:meta_path|path_hooks)(?:\.(?:insert|append|extend)\(|$)")
_TRACERS = re.compile(r"(?:sys|threading)\.set(?:trace|profile)\(")
_ABOUT_TESTS = re.compile(r"\"(?:_?tests?(?:_.*)?|test\w+|.*_test|unittest(?:\..*)?|_?pytest(?:\..*)?|conftest)")
_FRAME_PARTS = word_set("f_lineno f_locals f_trace_lines")


def hidden_code(code: Code, names: Names) -> Iterator[Sign]:
    """``exec(b64decode("…"))``, with the decoding inside the call or some names away."""

    def decodes(part: Slice) -> bool:
        return not _DECODES.isdisjoint(code.words[slice(*part)])

    held = Held(code, decodes)
    for chain in names.chains:
        for part in names.arguments(chain)[:1] if _RUNS_CODE.match(chain.path) else ():
            if decodes(part) or held.names_in(part):
                yield code.sign("hidden_code", chain.first)


def interpreter_signs(code: Code, names: Names) -> Iterator[Sign]:
    """Hooks that ask for names of tests or change frames, functions that get other code, and ``mock.ANY``."""
    targets = [(names.target(given), given.target) for given in code.assignments]
    asks = any(map(_ABOUT_TESTS.fullmatch, code.words))
    changes = any(not _FRAME_PARTS.isdisjoint(code.words[slice(*target)]) for _, target in targets)
    for path, target in targets:
        if code.words[slice(*target)][-2:] == [".", "__code__"] or (asks and _IMPORT_HOOKS.match(path)):
            yield code.sign("interpreter_hooked", target[0])
    for chain in names.chains:
        traces = _TRACERS.match(chain.path) and (asks or changes)
        if traces or (asks and chain.called is not None and _IMPORT_HOOKS.match(chain.path)):
            yield code.sign("interpreter_hooked", chain.first)
        elif chain.path in ("unittest.mock.ANY", "mock.ANY"):
            yield code.sign("always_equal", chain.first)
