"""Tests in C#: xUnit, NUnit and MSTest, with FluentAssertions, Shouldly, Moq and NSubstitute."""

import re
from dataclasses import replace

from assay.code.operators import C_LIKE
from assay.detectors.test_code.engine.expressions.brackets import CHARACTER, lexicon_pattern
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import (
    Catching,
    Heads,
    Language,
    Quirks,
    SkipCall,
    Skipping,
)
from assay.detectors.test_code.languages.csharp import marks, quirks
from assay.detectors.test_code.languages.csharp.asserts import LIBRARIES
from assay.detectors.test_code.languages.csharp.parsing import GRAMMAR, parse
from assay.detectors.test_code.word_sets import word_set

_STRING = (
    r'(?:(?<![$@])[$@]++)?"{3}(?:[^"]|"(?!""))*(?:"{3,5}|\Z)|\$?@\$?"(?:""|[^"])*(?:"|\Z)'
    r'|\$?"(?:\\.|[^"\\])*(?:"|\Z)'
)
_ALWAYS = r"(?:true|\w+\s+is\s+(?:not\s+null|object|Exception|\{\s*\})|\w+\s*!=\s*null)"

LANGUAGE = Language(
    name="csharp",
    grammar=GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(rf"{_STRING}|{CHARACTER}", word=r"@?\w+"),
        quirks.literal,
        '"@',
        operators=replace(C_LIKE, functions=frozenset(("is", "in", "as", "of", "not", "typeof"))),
    ),
    heads=Heads(
        function=re.compile(
            r"[^(){};=]*?(?<!\w)(?P<name>\w++)\s*+(?:<[^()<>]{0,200}+(?:<[^()<>]{0,200}+>[^()<>]{0,200}+){0,4}+>\s*+)?\((?P<takes>[^{;]*?)\)\s*+"
            r"(?:where[^{;=]*+)?(?:[{;]|=>|$)"
        ),
        klass=re.compile(
            r"[^(){};=]*?\b(?:class|struct|record|interface)\s+(?:struct\s+|class\s+)?(?P<name>\w+)[^{:]*+"
            r"(?::\s*+(?P<parents>[^{]*))?"
        ),
    ),
    libraries=LIBRARIES,
    declaring=marks.DECLARING,
    skipping=Skipping(
        marks=dict.fromkeys(("Ignore", "Explicit", "Skip", "Disabled"), "disabled"),
        calls={
            "Ignore": SkipCall(),
            "Inconclusive": SkipCall(),
            "Skip": SkipCall(),
            "SkipWhen": SkipCall(at=0, unless=False),
            "When": SkipCall(at=0, unless=False),
            "If": SkipCall(at=0, unless=False),
            "SkipUnless": SkipCall(at=0, unless=True),
            "IfNot": SkipCall(at=0, unless=True),
            "Unless": SkipCall(at=0, unless=True),
        },
        receivers=frozenset(("Assert", "Skip")),
        throws=re.compile(r"throw\s+new\s+(?:\w+\.)*(?:Skip\w*|Ignore|Inconclusive|Success)Exception\b"),
    ),
    catching=Catching(
        losing=dict.fromkeys(
            ("ContinueWith", "QueueUserWorkItem"),
            re.compile(r"\bawait\b|\.(?:Wait\w*|WhenAll|Join|Result|GetAwaiter)\b"),
        ),
        assertions=re.compile(
            r"\Acatch\s*+(?:\(\s*+(?:\w+\.)*+(?:Exception|SystemException|\w*(?:Assert|Xunit)\w*)\b[^()]*+\)?\s*+)?"
            rf"(?:\Z|when\s*+\(\s*+{_ALWAYS}\s*+\)\s*+\Z)"
        ),
    ),
    logic=Logic(frozenset(("false",)), strict=True),
    broad=word_set("Exception SystemException ApplicationException AggregateException"),
    exits=frozenset((("Environment", "Exit"), ("System", "Environment", "Exit"), ("Environment", "FailFast"))),
    ending=re.compile(r"(?:\w{1,100}+\.){0,20}Assert\.(?:Pass|Ignore|Inconclusive|Skip)\s*\("),
    nothing=re.compile(
        r"(?:\b(?:Empty<[^()]{0,400}>\(\)|EmptyList\(\))|new\s+\w+\s*\[(?:0\]|\]\s*\{\s*\})|new\s+List<[^()]{0,400}>\(\)"
        r"|\bin\s+\[\s*\])(?:\.ToList\(\))?\s*\)?\s*\Z"
    ),
    repeating=word_set("ForEach Select All Any"),
    fails=word_set("Fail"),
    fail_receivers=frozenset(("Assert",)),
    waits=word_set("Wait GetResult"),
    custom=re.compile(r"(?:Assert|Verify|Expect|Should)[A-Z_]\w*\Z"),
    braces=True,
    replacing=(re.compile(r"^[ \t]*+([A-Z][\w.]*+)\s*+=\s*\([^()]{0,200}\)\s*=>", re.MULTILINE),),
    quirks=Quirks(
        parse=parse,
        resolve=quirks.resolve,
        marks=marks.marks,
        mark_skips=marks.skips,
        collected=marks.collected,
        completed=marks.completed,
        function=marks.function,
        klass=marks.klass,
        skip=quirks.skip,
        asserted=quirks.asserted,
        lost=quirks.lost,
    ),
)
