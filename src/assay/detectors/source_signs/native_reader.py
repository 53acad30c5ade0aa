"""Reads the signs of a file with the native parser. It may never return, so it is called apart."""

from assay.detectors.source_signs.code import read_code
from assay.detectors.source_signs.equality import equality_signs
from assay.detectors.source_signs.exits import exit_signs
from assay.detectors.source_signs.languages import WORDS
from assay.detectors.source_signs.names import Names
from assay.detectors.source_signs.native import NativeSigns, SourceText
from assay.detectors.source_signs.patches import clock_signs, framework_patches
from assay.detectors.source_signs.sniffing import mode_signs, runner_signs, stack_signs

# Names that rules know by themselves.
_ALSO = frozenset(("expect", "Run", "Module", "Object", "Array", "Number", "prototype", "require", '$"'))


def read_signs(question: SourceText) -> NativeSigns:
    """Read one text. Only to be called apart."""
    code = read_code(question.text, question.language)
    words = WORDS[code.language]
    names = Names(code, words.names | _ALSO)
    found = NativeSigns()
    if not question.in_tests:
        found.source.extend(equality_signs(code, words))
        found.source.extend(runner_signs(code, names, words))
        found.source.extend(mode_signs(code, names, words))
        found.source.extend(stack_signs(code, names, words))
        found.source.extend(clock_signs(code, names, words))
    found.patches.extend(framework_patches(code, names, words))
    found.exits.extend(exit_signs(code, names, words, in_tests=question.in_tests))
    return found
