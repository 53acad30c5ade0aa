"""The paths of outputs: what tests read must be what the instruction asks for."""

import posixpath
import re
from collections.abc import Iterator

from assay.engine.task_reading import LintFinding
from assay.engine.task_rules.facts import CODE, Facts, is_below, is_file

_PROMISE = re.compile(
    r"\b(?:writ|sav|creat|produc|generat|stor|output|export|put|plac)\w*\b[^.\n]{0,120}?(?<![\w./-])(?P<path>/[\w+@-][\w./+@-]*\.\w{1,5})(?![\w/])",
    re.IGNORECASE,
)
_LOOKS_AROUND = re.compile(r"\bglob\b|\blistdir\b|\biterdir\b|\bos\.walk\b|\bfind\s+/|\*\.\w+")


def output_path_findings(facts: Facts) -> Iterator[LintFinding]:
    """Outputs that are read but not asked for, and the other way round."""
    unpromised = dict(_unpromised(facts))
    for path, at in unpromised.items():
        why = f"the tests read {path}, but neither the instruction nor the environment names that file"
        yield LintFinding("output-not-asked-for", at, why)
    untested = list(_untested(facts))
    for path, line in untested:
        why = f"the instruction asks for {path}, but no test reads it"
        yield LintFinding("output-not-tested", f"instruction.md:{line}", why)


def asked_for(instruction: str) -> list[str]:
    """The files that an instruction asks to be written."""
    return list(dict.fromkeys(found["path"] for found in _PROMISE.finditer(instruction)))


def _unpromised(facts: Facts) -> Iterator[tuple[str, str]]:
    for place in facts.outputs():
        if not facts.instructed(place.path):
            yield place.path, place.at


def _untested(facts: Facts) -> Iterator[tuple[str, int]]:
    tests = "\n".join(facts.files.tests.values())
    if facts.files.is_one_of_several or _LOOKS_AROUND.search(tests):
        return
    for found in _PROMISE.finditer(facts.files.instruction):
        path = found["path"]
        if is_file(path) and not is_below(path, "/tests", "/logs") and posixpath.basename(path) not in tests:
            stem = posixpath.splitext(posixpath.basename(path))[0]
            before = r"\b" if path.endswith(CODE) else r"['\"/]"
            if re.search(rf"{before}{re.escape(stem)}\b", tests) is None and not facts.image.mentions(
                posixpath.basename(path)
            ):
                yield path, facts.files.instruction.count("\n", 0, found.start("path")) + 1
