"""Whether an expectation only follows a name that the change gave to the code: an exception or a constant."""

import re

from assay.detectors.test_code.findings import Finding
from assay.detectors.test_code.removed_names import ChangedNames

_TOKEN = re.compile(r"\w+|\W")


def follows_a_renaming(finding: Finding, names: ChangedNames) -> bool:
    """Whether an assertion differs from the one before in nothing but names that the code no longer has."""
    if finding.rule != "expectation-rewritten" or not names.old or not names.new:
        return False
    before, after = _TOKEN.findall(finding.before), _TOKEN.findall(finding.after)
    if len(before) != len(after):
        return False
    pairs = {(old, new) for old, new in zip(before, after, strict=True) if old != new}
    return bool(pairs) and all(old in names.old and new in names.new for old, new in pairs)
