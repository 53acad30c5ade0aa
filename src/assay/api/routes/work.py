"""Work that was accepted and is done later."""

from datetime import datetime

from assay.adapters.store.service.work import work_of_row
from assay.api.answers import Answer, shown, shown_page
from assay.api.routing import WATCH, Call, Routes
from assay.dialects.criteria.models import StrictModel
from assay.engine.service.keys import Scope
from assay.engine.service.work import Work, WorkState

routes = Routes()
WRITE = (Scope.ADMIN, Scope.GRADER)
READ = (Scope.ADMIN, Scope.GRADER, Scope.READER)


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


@routes.add("GET", "/work", *READ, answer=WorkResource, lists=True, query={"state": "only work in this state"})
def list_work(call: Call) -> Answer:
    """Work, the newest first."""
    asked = call.page
    rows = call.service.work.page(call.organisation, call.filter("state"), asked)
    return shown_page([shown_work(work_of_row(row)) for row in rows.rows], rows, asked.limit)


@routes.add("GET", "/work/{id}", *READ, answer=WorkResource, also=(404,))
def get_work(call: Call) -> Answer:
    """One piece of work, and how far it is."""
    return shown(shown_work(call.service.work.work(call.organisation, call.path["id"])))


@routes.add("GET", "/work/{id}/events", *READ, body=WATCH, answer=WorkResource, also=(404,))
def watch_work(call: Call) -> Answer:
    """How far a piece of work is, as server-sent events: one for each change, until it is over."""
    raise TypeError(f"{call.path} is answered bit by bit")


@routes.add("POST", "/work/{id}/retry", *WRITE, answer=WorkResource, also=(404, 409))
def retry_work(call: Call) -> Answer:
    """Send work that was set aside once more."""
    again = call.service.work.again(call.organisation, call.path["id"])
    call.service.wake()
    return shown(shown_work(again))


def shown_work(work: Work) -> dict[str, object]:
    """Without the organisation, and who is at it."""
    return {
        "id": work.id,
        "kind": work.kind,
        "target": work.target,
        "state": work.state,
        "tries": work.tries,
        "reason": work.reason,
        "created_at": work.created_at,
        "finished_at": work.finished_at,
        "waiting_for_source_since": work.source_down_since,
        "next_try_at": work.not_before if work.state is WorkState.QUEUED else None,
    }
