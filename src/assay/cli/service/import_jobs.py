"""Import runs into the store of a service: harbor jobs, terminal-bench results and scored coding runs.

    assay import JOB… --organisation NAME
    assay import JOB… --server URL

JOB is a job folder, a folder of these, a folder of terminal-bench results, a folder that 'assay score --keep'
wrote (or a folder of these), or a file with what 'assay score --json' printed. Gradings, annotations and what a
judge said come along, and so do trajectories, diffs, final responses and the output of verifiers; the first and
last words of them can be searched for.

Importing a folder again adds only what is new, so a job can be imported while it runs. Rewards are kept to the
last bit. A run that was imported before with another result is refused, and then nothing of that job is imported;
--name gives the job another name.

With --server, job folders (also each one in a folder of these) are sent to a service as archives, by a key that
says whose runs they are.

Exit codes: 0 done, 2 it could not be done.
"""

import argparse
import gc
import os
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING

from assay.cli.options.common import option
from assay.cli.options.server import add_server, client_of
from assay.cli.options.service import add_blobs, add_store, blobs_of, store_of
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.service.import_runs import Importing
    from assay.engine.explorer.imported_runs import Imported

DEFAULT = "default"


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "jobs JOB…", "a folder or a report of runs")
    option(parser, "--organisation NAME", f"whose runs they are (default: {DEFAULT})")
    option(parser, "--name TEXT", "what to call the job (default: the name of its folder)")
    add_store(parser)
    add_blobs(parser)
    add_server(parser, "send job folders to the service at this address")


def run(args: argparse.Namespace) -> int:
    if args.name is not None and len(args.jobs) > 1:
        raise InputError("--name must be for a single job")
    return _import_here(args) if args.server is None else _send(args)


def _send(args: argparse.Namespace) -> int:
    for name in ("organisation", "store", "blobs"):
        if getattr(args, name) is not None:
            raise InputError(f"--{name} must not be given with --server: the service knows where its runs belong")
    from assay.adapters.service.import_runs import packed_job  # noqa: PLC0415 - help needs no archives
    from assay.client import CodingRequests  # noqa: PLC0415

    folders = [folder for path in args.jobs for folder in _jobs_in(path, args.name)]
    with client_of(args.server) as client:
        for folder in folders:
            name, content = packed_job(folder)
            done = client.send(CodingRequests.send_job(content, args.name or name))
            _say(done["job"]["name"], done["added"], done["known"], done["replaced"])
    return 0


def _import_here(args: argparse.Namespace) -> int:
    from assay.adapters.machine.local_machine import ThisServer  # noqa: PLC0415 - help needs no database
    from assay.adapters.store.opening import open_store  # noqa: PLC0415

    missing = next((path for path in args.jobs if not os.path.exists(path)), None)
    if missing is not None:
        raise InputError(f"{missing} doesn't exist")
    with open_store(store_of(args), create=True) as store:
        from assay.adapters.service.blob_places import open_blobs  # noqa: PLC0415
        from assay.adapters.service.import_runs import Importing  # noqa: PLC0415
        from assay.adapters.store.runs.imported import StoredImports  # noqa: PLC0415
        from assay.adapters.store.service.storage import StoredStorage  # noqa: PLC0415
        from assay.engine.service.jobs import Jobs  # noqa: PLC0415
        from assay.engine.service.keys import Keys  # noqa: PLC0415

        storage, host = StoredStorage(store), ThisServer()
        organisation = args.organisation or DEFAULT
        Keys(storage, host).add_organisation(organisation, organisation)
        with closing(open_blobs(store, blobs_of(args))) as blobs:
            jobs = Jobs(storage, host, blobs)
            importing = Importing(StoredImports(store, host), blobs, organisation, jobs)
            for path in args.jobs:
                for name, done in _import_path(importing, path, args.name):
                    _say(name, done.added, done.known, done.replaced)
    return 0


def _jobs_in(path: str, name: str | None) -> list[str]:
    """The jobs in a folder of jobs; any other path is one itself. ``name`` fits only one."""
    from assay.cli.output.read_jobs import job_folders  # noqa: PLC0415 - help needs no jobs

    found = job_folders(path)
    if name is not None and len(found) > 1:
        raise InputError(f"--name must be for a single job, and {path} has {len(found)}")
    return found


def _say(name: str, added: int, known: int, replaced: int) -> None:
    changed = f", {replaced} replaced" if replaced else ""
    print(f"{name}: {added} runs added, {known} known already{changed}")


def _import_path(importing: "Importing", path: str, name: str | None) -> Iterator[tuple[str, "Imported"]]:
    from assay.adapters.service.import_runs import is_scored  # noqa: PLC0415 - help needs no database
    from assay.cli.output.read_jobs import read_results  # noqa: PLC0415

    if is_scored(path):
        yield importing.reports(path, name)
        return
    for folder in _jobs_in(path, name):
        read = read_results(folder)
        # All that was read is needed to the end: looking for rubbish in it again takes a tenth of the time.
        gc.freeze()
        try:
            done = importing.job(folder, read, name)
        finally:
            gc.unfreeze()
        yield done
