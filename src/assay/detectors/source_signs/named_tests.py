"""Files of tests that source names in its literals: what reads them may take the answers from them."""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from assay.detectors.source_signs.sign import Sign, sign

_FOLDERS = r"(?:tests?|specs?|__tests__)/(?:[\w.-]+/)*[\w.-]+"
_FILE = re.compile(
    r"[\"'`/](?=[\w./-]{1,300}+[\"'`])"
    rf"((?:[\w.-]+/)*(?:{_FOLDERS}|[\w.-]*(?:[Tt]est|[Ss]pec)[\w.-]*)\.\w{{1,5}})[\"'`]"
)
_CHANGES = re.compile(r"write|remove|unlink|rename|copy|truncate|delete|\brm\b|[\"']w[bt+]*[\"']", re.IGNORECASE)


def file_names(text: str) -> frozenset[str]:
    """The names of files that may be tests, with the folders that stand before them."""
    return frozenset(_FILE.findall(text))


def those_of(names: frozenset[str], paths: Iterable[str]) -> frozenset[str]:
    """The names that stand for one of these paths."""
    last = {PurePosixPath(name).name for name in names}
    known = [path for path in paths if path.rpartition("/")[2] in last]
    return frozenset(name for name in names if any(f"/{path}".endswith(f"/{name}") for path in known))


def named_test_signs(text: str, names: frozenset[str], *, serves_build: bool) -> Iterator[Sign]:
    """Lines that have one of these names. A build may name tests; it has no business to write them."""
    for number, line in enumerate(text.split("\n"), 1):
        if "est" in line or "pec" in line:
            named = file_names(line[:4000]) & names
            if named and (not serves_build or _CHANGES.search(line)):
                yield sign("test_file_named", number, line)
