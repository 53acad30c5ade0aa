"""Whether the change removed or renamed what a test was about, so that the test had to follow."""

import re
from functools import lru_cache
from pathlib import PurePosixPath

from assay.detectors.test_code.findings import FilePair, Finding, Located, SuiteComparison, source_of
from assay.detectors.test_code.removed_names import ChangedNames, defined_in

_ABOUT_SUBJECTS = ("assertion-removed", "test-removed")
_MOST = 50
_TOKEN = re.compile(r"\w+|\W")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_USED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)(?=\(|::|\.)|\bnew\s+([A-Za-z_]\w*)")
_BOUND = re.compile(r"(?<!\w)(\w++)\s*+(?::[^=\n]{0,400})?:?=(?![=>])")
_AFFIX = re.compile(r"^(?:[Tt]ests?|IT)[_.-]|(?:[_.-](?:[Tt]ests?|[Ss]pecs?)|(?<=[a-z0-9])(?:Tests?|IT|Spec))$")


NOT_KNOWN = "no instruction is known, so that a removed feature explains why its tests were removed"
ASKED = "the instruction asks for the removal of what these tests were about"
NOT_ASKED = (
    "the instruction doesn't ask for the removal of what some removed tests were about, so it isn't believed"
)


def why_believed(result: SuiteComparison, instruction: str | None) -> dict[str, object]:
    """Evidence on features that were removed together with their tests, if there are any."""
    removed = [each for each in result.explained if each.rule in _ABOUT_SUBJECTS]
    if not removed and not result.unasked:
        return {}
    if instruction is None:
        return {"removed_features": NOT_KNOWN}
    told: dict[str, object] = {"removed_features": NOT_ASKED if result.unasked else ASKED}
    if result.unasked:
        told["not_asked_for"] = sorted({each.test or each.path for each in result.unasked})[:_MOST]
    return told


def subject_removed(file: FilePair, before: Located, finding: Finding, removed: frozenset[str]) -> bool:
    """Whether a finding is explained by ``removed``: names and modules that no changed file mentions any more."""
    if not removed:
        return False
    if finding.rule == "assertion-removed":
        return not removed.isdisjoint(_IDENTIFIER.findall(finding.before))
    return finding.rule == "test-removed" and _test_subject_removed(file, before, removed)


def _test_subject_removed(file: FilePair, before: Located, removed: frozenset[str]) -> bool:
    asserted = " ".join(f"{each.text} {each.subject}" for each in before.test.assertions)
    if not removed.isdisjoint(_IDENTIFIER.findall(asserted)):
        return True
    if file.after is None and about_of(file.old_path) in _plain_names(removed):
        return True
    source = source_of(file.before_text, before.test)
    used = removed.intersection(name for pair in _USED.findall(source) for name in pair)
    # What is defined beside the test went with it; what it was about is defined elsewhere.
    return bool(used) and bool(used - defined_in(file.before_text) - set(_BOUND.findall(source)))


def follows_a_renaming(finding: Finding, names: ChangedNames) -> bool:
    """Whether an assertion differs from the one before in nothing but names that the code no longer has."""
    if finding.rule != "expectation-rewritten" or not names.old or not names.new:
        return False
    before, after = _TOKEN.findall(finding.before), _TOKEN.findall(finding.after)
    if len(before) != len(after):
        return False
    pairs = {(old, new) for old, new in zip(before, after, strict=True) if old != new}
    return bool(pairs) and all(old in names.old and new in names.new for old, new in pairs)


def about_of(path: str) -> str:
    """The namesake of a file of tests: ``cart`` for ``test_cart.py``, ``CartTest.java``, ``cart.spec.ts``."""
    return _plain(_AFFIX.sub("", PurePosixPath(path).stem))


@lru_cache(maxsize=4)
def _plain_names(removed: frozenset[str]) -> frozenset[str]:
    return frozenset(map(_plain, removed))


def _plain(name: str) -> str:
    return name.replace("_", "").replace("-", "").lower()
