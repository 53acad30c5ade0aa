"""Work with criteria: typed assertions about what an agent left in a sandbox.

    assay criteria lint FILE…      what is wrong with criteria, before any run
    assay criteria record FILE…    put events, rows, turns and responses into a sandbox
    assay criteria check FILE      hold criteria against a sandbox

A store is a SQLite file, or a PostgreSQL database by its URL. Without --store, the environment variable
ASSAY_STORE names it; without that, it is assay.db in this folder. A FHIR server that wants a bearer token gets the
one in ASSAY_FHIR_TOKEN.

Exit codes: 0 nothing was found, all was recorded, or the verdict is pass; 1 something was found, or the verdict is
partial or fail; 2 a file can't be used, or the criteria could not be graded, and nothing is scored.
"""

import argparse

from assay.cli.arguments import add_store
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="lint, record or check")
    lint = actions.add_parser(
        "lint", description="Say what is wrong with criteria, with the line and what would be right."
    )
    lint.add_argument("files", metavar="FILE", nargs="+", help="criteria, as YAML or JSON")
    lint.add_argument("--data", metavar="FILE", help="values that the criteria refer to, beside those in the file")
    lint.add_argument("--allow", metavar="RULE", action="append", default=[], help="leave out what a rule finds")
    lint.set_defaults(action=_lint)
    record = actions.add_parser("record", description="Put records into a sandbox: all of them, or none.")
    record.add_argument("files", metavar="FILE", nargs="*", help="records, one JSON object a line")
    record.add_argument("--sandbox", metavar="ID", required=True, help="the sandbox; it is made if it is new")
    record.add_argument("--run-start", metavar="TIME", help="of a new sandbox: when the run began (default: now)")
    record.add_argument("--data", metavar="FILE", help="of a new sandbox: values that criteria may refer to")
    record.add_argument("--fhir", metavar="URL", help="of a new sandbox: the base URL of its FHIR server")
    record.add_argument(
        "--files", dest="place", metavar="URL", help="of a new sandbox: its files, such as sftp://host/folder"
    )
    add_store(record)
    record.set_defaults(action=_record)
    check = actions.add_parser("check", description="Hold criteria against what a sandbox recorded.")
    check.add_argument("file", metavar="FILE", help="criteria, as YAML or JSON")
    check.add_argument("--sandbox", metavar="ID", required=True, help="the sandbox to look at")
    check.add_argument("--data", metavar="FILE", help="values that the criteria refer to")
    check.add_argument("--json", action="store_true", help="print the result as JSON, with all evidence")
    add_store(check)
    check.set_defaults(action=_check)


def run(args: argparse.Namespace) -> int:
    try:
        code: int = args.action(args)
    except ImportError as error:
        raise InputError(
            f"criteria need {error.name or 'more packages'}: install assay[criteria,store]"
        ) from error
    return code


# Each action is imported when it is called: lint needs no database, and record no checks.


def _lint(args: argparse.Namespace) -> int:
    from assay.cli.criteria_lint import lint_files  # noqa: PLC0415

    return lint_files(args.files, args.data, args.allow)


def _record(args: argparse.Namespace) -> int:
    from assay.cli.criteria_record import record_files  # noqa: PLC0415

    return record_files(args)


def _check(args: argparse.Namespace) -> int:
    from assay.cli.criteria_check import check_file  # noqa: PLC0415

    return check_file(args)
