"""Look after the store of a service: its tables, and everything in it.

    assay db check
    assay db upgrade
    assay db export FILE
    assay db export FOLDER --parquet
    assay db load FILE
    assay db prune [--older-than 90d]

check says at which migration the tables are. upgrade brings them up to date; every command that opens a store does
so too. export writes everything into a new file of JSON lines, and load puts such a file into an empty store, on
the same or the other kind of database: scores come back to the last bit. The file has hashes of keys and encrypted
secrets, and only its owner may read it. Files of runs that are kept outside the store are not in it.

With --parquet, export writes a new folder with a Parquet file for each table, for other programs: without keys,
secrets and the content of files.

prune deletes the runs of each organisation that are older than it keeps them (PUT /v1/retention), or than
--older-than, with all of their evidence and the playgrounds that no run works in. What is going on stays. Every
deletion is in the audit log, whose own entries go with --audit-older-than. Run it every night.

Exit codes: 0 done, or up to date; 1 the tables are not up to date; 2 it could not be done.
"""

import argparse
import os
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TextIO

from assay.cli.options.common import option
from assay.cli.options.service import add_blobs, add_store, blobs_of, store_of
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.store.store import Store


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "action", "what to do", choices=["check", "upgrade", "export", "load", "prune"])
    option(parser, "file [FILE]", "the file to write or to read")
    option(parser, "--parquet", "export a folder of Parquet files")
    option(parser, "--older-than AGE", "prune all organisations by this age: 90d or 12h", age)
    option(parser, "--audit-older-than AGE", "prune entries of the audit log, too", age)
    add_store(parser)
    add_blobs(parser)


def age(written: str) -> timedelta:
    """A time span as it is written: hours or days."""
    number, unit = written[:-1], written[-1:]
    if not (number.isascii() and number.isdecimal() and 0 < int(number) < 10**6 and unit in ("h", "d")):
        raise argparse.ArgumentTypeError(f"must be a number of days or hours such as 90d or 12h, got {written!r}")
    return timedelta(hours=int(number)) if unit == "h" else timedelta(days=int(number))


def run(args: argparse.Namespace) -> int:
    if (args.action in ("export", "load")) != (args.file is not None):
        raise InputError("FILE must be given for export and load, and only then")
    if args.parquet and args.action != "export":
        raise InputError("--parquet must be used with export")
    if (args.older_than or args.audit_older_than) and args.action != "prune":
        raise InputError("--older-than and --audit-older-than must be used with prune")
    if args.action == "check":
        return _check(store_of(args))
    if args.action == "load":
        # A file that can't be read leaves no empty store behind.
        with _open(args.file, "r") as file:
            return _load(store_of(args), file)
    from assay.adapters.store.opening import open_store  # noqa: PLC0415 - help needs no database

    with open_store(store_of(args)) as store:
        if args.action == "upgrade":
            print(f"{store.name} is up to date")
            return 0
        if args.action == "prune":
            return _prune(store, args)
        from assay.adapters.store.dump import dump_lines  # noqa: PLC0415

        if args.parquet:
            from assay.adapters.store.parquet import export_parquet  # noqa: PLC0415

            print(f"{args.file} has {len(export_parquet(store, args.file))} tables of {store.name}")
        else:
            with _open(args.file, "x") as file:
                file.writelines(f"{line}\n" for line in dump_lines(store))
            print(f"{args.file} has everything of {store.name}")
    return 0


def _load(where: str, file: TextIO) -> int:
    from assay.adapters.store.dump import load  # noqa: PLC0415 - help needs no database
    from assay.adapters.store.opening import open_store  # noqa: PLC0415

    with open_store(where, create=True) as store:
        print(f"{load(store, file)} rows are in {store.name}")
        store.gather_statistics()
    return 0


def _open(path: str, mode: Literal["r", "x"]) -> TextIO:
    """A file to read, or a new one that only its owner may read."""
    try:
        return open(path, mode, encoding="utf-8", opener=lambda name, flags: os.open(name, flags, 0o600))
    except OSError as error:
        wrong = "can't be read" if mode == "r" else "must be a new file"
        raise InputError(f"{path} {wrong}: {error.strerror}") from error


def _prune(store: "Store", args: argparse.Namespace) -> int:
    from assay.adapters.machine.local_machine import ThisServer  # noqa: PLC0415 - help needs no database
    from assay.adapters.service.blob_places import open_blobs  # noqa: PLC0415
    from assay.adapters.store.service.storage import StoredStorage  # noqa: PLC0415
    from assay.engine.integration.deletion import Deletion  # noqa: PLC0415

    blobs = open_blobs(store, blobs_of(args))
    try:
        deletion = Deletion(StoredStorage(store), ThisServer(), blobs.discard)
        for organisation, count in deletion.prune_all(args.older_than).items():
            print(f"{organisation}: {count} deleted")
        if args.audit_older_than is not None:
            print(f"audit: {deletion.prune_audit(args.audit_older_than)} entries deleted")
        store.gather_statistics()
    finally:
        blobs.close()
    return 0


def _check(where: str) -> int:
    from assay.adapters.store.opening import revision_of, store_name  # noqa: PLC0415 - help needs no database

    found, newest = revision_of(where)
    where = store_name(where)
    if found == newest:
        print(f"{where}: the tables are up to date ({found})")
        return 0
    print(f"{where}: the tables are at {found or 'nothing'}, and this version of Assay has {newest}")
    return 1
