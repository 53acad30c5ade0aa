"""``assay criteria record``: records from files into a sandbox."""

import argparse
from datetime import UTC, datetime

from assay.adapters.criteria_file import load_data
from assay.adapters.records_file import read_records
from assay.adapters.store.opening import open_store
from assay.adapters.store.sandbox import Sandbox
from assay.cli.table import clean
from assay.core.errors import InputError


def record_files(args: argparse.Namespace) -> int:
    now = datetime.now(UTC)
    start = _moment(args.run_start) if args.run_start is not None else now
    data = load_data(args.data) if args.data is not None else {}
    with open_store(args.store, create=True) as store:
        new = None
        if not store.has_sandbox(args.sandbox):
            new = Sandbox(args.sandbox, start, args.fhir, args.place, data)
        elif any(one is not None for one in (args.run_start, args.data, args.fhir, args.place)):
            said = "--run-start, --data, --fhir and --files are for a new one"
            raise InputError(f"the sandbox {args.sandbox!r} is there already, and {said}")
        records = (record for path in args.files for record in read_records(path, now))
        count = store.record(args.sandbox, records, new)
    print(clean(f"recorded {count} in {'the new ' if new else ''}sandbox {args.sandbox} of {store.name}"))
    return 0


def _moment(written: str) -> datetime:
    try:
        moment = datetime.fromisoformat(written)
    except ValueError as error:
        raise InputError(f"{written!r} is no time such as 2026-03-01T12:00:00Z") from error
    if moment.utcoffset() is None:
        raise InputError(f"{written!r} needs a zone, such as 2026-03-01T12:00:00Z")
    return moment
