"""Reads the signs of a file with the native parser. It may never return, so it is called apart."""

import re
from dataclasses import replace

from assay.detectors.source_signs.code import Code
from assay.detectors.source_signs.code_words import read_code
from assay.detectors.source_signs.equality import equality_signs
from assay.detectors.source_signs.exits import exit_signs
from assay.detectors.source_signs.interpreter import hidden_code, interpreter_signs
from assay.detectors.source_signs.languages import WORDS
from assay.detectors.source_signs.languages.python import ALSO
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.native import NativeSigns, SignsText
from assay.detectors.source_signs.patches import clock_signs, framework_patches
from assay.detectors.source_signs.pytest_hooks import hook_signs
from assay.detectors.source_signs.sniffing import mode_signs, runner_signs, stack_signs
from assay.detectors.source_signs.subject_patched import subject_patches

_HOOK = re.compile(r"def pytest_|hookimpl")
_EXECUTES = re.compile(r"(?:exec|eval)\(")
# Names that rules know by themselves.
_ALSO = frozenset(("expect", "Run", "Module", "Object", "Array", "Number", "prototype", "require", '$"'))


def read_signs(question: SignsText) -> NativeSigns:
    """Read one text. Only to be called apart."""
    code = read_code(question.text, question.language)
    words = WORDS[code.language]
    python = code.language == "python"
    names = Names(code, words.names | question.packages | (ALSO if python else _ALSO))
    found = NativeSigns()
    if not question.in_tests:
        found.source.extend(equality_signs(code, names, words))
        found.source.extend(runner_signs(code, names, words))
        found.source.extend(mode_signs(code, names, words))
        found.source.extend(stack_signs(code, names, words))
        found.source.extend(clock_signs(code, names, words))
        if python:
            found.source.extend(hidden_code(code, names))
            found.source.extend(interpreter_signs(code, names))
    found.patches.extend(framework_patches(code, names, words, in_tests=question.in_tests))
    found.exits.extend(exit_signs(code, names, words, in_tests=question.in_tests))
    if python:
        if question.in_tests or _HOOK.search(question.text):
            found.hooks.extend(hook_signs(code, names, words))
        found.patches.extend(subject_patches(code, names, question.packages))
        _add_executed(code, names, question, found)
    return found


def _add_executed(code: Code, names: Names, question: SignsText, found: NativeSigns) -> None:
    """The signs of code in a text that is executed, where that is done."""
    for chain in [chain for chain in names.chains if _EXECUTES.match(chain.path)]:
        for text in code.strings((names.arguments(chain) or [(0, 0)])[0])[:1]:
            inner = read_signs(replace(question, text=text.replace("\\n", "\n")))
            at_import = not code.enclosed(chain.first, frozenset(("function_definition", "lambda")))
            found.source.extend(code.sign(one.rule, chain.first) for one in inner.source)
            found.patches.extend(code.sign(one.rule, chain.first) for one in inner.patches)
            found.exits.extend(code.sign(one.rule, chain.first) for one in inner.exits if at_import)
            found.hooks.extend(code.sign(one.rule, chain.first) for one in inner.hooks)
