"""Do the queued work of a service, without a server."""

import logging
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta

from assay.adapters.machine.tracing import trace_if_configured
from assay.adapters.service.blob_places import open_blobs
from assay.adapters.service.coding_parts import CodingSetting
from assay.adapters.service.secret_box import VARIABLE, SecretBox, key_beside, key_from_text
from assay.adapters.sources.source_guard import SourcePolicy, allowed_sources
from assay.adapters.store.opening import open_store
from assay.api.service import Service
from assay.engine.service.do_work import KEPT

Say = Callable[[str], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Opening:
    """Options of commands that work on a service."""

    store: str = field(kw_only=False)
    allowed: tuple[str, ...] = ()
    log: bool = False
    claim_sec: float = 60
    blobs: str | None = None
    coding: CodingSetting = field(default_factory=CodingSetting)
    kept_work: timedelta = KEPT


@dataclass(frozen=True, slots=True)
class Working(Opening):
    """Options of ``assay worker``."""

    threads: int


@contextmanager
def open_service(told: Opening, create: bool = False) -> Iterator[Service]:
    """The service, for the time of the block."""
    log_to_stderr(told.log)
    end_tracing = trace_if_configured()
    policy = SourcePolicy(allowed_sources(told.allowed))
    store = open_store(told.store, create)
    blobs = open_blobs(store, told.blobs)
    settings = (told.claim_sec, told.coding, blobs, told.kept_work)
    service = Service(store, secret_box(told.store), policy, *settings)
    try:
        yield service
    finally:
        service.close()
        end_tracing()


def work(told: Working, say: Say, until_ended: Callable[[], object]) -> int:
    """Do queued work until ``until_ended`` returns; what was begun is finished."""
    with open_service(told) as service:
        worker = service.worker(told.threads)
        worker.start()
        say(f"assay works on {service.store.name} with {told.threads} threads")
        say_coding(service, say)
        until_ended()
        worker.end()
    return 0


def say_coding(service: Service, say: Say) -> None:
    """One sentence if coding runs can't be graded by this process."""
    why = service.coding.sandbox.why_not()
    if why is not None:
        say(f"coding runs are not graded here: {why}")


def secret_box(store: str) -> SecretBox:
    """The key of secrets: from the environment, or from a file beside a SQLite store."""
    written = os.environ.get(VARIABLE)
    if written:
        return SecretBox(key_from_text(written, VARIABLE))
    return SecretBox(None if "://" in store else key_beside(f"{store}.key"))


def log_to_stderr(requests: bool) -> None:
    """Warnings and, if asked for, a line for each request."""
    shown = logging.StreamHandler(sys.stderr)
    shown.setFormatter(logging.Formatter("%(message)s"))
    root = logging.getLogger("assay")
    root.handlers = [shown]
    root.setLevel(logging.INFO if requests else logging.WARNING)
