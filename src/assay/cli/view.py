"""Look at jobs and coding runs in the browser: numbers with their denominators, every run, its gates, its trace.

Each PATH is a job folder, a folder of jobs or of terminal-bench results, runs that 'assay score --keep' wrote, or
a report that 'assay score --json' printed. 'assay view PATH' prints an address of this machine that only you know,
and serves the pages until Ctrl-C, beginning with what is worth a look. With -o, everything is
written to one HTML file that needs nothing else, to send to somebody (up to 500 runs).

Exit codes: 0 all is well, 2 a path can't be read.
"""

import argparse
import os
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.adapters.machine.atomic_write import write_text
from assay.adapters.machine.safe_read import is_file, names_in
from assay.cli.options.common import option, port_number
from assay.cli.output.read_jobs import job_folders, read_results
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.jobs.folder_pages import FolderPages

FRESH_SEC = 2.0


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "paths PATH…", "a job, a folder of jobs, kept runs, or a report")
    option(parser, "-o --output FILE", "write one HTML file instead of serving pages")
    option(parser, "--port N", "port to serve at (default: any)", port_number, default=0)
    option(parser, "--open", "open the address in the browser")


def run(args: argparse.Namespace) -> int:
    from assay.web.local_server import LocalServer  # noqa: PLC0415 - help needs no pages
    from assay.web.one_file import one_file  # noqa: PLC0415

    source = source_of(args.paths)
    if args.output is not None:
        try:
            write_text(args.output, one_file(source))
        except OSError as error:
            raise InputError(f"the page can't be written to {args.output}: {error.strerror}") from error
        print(f"wrote {args.output}")
        return 0
    try:
        server = LocalServer(lambda: source, args.port, source.title)
    except OSError as error:
        raise InputError(f"port {args.port} can't be served at: {error.strerror}") from error
    print(f"{server.address}\nCtrl-C ends it", flush=True)
    if args.open:
        webbrowser.open(server.address)
    try:
        server.serve()
    except KeyboardInterrupt:
        return 0
    return 0


@contextmanager
def watching(folder: str, note: Callable[[str], None]) -> Iterator[None]:
    """Serve pages of a job for as long as it runs. Its folder is read again every few seconds."""
    from assay.web.local_server import LocalServer  # noqa: PLC0415 - few jobs are watched

    read: list[tuple[float, FolderPages]] = []

    def pages() -> "FolderPages":
        if not read or time.monotonic() - read[-1][0] > FRESH_SEC:
            read[:] = [(time.monotonic(), source_of([folder]))]
        return read[-1][1]

    server = LocalServer(pages, 0, os.path.basename(folder))
    thread = threading.Thread(target=server.serve)
    thread.start()
    try:
        note(f"look at it while it runs: {server.address}")
        yield
    finally:
        server.stop()
        thread.join()


def source_of(paths: list[str]) -> "FolderPages":
    """The pages for the paths. Raises ``InputError`` for a path with nothing to look at."""
    from assay.adapters.jobs.folder_pages import FolderPages, ViewedJob  # noqa: PLC0415 - as above
    from assay.adapters.jobs.run_store import RUN, run_folders  # noqa: PLC0415
    from assay.engine.explorer.run_query import RunQuery  # noqa: PLC0415

    jobs: list[ViewedJob] = []
    kept: list[str] = []
    for path in dict.fromkeys(paths):
        if is_file(path) and not path.endswith(".eval"):
            kept.append(path)
        # A kept run, or a folder that has some.
        elif any(is_file(f"{path}/{one}") for one in (RUN, *(f"{inner}/{RUN}" for inner in names_in(path)))):
            kept += [one for one in run_folders([path]) if os.path.isfile(f"{one}/{RUN}")]
        else:
            for folder in job_folders(path):
                found = read_results(folder)
                jobs.append(ViewedJob(folder, found.job, found.histories, found.regrades))
    pages = FolderPages(jobs, kept)
    # Every run is read here, so that one that can't be read is refused before a page is.
    pages.lists.lines(RunQuery())
    return pages
