"""Prepare a sandbox, to try criteria without any server.

    assay sandbox load SANDBOX.yaml --from FOLDER

makes the sandbox that the file describes, and puts in what the folder has: records from its *.jsonl files, one
JSON object a line; each file in hl7/ as an outbound message and each in x12/ as a response; what is in files/ and
fhir/ goes into the folders that the sandbox file names. Without --from, the sandbox is empty.

A sandbox that is there already stays as it is, unless --replace is given: then all that it has is removed first.

Exit codes: 0 all was loaded, 2 something can't be used, and no record was added.
"""

import argparse
from datetime import UTC, datetime

from assay.cli.table import clean
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="load")
    load = actions.add_parser("load", description="Make a sandbox, and put a prepared state in.")
    load.add_argument("sandbox", metavar="SANDBOX", help="the sandbox file, as YAML or JSON")
    load.add_argument("--from", dest="folder", metavar="FOLDER", help="the prepared state (default: none)")
    load.add_argument("--replace", action="store_true", help="remove first what the sandbox has")
    load.set_defaults(action=_load)


def run(args: argparse.Namespace) -> int:
    try:
        code: int = args.action(args)
    except ImportError as error:
        raise InputError(f"a sandbox needs {error.name or 'more packages'}: install assay[store]") from error
    return code


def _load(args: argparse.Namespace) -> int:
    from assay.adapters.sandbox_loading import load_state  # noqa: PLC0415 - help needs no database

    loaded = load_state(args.sandbox, args.folder, datetime.now(UTC), replace=args.replace)
    print(
        clean(
            f"loaded {_count(loaded.records, 'record')} and {_count(loaded.files, 'file')} into"
            f" sandbox {loaded.sandbox} of {loaded.store}"
        )
    )
    return 0


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
