"""Shared by Java and Kotlin: JUnit 3 to 5, TestNG, AssertJ, Truth, Hamcrest, Mockito."""

import re

from assay.detectors.test_code.engine.language import Catching, Quirks, SkipCall, Skipping
from assay.detectors.test_code.languages.junit import asserts, marks
from assay.detectors.test_code.word_sets import word_set

SKIPPING = Skipping(
    marks=dict.fromkeys(("Disabled", "Ignore", "Ignored"), "disabled"),
    calls={
        **dict.fromkeys(
            ("assumeTrue", "assumingThat", "assumeThat", "assumeNoException", "assumeNotNull"),
            SkipCall(at=0, unless=True),
        ),
        "assumeFalse": SkipCall(at=0, unless=False),
        "abort": SkipCall(),
    },
    receivers=frozenset(("", "Assume", "Assumptions")),
    throws=re.compile(
        r"throw\s+(?:new\s+)?(?:[\w$]+\s*\.\s*)*(?:\w*Skip\w*Exception|TestAbortedException|AssumptionViolated\w*)\b"
    ),
)
CATCHING = Catching(
    assertions=re.compile(r"\b(?:Throwable|Error|\w*Assertion\w*|ComparisonFailure|MultipleFailuresError)\b"),
    much=re.compile(r"\b(?:Exception|RuntimeException)\b"),
    loud=word_set(
        "fail completeExceptionally setFailure tryFailure setException onError fireExceptionCaught verify error"
    ),
)
BROAD = word_set("Exception Throwable RuntimeException Error")
MOCKED = re.compile(r"\bwhen\(\s*(?:\(\s*\)\s*->\s*)?([\w.]+)\([^;{}]{0,200}?\)\s*\)\s*\.then(?:Return|Answer)\(")
CUSTOM = re.compile(r"(?:assert|verify|expect)[A-Z_]\w*\Z")
QUIRKS = Quirks(
    collected=marks.collected,
    completed=marks.completed,
    mark_skips=marks.skips,
    asserted=asserts.asserted,
    lost=asserts.lost,
)
