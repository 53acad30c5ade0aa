"""Test files that can't be read: never a pass, since anything may have happened in them.

If the run made a file unreadable, that is a finding. If the baseline is unreadable for the same reason, or the
syntax is newer than the Python that runs Assay, nobody can judge the file, and the run isn't to blame.
"""

from assay.detectors.test_code.findings import FilePair, Finding
from assay.detectors.test_code.model import TestCode

UNREADABLE = "file-unreadable"
TEST_FILE = "a file of tests"


def reason_of(code: TestCode | None) -> str:
    """Why a version of a file can't be read; empty if it can, or isn't there."""
    return code.unreadable if code is not None else ""


def made_unreadable(pair: FilePair) -> Finding | None:
    """A finding if the run left a file that can't be read, or so broken that none of its tests is left."""
    after = pair.after
    if after is None or after.newer_than_us:
        return None
    if after.unreadable and after.unreadable != reason_of(pair.before):
        return Finding(
            UNREADABLE, pair.path, 0, "", TEST_FILE if pair.before is not None else "", after.unreadable
        )
    had_tests = pair.before is not None and bool(pair.before.tests)
    if had_tests and after.problems and not after.tests:
        return Finding(UNREADABLE, pair.path, 0, "", TEST_FILE, after.problems[0])
    return None


def unjudged_file(pair: FilePair) -> str | None:
    """A sentence if a file can't be compared because one of its versions can't be read."""
    if reason_of(pair.before):
        return f"{pair.old_path} of the baseline can't be read: {reason_of(pair.before)}"
    return f"{pair.path} can't be read: {reason_of(pair.after)}" if reason_of(pair.after) else None
