"""What rules found: a row of evidence for each of them."""

from collections.abc import Callable, Sequence

from assay.formats.field_rules.rule import FieldRule, actual
from assay.formats.field_rules.values import Plain

Result = dict[str, object]


def results(rules: Sequence[FieldRule], find: Callable[[FieldRule], Sequence[Plain]]) -> list[Result]:
    """One row for each rule, spelled as the document's evidence."""
    return [_row(rule, find) for rule in rules]


def _row(rule: FieldRule, find: Callable[[FieldRule], Sequence[Plain]]) -> Result:
    found = find(rule)
    row = _result(rule, actual(found), rule.holds(found))
    return row if found else {**row, "absent": True}


def _result(rule: FieldRule, found: Plain, passed: bool) -> Result:
    row: Result = {"path": rule.path, "expected": rule.expected, "actual": found, "passed": passed}
    if rule.operator != "equals":
        row["operator"] = rule.operator
    if rule.type is not None:
        row["type"] = rule.type
    if rule.ignore_case:
        row["ignore_case"] = True
    return row


def failed_row(rule: FieldRule, **more: object) -> Result:
    """The row of a rule that does not hold, whatever it says, because there is nothing to look at."""
    return {**_result(rule, None, False), **more}


def absent_rows(rules: Sequence[FieldRule]) -> list[Result]:
    """The rows where there is nothing to look at."""
    return [failed_row(rule, absent=True) for rule in rules]
