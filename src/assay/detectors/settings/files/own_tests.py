"""The files that make up a project's tests: the tests themselves, what they are loaded with, and their data."""

from assay.detectors.source_signs.roles import is_test_code
from assay.detectors.test_code.paths import is_collected_path, language_of

_TOP_FOLDERS = frozenset({"tests", "test", "spec", "__tests__"})
_DATA_FOLDERS = frozenset({"__tests__", "__snapshots__", "testdata"})


def belongs_to_tests(path: str) -> bool:
    """Whether a file is a test or serves one. A package ``test`` of the project's own is neither."""
    folders = path.split("/")[:-1]
    if folders[:1] and folders[0] in _TOP_FOLDERS:
        return True
    if not is_test_code(path):
        return not _DATA_FOLDERS.isdisjoint(folders)
    in_package = language_of(path) == "python" and "test" in folders and "tests" not in folders
    return not in_package or is_collected_path(path)
