"""Do the queued work of a service: grade what was accepted for later.

    assay worker --store postgresql://user@host/name

takes work from the store that 'assay serve' uses, as many pieces at a time as it has threads, on as many machines
as you start it on. Work whose worker died is taken over by another one. After three failures, work is set aside
with its reason. Coding runs are left to workers on machines where a sandbox works. Ctrl-C or SIGTERM ends it
after the work that was begun.

Exit codes: 0 it was stopped, 2 it could not start.
"""

import argparse
import signal
from queue import SimpleQueue

from assay.cli.options.common import extra_packages, option, positive
from assay.cli.options.service import add_service, setting_of, store_of


def configure(parser: argparse.ArgumentParser) -> None:
    add_service(parser)
    option(parser, "--threads N", "how much at a time (default: %(default)s)", positive, default=4)
    option(parser, "--log", "write what happens on standard error")


def run(args: argparse.Namespace) -> int:
    with extra_packages("a worker needs", "service"):
        from assay.api.working import Working, work  # noqa: PLC0415 - help needs no worker
    # A signal may come while this thread looks at an event, and would wait for itself. A queue is made for that.
    ended: SimpleQueue[int] = SimpleQueue()
    for one in (signal.SIGINT, signal.SIGTERM):
        signal.signal(one, lambda number, _: ended.put(number))
    told = Working(store_of(args), args.threads, **setting_of(args))
    return work(told, lambda line: print(line, flush=True), ended.get)
