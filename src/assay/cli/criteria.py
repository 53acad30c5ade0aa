"""Work with criteria: typed assertions about what an agent left in a playground.

    assay criteria lint FILE…      find mistakes in criteria, before any run

'assay verify' holds them against a playground.

Exit codes: 0 no mistakes, 1 some mistakes, 2 a file can't be used.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from assay.cli.options.common import extra_packages, option
from assay.cli.output.table import clean
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="lint")
    lint = actions.add_parser("lint", description="Find mistakes in criteria, with the line and how to fix them.")
    option(lint, "files FILE…", "criteria, as YAML or JSON")
    option(lint, "--data FILE", "values that the criteria refer to, in addition to those in the file")
    option(lint, "--allow RULE…", "ignore the findings of a rule")


def run(args: argparse.Namespace) -> int:
    """Lint all files, also where one of them can't be read."""
    with extra_packages("criteria need", "criteria"):
        from assay.adapters.playgrounds.playground_file import load_data  # noqa: PLC0415 - help needs none of it
        from assay.engine.criteria.lint import RULES  # noqa: PLC0415

        unknown = [rule for rule in args.allow if rule not in RULES]
        if unknown:
            raise InputError(f"--allow must be one of {', '.join(RULES)}, got {unknown[0]!r}")
        values = load_data(args.data) if args.data is not None else {}
        return max(_lint(path, values, args.allow) for path in args.files)


def _lint(path: str, data: Mapping[str, Any], allowed: Sequence[str]) -> int:
    """One line for each finding, like a compiler's."""
    from assay.adapters.playgrounds.playground_file import read_criteria  # noqa: PLC0415
    from assay.engine.criteria.lint import lint  # noqa: PLC0415
    from assay.engine.schema_errors import about  # noqa: PLC0415

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
