"""Prepare a playground, to try criteria without any server.

    assay playground load PLAYGROUND.yaml --from FOLDER

makes the playground that the file describes, and puts in what the folder has: records from its *.jsonl files, one
JSON object a line; each file in hl7/ as an outbound message and each in x12/ as a response; what is in files/ and
fhir/ goes into the folders that the playground file names. Without --from, the playground is empty.

A playground that exists already is left alone, unless you pass --replace: then its contents are removed first.

Exit codes: 0 all was loaded, 2 something can't be used, and no record was added.
"""

import argparse
from datetime import UTC, datetime

from assay.cli.table import clean
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="load")
    load = actions.add_parser("load", description="Make a playground, and put a prepared state in.")
    load.add_argument("playground", metavar="PLAYGROUND", help="the playground file, as YAML or JSON")
    load.add_argument("--from", dest="folder", metavar="FOLDER", help="the prepared state (default: none)")
    load.add_argument("--replace", action="store_true", help="remove first what the playground has")
    load.set_defaults(action=_load)


def run(args: argparse.Namespace) -> int:
    try:
        code: int = args.action(args)
    except ImportError as error:
        raise InputError(f"a playground needs {error.name or 'more packages'}: install assay[store]") from error
    return code


def _load(args: argparse.Namespace) -> int:
    from assay.adapters.playground_loading import load_state  # noqa: PLC0415 - help needs no database

    loaded = load_state(args.playground, args.folder, datetime.now(UTC), replace=args.replace)
    print(
        clean(
            f"loaded {_count(loaded.records, 'record')} and {_count(loaded.files, 'file')} into"
            f" playground {loaded.playground} of {loaded.store}"
        )
    )
    return 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
