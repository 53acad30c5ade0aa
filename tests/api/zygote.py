"""Starts servers and workers quickly, again and again: everything is imported once, and each is a fork.

    python -m tests.api.zygote STORE PORT CLAIM

reads lines: ``serve`` or ``work`` starts a process and prints its number; ``ended N`` waits for one.
"""

import os
import sys
from queue import SimpleQueue
from typing import NoReturn

from assay.api.serving import Serving, serve
from assay.api.working import Working, work


def _run(what: str, store: str, port: int, claim: float) -> NoReturn:
    os.close(0)
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    try:
        if what == "serve":
            serve(Serving(store, "127.0.0.1", port, worker=False, claim_sec=claim), lambda _: None)
        else:
            work(Working(store, 2, claim_sec=claim), lambda _: None, SimpleQueue[None]().get)
    finally:
        os._exit(0)


def main(store: str, port: str, claim: str) -> None:
    for line in sys.stdin:
        what, _, number = line.strip().partition(" ")
        if what == "ended":
            os.waitpid(int(number), 0)
            print("ok", flush=True)
            continue
        child = os.fork()
        if child == 0:
            _run(what, store, int(port), float(claim))
        print(child, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
