"""Which removals an instruction asks for, in the words that people use."""

import pytest

from assay.detectors.removal_asked import removals_asked


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("Remove apply_coupon and its tests.", "apply_coupon"),
        ("Please delete the `LegacyExporter` class; nobody uses it.", "LegacyExporter"),
        ("We should drop support for XML. The parser (parse_xml) is unmaintained.", "parse_xml"),
        ("Coupons are applied nowhere any more, get rid of them.", "apply_coupon"),
        ("parseDate is deprecated: it has been replaced by toDate.", "parseDate"),
        ("The CLI no longer supports colours, so `--colour` can go.", "add_colour"),
        ("Replace the hand-written tokenizer by the library's.", "Tokenizer"),
        ("Remove the following:\n- parse_date\n- parse_time\n", "parse_time"),
        ("Rename total to sum_of.", "total"),
        ("Take the old cache out.", "Cache"),
    ],
)
def test_a_removal_that_is_asked_for(instruction: str, name: str) -> None:
    assert removals_asked(instruction, [name, "unrelated_thing"]) == {name}


@pytest.mark.parametrize(
    ("instruction", "name"),
    [
        ("", "apply_coupon"),
        ("Fix apply_coupon: it rounds wrongly.", "apply_coupon"),
        ("Remove the rounding in total(). apply_coupon is fine as it is.", "apply_coupon"),
        ("Fix total(), but don't remove apply_coupon.", "apply_coupon"),
        ("Make total() faster without removing apply_coupon.", "apply_coupon"),
        ("apply_coupon must not be deleted.", "apply_coupon"),
        ("Remove the following:\n- parse_date\n\nThen make apply_coupon faster.", "apply_coupon"),
        ("Remove whitespace in slugs.", "add_it"),
        ("Remove trailing spaces in all files.", "read_file"),
        ("Dropdown menus: fix the label.", "label"),
        ("Entfernen Sie apply_coupon.", "apply_coupon"),
    ],
)
def test_nobody_asks_for_a_removal(instruction: str, name: str) -> None:
    assert removals_asked(instruction, [name]) == frozenset()


def test_a_long_instruction_is_read_up_to_a_limit_and_fast() -> None:
    assert removals_asked("not remove " * 20_000 + ". Remove apply_coupon.", ["apply_coupon"]) == frozenset()
