"""Calls that end a Java test early without failing it."""

import re
from collections.abc import Mapping

from assay.detectors.test_code.curly.bodies import SkipCall
from assay.detectors.test_code.curly.chains import chain
from assay.detectors.test_code.curly.constants import constant
from assay.detectors.test_code.curly.tokens import Tokens, uniform

THROW = re.compile(
    r"throw\s+new\s+(?:[\w$]+\s*\.\s*)*(?:\w*Skip\w*Exception|TestAbortedException|AssumptionViolated\w*)\b"
)


def skip_call(parts: Tokens, names: Mapping[str, bool]) -> list[SkipCall]:
    """What an assumption does: one that always holds skips nothing."""
    for link in chain(parts):
        if link.arguments is None or not link.name.startswith(("assum", "abort")):
            continue
        if link.name == "abort":
            return [SkipCall("skip", link.text)]
        if link.name not in ("assumeTrue", "assumeFalse", "assumingThat"):
            return [SkipCall("skip", uniform(parts), conditional=True)]
        wanted = link.name != "assumeFalse"
        told_first = link.given > 1 and link.argument(0)[0][0] == '"'
        value = constant(link.argument(1 if told_first else 0), names)
        return [] if value is wanted else [SkipCall("skip", link.text, conditional=value is None)]
    return []
