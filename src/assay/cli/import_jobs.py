"""Import jobs into the store of a service: harbor jobs and terminal-bench results, with gradings and annotations.

    assay import JOB… --organisation NAME

Importing a folder again adds only what is new, so a job can be imported while it runs. Rewards are kept to the
last bit. A run that was imported before with another result is refused, and then nothing of that job is imported;
--name gives the job another name.

Exit codes: 0 done, 2 it could not be done.
"""

import argparse

from assay.cli.service_options import add_store, store_of
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOB", nargs="+", help="a job folder")
    parser.add_argument(
        "--organisation", metavar="NAME", default="default", help="whose runs they are (default: %(default)s)"
    )
    parser.add_argument("--name", metavar="TEXT", help="what to call the job (default: the name of its folder)")
    add_store(parser)


def run(args: argparse.Namespace) -> int:
    if args.name is not None and len(args.jobs) > 1:
        raise InputError("--name must be for a single job")
    from assay.adapters.service_host import ThisServer  # noqa: PLC0415 - help needs no database
    from assay.adapters.store.opening import open_store  # noqa: PLC0415
    from assay.cli.read_jobs import read_results  # noqa: PLC0415
    from assay.engine.service.imported_runs import import_job  # noqa: PLC0415

    with open_store(store_of(args), create=True) as store:
        from assay.adapters.store.service.imported import StoredImports  # noqa: PLC0415
        from assay.adapters.store.service.keys import StoredKeys  # noqa: PLC0415

        host = ThisServer()
        StoredKeys(store).add_organisation(args.organisation, args.organisation, host.now())
        imports = StoredImports(store, host)
        for path in args.jobs:
            found = read_results(path)
            done = import_job(imports, args.organisation, found.job, found.histories, args.name)
            changed = f", {done.replaced} replaced" if done.replaced else ""
            print(f"{args.name or found.job.name}: {done.added} runs added, {done.known} known already{changed}")
    return 0
