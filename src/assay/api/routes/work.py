"""Work that was accepted and is done later."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from typing import Any, Final

from starlette.concurrency import run_in_threadpool

from assay.api.answers import resource_from
from assay.api.routing import READ, WATCH, ApiCall, Routes
from assay.api.service import Service
from assay.core.errors import AssayError
from assay.engine.explorer.run_export import render_json
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Scope
from assay.engine.service.work import Work, WorkKind, WorkState
from assay.formats.strict_model import StrictModel

routes = Routes()
EVENTS: Final = "text/event-stream"
LOOK_EVERY_SEC: Final = 0.25
LONGEST_SEC: Final = 15 * 60
OVER: Final = (WorkState.DONE, WorkState.SET_ASIDE)


class WorkResource(StrictModel):
    """A piece of work. ``target`` is what it is done to; ``reason`` says why the last try failed.

    Work that waits for a source that is down says since when; that uses up no tries. ``next_try_at`` is when work
    that is queued is tried at the earliest.
    """

    id: str
    kind: str
    target: str
    state: WorkState
    tries: int
    reason: str | None
    created_at: datetime
    finished_at: datetime | None
    waiting_for_source_since: datetime | None
    next_try_at: datetime | None


def shown_work(work: Work) -> WorkResource:
    """Without the organisation, and who is at it."""
    again = work.not_before if work.state is WorkState.QUEUED else None
    return resource_from(WorkResource, work, waiting_for_source_since=work.source_down_since, next_try_at=again)


def without_reason(work: Work) -> WorkResource:
    """Why a try failed names the sources that the agent is graded by."""
    return shown_work(work).model_copy(update={"reason": None})


routes.resource(
    "/work",
    WorkResource,
    lambda service: service.work,
    filters={"state": ("state", "only work in this state")},
    show=shown_work,
    list_work="Work, the newest first.",
)


@routes.get("/work/{id}", WorkResource, *READ, Scope.RUN)
def get_work(call: ApiCall) -> Any:
    """One piece of work, and how far it is. A run token sees the completions of its own runs, without reasons."""
    found = call.service.work.get(call.organisation, call.id)
    if call.key.scope is not Scope.RUN:
        return shown_work(found)
    if found.kind != WorkKind.COMPLETE_TASK_RUN.value:
        raise NotFoundError("there is no such work")
    call.service.runs.task_run(call.key.owner, found.target)
    return without_reason(found)


@routes.get("/work/{id}/events", WorkResource, body=WATCH)
def watch_work(call: ApiCall) -> Any:
    """How far a piece of work is, as server-sent events: one for each change, until it is over."""
    raise TypeError(f"{call.path} is answered bit by bit")


@routes.post("/work/{id}/retry", WorkResource, also=(404, 409))
def retry_work(call: ApiCall) -> Any:
    """Send work that was set aside once more."""
    again = call.service.work.send_again(call.organisation, call.id)
    return shown_work(again)


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
            now = await run_in_threadpool(service.work.get, first.organisation, first.id)
        except AssayError:
            return
        if now != told:
            told = now
            yield _event(now)


def _event(work: Work) -> bytes:
    return b"event: " + work.state.value.encode() + b"\ndata: " + render_json(shown_work(work)) + b"\n\n"
