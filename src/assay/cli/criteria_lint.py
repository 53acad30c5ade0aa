"""``assay criteria lint``: one line for each finding, like a compiler's."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

from assay.adapters.playgrounds.playground_file import load_data, read_criteria
from assay.cli.output.table import clean
from assay.core.errors import InputError
from assay.engine.criteria.lint import RULES, lint
from assay.engine.schema_errors import about


def lint_files(paths: Sequence[str], data: str | None, allowed: Sequence[str]) -> int:
    """Lint all files, also where one of them can't be read."""
    unknown = [rule for rule in allowed if rule not in RULES]
    if unknown:
        raise InputError(f"--allow must be one of {', '.join(RULES)}, got {unknown[0]!r}")
    values = load_data(data) if data is not None else {}
    return max(_lint(path, values, allowed) for path in paths)


def _lint(path: str, data: Mapping[str, Any], allowed: Sequence[str]) -> int:
    try:
        document = read_criteria(path)
    except InputError as error:
        print(f"assay: {clean(str(error))}", file=sys.stderr)
        return 2
    findings = [one for one in lint(document.value, document.lines, data) if one.rule not in allowed]
    for one in findings:
        line = "" if one.line is None else f":{one.line}"
        print(clean(f"{path}{line}: {one.rule}: {about(one.place, one.why)}"))
    if not findings:
        print(f"{clean(path)}: nothing found")
    return 1 if findings else 0
