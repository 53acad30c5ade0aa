"""The score of a set of rules: the weighted share of those that hold. It has passed when all hold."""

from collections.abc import Callable, Sequence

from assay.core.outcome import Scored
from assay.core.total import total
from assay.formats.field_rules.rule import FieldRule, actual
from assay.formats.field_rules.values import Found

Result = dict[str, object]


def results(rules: Sequence[FieldRule], find: Callable[[FieldRule], list[Found]]) -> list[Result]:
    """One row for each rule, spelled as the document's evidence."""
    rows: list[Result] = []
    for rule in rules:
        found = find(rule)
        rows.append(
            {"path": rule.path, "expected": rule.expected, "actual": actual(found), "passed": rule.holds(found)}
        )
        if rule.operator != "equals":
            rows[-1]["operator"] = rule.operator
        if not found:
            rows[-1]["absent"] = True
    return rows


def scored(rules: Sequence[FieldRule], rows: Sequence[Result], under: str, what: str, **more: object) -> Scored:
    """The outcome of a criterion whose evidence goes under that name."""
    weight = total(rule.weight for rule in rules)
    held = total(rule.weight for rule, row in zip(rules, rows, strict=True) if row["passed"])
    passed = all(row["passed"] for row in rows)
    score = (held / weight if weight else float(passed)) if rows else 1.0
    missing = [str(row["path"]) for row in rows if not row["passed"]]
    summary = f"{what}: {len(rows) - len(missing)} of {len(rows)} fields as expected"
    if missing:
        summary += f", first {missing[0]}"
    return Scored(score, passed, summary, {under: list(rows), **more})


def nothing_found(rules: Sequence[FieldRule], under: str, what: str, **more: object) -> Scored:
    """The outcome where there is nothing to look at: no rule holds, whatever it says."""
    rows: list[Result] = [
        {"path": rule.path, "expected": rule.expected, "actual": None, "passed": False, "absent": True}
        for rule in rules
    ]
    return Scored(0.0, False, what, {under: rows, **more})
