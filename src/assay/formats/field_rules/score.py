"""The score of a set of rules: the weighted share of those that hold. It has passed when all hold."""

from collections.abc import Callable, Sequence

from assay.core.outcome import Scored
from assay.core.total import total
from assay.formats.field_rules.patterns import SlowPatternError
from assay.formats.field_rules.rule import FieldRule, actual
from assay.formats.field_rules.values import Plain

Result = dict[str, object]


def results(rules: Sequence[FieldRule], find: Callable[[FieldRule], Sequence[Plain]]) -> list[Result]:
    """One row for each rule, spelled as the document's evidence."""
    return [_row(rule, find) for rule in rules]


def _row(rule: FieldRule, find: Callable[[FieldRule], Sequence[Plain]]) -> Result:
    """A value that keeps the author's pattern busy does not satisfy the rule: else it would pay to write one."""
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


def scored(rules: Sequence[FieldRule], rows: Sequence[Result], under: str, what: str, **more: object) -> Scored:
    """The outcome of a criterion whose evidence goes under that name."""
    missing = [str(row["path"]) for row in rows if not row["passed"]]
    passed = not missing
    score = 1.0 if passed else _share(rules, rows)
    summary = f"{what}: {len(rows) - len(missing)} of {len(rows)} fields as expected"
    if missing:
        summary += f", first {missing[0]}"
    return Scored(score, passed, summary, {under: list(rows), **more})


def _share(rules: Sequence[FieldRule], rows: Sequence[Result]) -> float:
    """By weight. Where some rule does not hold and no rule weighs anything, there is nothing to share."""
    weight = total(rule.weight for rule in rules)
    held = total(rule.weight for rule, row in zip(rules, rows, strict=True) if row["passed"])
    return held / weight if weight else 0.0


def nothing_found(rules: Sequence[FieldRule], under: str, what: str, **more: object) -> Scored:
    """The outcome where there is nothing to look at: no rule holds, whatever it says."""
    rows: list[Result] = [
        {"path": rule.path, "expected": rule.expected, "actual": None, "passed": False, "absent": True}
        for rule in rules
    ]
    return Scored(0.0, False, what, {under: rows, **more})
