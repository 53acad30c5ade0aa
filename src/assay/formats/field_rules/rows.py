"""What rules found: a row of evidence for each of them."""

from collections.abc import Callable, Sequence

from assay.formats.field_rules.patterns import SlowPatternError
from assay.formats.field_rules.rule import FieldRule, actual
from assay.formats.field_rules.values import Plain

Result = dict[str, object]


def results(rules: Sequence[FieldRule], find: Callable[[FieldRule], Sequence[Plain]]) -> list[Result]:
    """One row for each rule, spelled as the document's evidence."""
    return [_row(rule, find) for rule in rules]


def _row(rule: FieldRule, find: Callable[[FieldRule], Sequence[Plain]]) -> Result:
    """A value that keeps the author's pattern busy doesn't satisfy the rule, so that writing one earns nothing."""
    try:
        return _result(rule, find(rule))
    except SlowPatternError as error:
        return {"path": rule.path, "expected": rule.expected, "actual": None, "passed": False, "error": str(error)}


def _result(rule: FieldRule, found: Sequence[Plain]) -> Result:
    row: Result = {
        "path": rule.path,
        "expected": rule.expected,
        "actual": actual(found),
        "passed": rule.holds(found),
    }
    if rule.operator != "equals":
        row["operator"] = rule.operator
    if not found:
        row["absent"] = True
    return row


def absent_rows(rules: Sequence[FieldRule]) -> list[Result]:
    """The rows where there is nothing to look at: no rule holds, whatever it says."""
    return [
        {"path": rule.path, "expected": rule.expected, "actual": None, "passed": False, "absent": True}
        for rule in rules
    ]
