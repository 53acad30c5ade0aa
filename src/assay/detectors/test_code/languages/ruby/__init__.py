"""Tests in Ruby: RSpec, Minitest, Test::Unit and those of Rails."""

import re

from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.language import (
    Catching,
    Heads,
    Language,
    Quirks,
    SkipCall,
    Skipping,
)
from assay.detectors.test_code.languages.ruby import quirks
from assay.detectors.test_code.languages.ruby.asserts import ASSERT, EXPECT
from assay.detectors.test_code.languages.ruby.tree import GRAMMAR, branches, parse
from assay.detectors.test_code.languages.ruby.words import LEXICON, words
from assay.detectors.test_code.word_sets import word_set

LANGUAGE = Language(
    name="ruby",
    grammar=GRAMMAR,
    lexicon=LEXICON,
    heads=Heads(
        function=re.compile(
            r"def\s+(?:self\.)?(?P<name>\w+[?!=]?)(?:\(|[ \t]+(?!=))?"
            r"(?P<takes>[^()\n;]*(?:\([^()]*\)[^()\n;]*)*)"
        ),
        klass=re.compile(r"(?:class|module)\s+(?P<name>[\w:]+)(?:\s*<\s*(?P<parents>[\w:]+))?"),
        parameter=re.compile(r"(\w+)"),
        bound=re.compile(r"let!?\(?\s*+:(?P<name>\w+)\s*+\)?\s*+(?P<opened>\{|do\b)\s*+"),
    ),
    libraries=(ASSERT, EXPECT),
    declaring=quirks.DECLARING,
    skipping=Skipping(
        calls={
            "skip": SkipCall(),
            "omit": SkipCall(),
            "omit_if": SkipCall(at=0),
            "omit_unless": SkipCall(at=0, unless=True),
            "pending": SkipCall("xfail"),
            "pend": SkipCall("xfail"),
        },
        receivers=frozenset(("", "self")),
        throws=re.compile(r"raise[ \t(]+(?:\w+::)*(?:Skip|PendingError|OmittedError|SkipDeclaredInExample)\b"),
        exits=False,
    ),
    catching=Catching(
        assertions=re.compile(
            r"\brescue(?:\s*+=>\s*+[\w@]++)?+\s*+(?:\bthen\b\s*+)?+(?:#|\Z)"
            r"|\b(?:Exception|StandardError|Assertion\w*|ExpectationNotMetError|Object)\b"
        ),
        loud=word_set("raise fail flunk"),
        losing={"Thread.new": re.compile(r"\.(?:join|value)\b|Thread\.abort_on_exception|\.each\(&:join\)")},
    ),
    logic=Logic(frozenset(("false", "nil"))),
    broad=word_set("StandardError Exception Object"),
    exits=frozenset((("exit",), ("abort",), ("exit!",), ("throw",), ("fail",), ("flunk",))),
    nothing=re.compile(
        r"(?<![\w\])])(?:\[\s*\]|\{\s*\}|%[wi]\W\s*\W|(?:Array|Hash)\.new|(?<!\.)0)\s*(?:\.\s*\w+\s*)?\Z"
    ),
    repeating=quirks.REPEATING,
    fails=word_set("fail flunk"),
    fail_receivers=frozenset(("",)),
    custom=re.compile(r"(?:assert|refute|expect|verify|check)_\w+\Z"),
    trailing=True,
    replacing=(
        re.compile(r"\b([A-Z]\w*)\.define_singleton_method\(:(\w+)\)"),
        re.compile(r"\ballow\((\w+)\)\.to\(?\s*receive\(:(\w+)\)\.and_return"),
        re.compile(r"\b([A-Z]\w*)\.stubs?\(?\s*:(\w+)"),
    ),
    quirks=Quirks(
        parse=parse,
        words=words,
        branches=branches,
        function=quirks.function,
        call=quirks.call,
        skip=quirks.skip,
        asserted=quirks.asserted,
        empty=quirks.empty,
        settle=quirks.settle,
    ),
)
