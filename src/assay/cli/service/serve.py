"""Serve the HTTP API and its pages: runs, task runs, their criteria, and everything that agents' systems record.

    assay serve

keeps everything in the SQLite file assay.db, listens on this machine only, and prints its address. If the store
has no keys yet, it also prints a first admin key, once. With --store postgresql://user@host/name, several servers
and workers share one database. Ctrl-C ends it after the requests that are going on. With --workers, several
processes answer at the same port; one that dies is started again.

Pages for a browser are at /ui/. People sign in with a key; with --single-user, the address that is printed leads
in without one, and the server must listen on this machine only. Browsers may reach the pages by an address, as
localhost, or by a name that --page-host gives.

Secrets of sources are encrypted with the key in ASSAY_SECRET_KEY (32 bytes in base64), or else with one that is
made beside a SQLite store. Sources must be at addresses of the internet unless
--allow-source names theirs; addresses at which clouds tell a machine its secrets are always refused.

Coding runs are graded in a sandbox that isolates, if one works on this machine; --coding chooses another one, or
none. Scenarios see no folder of this machine, no image and no network unless an option allows it.

Exit codes: 0 it was stopped, 2 it could not start.
"""

import argparse

from assay.cli.options.common import add_listening, extra_packages, option, positive
from assay.cli.options.service import add_service, setting_of, store_of

PORT = 8765


def configure(parser: argparse.ArgumentParser) -> None:
    add_service(parser)
    add_listening(parser, PORT)
    option(parser, "--rate N", "the most requests a second for each key (default: no limit)", positive)
    option(
        parser, "--workers N", "how many processes answer at this port (default: %(default)s)", positive, default=1
    )
    option(parser, "--no-worker", "leave queued work to 'assay worker' processes")
    option(
        parser,
        "--page-host NAME…",
        "a name by which browsers reach the pages, besides localhost and addresses; repeatable",
    )
    option(parser, "--single-user", "print an address of the pages that needs no key, for this machine")
    option(parser, "--log", "write a line of JSON per request on standard error")


def run(args: argparse.Namespace) -> int:
    with extra_packages("a server needs", "service"):
        from assay.api.serving import Serving, serve  # noqa: PLC0415 - help needs no server
    told = Serving(
        store_of(args),
        args.host,
        args.port,
        args.rate,
        not args.no_worker,
        page_hosts=tuple(args.page_host),
        single_user=args.single_user,
        processes=args.workers,
        **setting_of(args),
    )
    return serve(told, lambda line: print(line, flush=True))
