"""Prepare a playground, to try criteria without any server.

    assay playground load PLAYGROUND.yaml --from FOLDER

creates the playground that the file describes and loads the folder into it: records from *.jsonl, one JSON object
a line; each file in hl7/ as an outbound message and each file in x12/ as a response; files/ and fhir/ are copied
to the folders that the playground file names. Without --from, the playground is empty.

A playground that exists already is left alone, unless you pass --replace: then its contents are removed first.

Exit codes: 0 everything was loaded, 2 something can't be used and no record was added.
"""

import argparse
from datetime import UTC, datetime

from assay.cli.options.common import extra_packages, option
from assay.cli.output.table import clean
from assay.formats.counting import counted


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="load")
    load = actions.add_parser("load", description="Create a playground and load a prepared state into it.")
    option(load, "playground PLAYGROUND", "the playground file, as YAML or JSON")
    option(load, "--from FOLDER", "the prepared state (default: none)", dest="folder")
    option(load, "--replace", "remove the contents of the playground first")


def run(args: argparse.Namespace) -> int:
    with extra_packages("a playground needs", "criteria"):
        _load(args)
    return 0


def _load(args: argparse.Namespace) -> None:
    # Help needs no database.
    from assay.adapters.playgrounds.playground_file import load_playground_file, open_playground_store  # noqa: PLC0415
    from assay.adapters.playgrounds.playground_folders import LocalFolders, LocalState  # noqa: PLC0415
    from assay.engine.criteria.load_playground import load_playground  # noqa: PLC0415

    file = load_playground_file(args.playground)
    loaded = load_playground(
        file,
        None if args.folder is None else LocalState(args.folder),
        LocalFolders(args.playground),
        lambda: open_playground_store(file, create=True),
        datetime.now(UTC),
        args.replace,
    )
    print(
        clean(
            f"loaded {counted(loaded.records, 'record')} and {counted(loaded.files, 'file')} into"
            f" playground {loaded.playground} of {loaded.store}"
        )
    )
