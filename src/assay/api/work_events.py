"""Changes of a piece of work as server-sent events."""

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from starlette.concurrency import run_in_threadpool

from assay.api.routes.work import shown_work
from assay.api.service import Service
from assay.core.errors import AssayError
from assay.engine.service.run_export import rendered
from assay.engine.service.work import Work, WorkState

EVENTS: Final = "text/event-stream"
LOOK_EVERY_SEC: Final = 0.25
LONGEST_SEC: Final = 15 * 60
OVER: Final = (WorkState.DONE, WorkState.SET_ASIDE)


async def work_events(service: Service, first: Work) -> AsyncIterator[bytes]:
    """An event for the present state and for each change, until the work is over or the caller has hung up.

    If the store can't be reached, the stream ends; the caller may ask again.
    """
    told, now = first, first
    yield _event(now)
    for _ in range(int(LONGEST_SEC / LOOK_EVERY_SEC)):
        if now.state in OVER:
            return
        await asyncio.sleep(LOOK_EVERY_SEC)
        try:
            now = await run_in_threadpool(service.work.work, first.organisation, first.id)
        except AssayError:
            return
        if now != told:
            told = now
            yield _event(now)


def _event(work: Work) -> bytes:
    return b"event: " + work.state.value.encode() + b"\ndata: " + rendered(shown_work(work)) + b"\n\n"
