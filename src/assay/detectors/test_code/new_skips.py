"""Finds the tests that a change keeps from running or from counting."""

import re
from collections import Counter
from collections.abc import Sequence

from assay.detectors.test_code.findings import FilePair, Finding, Located, SuiteComparison, never_runs
from assay.detectors.test_code.matching import match_tests
from assay.detectors.test_code.model import Skip, Test

_GIVEN = re.compile(r"\w\(([^()]++(?:\([^()]*+\)[^()]*+)*+)\)\Z")
_CALLED = re.compile(r"(?<!\w)(\w++[?!]?)\(")
_RAN = "it ran"


def compare_skips(files: Sequence[FilePair]) -> SuiteComparison:
    """Compare what skips the tests of all changed files: per test, and for whole files and folders."""
    matching = match_tests(files)
    result = SuiteComparison()
    hit: list[tuple[Finding, Skip]] = []
    for before, matched in matching.pairs:
        after = matched or matching.dead.get(id(before.test))
        result.compared += before.test.collected
        skip = _new_skip(before.test, after.test) if after is not None else None
        if skip is not None and after is not None:
            rule = "new-conditional-skip" if skip.conditional else "new-skip"
            hit.append(
                (Finding(rule, after.path, skip.line, after.test.identity, _had(before.test), skip.text), skip)
            )
    gone = [before for before, after in matching.pairs if after is None]
    hit += _skipped_from_the_start(matching.new, gone)
    hit += _skipped_as_a_case(matching.new, gone)
    result.compared += len(matching.new)
    result.worse = len(hit)
    shared = _once(hit)
    result.findings = shared + _of_files(files, shared)
    result.worse += len(result.findings) - len(shared)
    result.compared = max(result.compared, result.worse)
    result.findings.sort(key=lambda each: (each.path, each.line, each.rule))
    return result


def _new_skip(before: Test, after: Test) -> Skip | None:
    """The skip that a test has and had not: one without a condition first, else one more with a condition."""
    if never_runs(before):
        return None
    always = next((skip for skip in after.skips if not skip.conditional), None)
    if always is not None or _different(after.skips) <= _different(before.skips):
        return always
    return after.skips[-1]


def _different(skips: Sequence[Skip]) -> int:
    """How many skips there are: a group that is skipped under the condition of its tests adds none."""
    told = [_GIVEN.search(skip.text) for skip in skips]
    return told.count(None) + len({found[1] for found in told if found is not None})


def _had(test: Test) -> str:
    return "; ".join(skip.text for skip in test.skips) or _RAN


def _skipped_from_the_start(new: list[Located], gone: list[Located]) -> list[tuple[Finding, Skip]]:
    """New tests that are skipped, beyond the skipped ones that were removed: rewriting one adds no skip."""
    found: list[tuple[Finding, Skip]] = []
    for each in new:
        skips = [skip for skip in each.test.skips if not skip.conditional and skip.kind != "todo"]
        if skips:
            skip = skips[0]
            found.append(
                (Finding("new-test-skipped", each.path, skip.line, each.test.identity, "", skip.text), skip)
            )
    excused = sum(never_runs(each.test) for each in gone)
    return found[excused:]


def _skipped_as_a_case(new: list[Located], gone: list[Located]) -> list[tuple[Finding, Skip]]:
    """New tests that skip some of their cases, and call or expect the same as tests that ran and are gone."""
    asked = {what for each in gone if not each.test.skips for what in _asked(each.test)}
    choosy = [each for each in new if each.test.skips and not never_runs(each.test)]
    heirs = [(each, each.test.skips[0]) for each in choosy if not asked.isdisjoint(_asked(each.test))]
    return [
        (Finding("new-conditional-skip", now.path, skip.line, now.test.identity, _RAN, skip.text), skip)
        for now, skip in heirs
    ]


def _asked(test: Test) -> list[str]:
    return [what for each in test.assertions for what in [*_CALLED.findall(each.subject), each.expected] if what]


def _once(hit: list[tuple[Finding, Skip]]) -> list[Finding]:
    """One finding for each skip, however many tests it takes along."""
    groups: dict[tuple[str, str, Skip], list[Finding]] = {}
    for finding, skip in hit:
        groups.setdefault((finding.path, finding.rule, skip), []).append(finding)
    found: list[Finding] = []
    for same in groups.values():
        first = same[0]
        more = f"{first.test} and {len(same) - 1} more" if len(same) > 1 else first.test
        found.append(Finding(first.rule, first.path, first.line, more, first.before, first.after))
    return found


def _of_files(files: Sequence[FilePair], known: list[Finding]) -> list[Finding]:
    """Skips of a whole file or folder that no test of the file shows: those of a conftest.py above all."""
    told = {(finding.path, finding.after) for finding in known}
    gone: Counter[tuple[str, bool]] = Counter()
    fresh: list[tuple[FilePair, Skip]] = []
    for file in files:
        new, left = _changed_skips(file)
        fresh += [(file, skip) for skip in new if (file.path, skip.text) not in told and _matters(file, skip)]
        for (kind, conditional, _), number in left.items():
            gone[kind, conditional] += number
    found: list[Finding] = []
    for file, skip in fresh:
        if gone[skip.kind, skip.conditional] > 0:
            gone[skip.kind, skip.conditional] -= 1
            continue
        rule = "new-conditional-skip" if skip.conditional else "new-skip"
        found.append(Finding(rule, file.path, skip.line, "", "", skip.text))
    return found


def _changed_skips(file: FilePair) -> tuple[list[Skip], Counter[tuple[str, bool, str]]]:
    """The skips of a file as a whole that are new, and those that are gone, counted."""
    left = Counter(map(_key, _skips(file, after=False)))
    new: list[Skip] = []
    for skip in _skips(file, after=True):
        if left[_key(skip)]:
            left[_key(skip)] -= 1
        else:
            new.append(skip)
    return new, left


def _key(skip: Skip) -> tuple[str, bool, str]:
    return skip.kind, skip.conditional, skip.text


def _skips(file: FilePair, *, after: bool) -> tuple[Skip, ...]:
    code = file.after if after else file.before
    return code.skips if code is not None else ()


def _matters(file: FilePair, skip: Skip) -> bool:
    """A new file may say under which conditions its own tests run."""
    own = file.after is not None and any(test.collected for test in file.after.tests)
    existed = file.before is not None
    return existed or not (own and skip.conditional)
