"""Pieces that many rows are made of: calls of a small shop, assertions about it, and tests."""

from tests.attacks.parity.words import (
    Call,
    Case,
    CasesTest,
    Equal,
    Helper,
    Let,
    Name,
    Param,
    SameTexts,
    Test,
    Texts,
    Use,
)

SUM = Call("add", 1, 2)
LABEL = Call("label", 2)
SHARE = Call("ratio", 1, 2)
ITEMS = Call("items", 2)
FOUND = Call("find", "tea")
MISSING = Call("find", "ink")
HAS = Call("has", "tea")
NOT_HAS = Call("has", "ink")
PARSED = Call("parse", "x")
ADDS = Equal(SUM, 3)
LABELS = Equal(LABEL, "2 items")
OTHER = Test("has_a_label", [Equal(Call("label", 7), "7 items")])
"""A test that stays as it is, so that no file is without one."""
GOT = Name("got")
KEPT = [Let("got", SUM), Equal(GOT, 3)]
LISTED = SameTexts(ITEMS, Texts(["tea", "milk"]))
EACH = [Equal(Call("add", Name("number"), 0), Name("number"))]
WORKS = Test("works", [ADDS])
TWO = [Test("adds", [ADDS]), Test("labels", [LABELS])]
CASES = (Case(1, 2, 3), Case(2, 2, 4), Case(0, 5, 5))
BODY = [Equal(Call("add", Param("a"), Param("b")), Param("expected"))]
TABLE = CasesTest("adds", CASES, BODY)
CHECK = [Equal(Name("actual"), Name("expected"))]
HELPER = Helper("check", CHECK)
HELPED = Test("works", [Use("check", [SUM, 3])])
TYPED = dict.fromkeys(("go", "java", "csharp", "rust", "kotlin", "swift"), "A text is no condition there.")
