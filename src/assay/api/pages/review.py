"""Review: the queue, one run after the other with keys for pass, fail and defer, and how far everybody agrees.

The address of a queue says which runs belong to it, who reviews, and whether it is blind.
"""

from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from pydantic import ValidationError

from assay.api.pages.calls import ServiceCall
from assay.api.routes.runs import NewAnnotation, annotate
from assay.engine.explorer.review_queue import MOST_REVIEWED, ReviewItem, agreement, item_of, reviews, two_by_two
from assay.engine.explorer.run_query import RunQuery, pairs_of, parse_run_query
from assay.engine.explorer.trace_page import TraceQuery
from assay.engine.schema_errors import about, first, sentence
from assay.engine.service.errors import NotFoundError
from assay.engine.service.keys import Owner
from assay.formats.diff_pages import diff_page
from assay.judge.judge_stored import CELLS
from assay.web.pages.run import RunView, asked_and_answered
from assay.web.pages.trace import TraceView
from assay.web.routing import CHANGE, READ, PageAnswer, PageRoutes
from assay.web.task_run_view import RecordsView, view_records

routes: PageRoutes[ServiceCall] = PageRoutes()
SHOWN: Final = 25
FILTERS: Final = ("job", "task", "agent", "model", "kind")
OWN: Final = frozenset(("reviewer", "discipline", "blind", "before", "token", "judgment", "categories", "notes"))
JUDGMENTS: Final = (("pass", "p"), ("fail", "f"), ("defer", "d"))


@dataclass(frozen=True, slots=True)
class Queue:
    """A queue as its address says."""

    asked: RunQuery
    reviewer: str
    blind: bool
    discipline: str

    @property
    def query(self) -> list[tuple[str, str]]:
        own = {"reviewer": self.reviewer, "discipline": self.discipline, "blind": "on" if self.blind else ""}
        return [*pairs_of(self.asked), *((name, value) for name, value in own.items() if value)]


def queue_of(call: ServiceCall) -> Queue:
    """The queue that an address names. Without a reviewer, that is whoever the key is called after."""
    pairs = [(name, value) for name, value in call.query.pairs() if name not in OWN and value]
    return Queue(
        parse_run_query(pairs),
        call.query.get("reviewer").strip() or call.key.name,
        bool(call.query.get("blind")),
        call.query.get("discipline").strip(),
    )


@routes.add("GET", "/review", *READ, word="Review")
def review(call: ServiceCall) -> PageAnswer:
    """The queue: the fewest annotations first, disagreements first among as many."""
    queue = queue_of(call)
    runs = call.service.reviews.queue(call.organisation, queue.asked, queue.reviewer, SHOWN)
    return call.page(
        "review.html",
        title="Review",
        queue=queue,
        runs=runs,
        waiting=call.service.reviews.waiting(call.organisation, queue.asked),
        wanted={name: call.query.get(name) for name in FILTERS},
        address=lambda run: _address(call, run.id, queue),
        tabs=_tabs(call, queue),
    )


@routes.add("GET", "/review/agreement", *READ)
def review_agreement(call: ServiceCall) -> PageAnswer:
    """How far reviewers agree with each other and with the machine, and the two-by-two of checks and judge."""
    queue = queue_of(call)
    reviewed = call.service.reviews.reviewed(call.organisation, queue.asked, MOST_REVIEWED)
    found = two_by_two(call.service.reviews.gates(call.organisation, queue.asked))
    contradicted = [(one.run, review) for one in reviewed for review in reviews(one) if review.contradicts]
    return call.page(
        "review_agreement.html",
        title="Agreement",
        queue=queue,
        reviewed=reviewed,
        more=len(reviewed) == MOST_REVIEWED,
        agreement=agreement(reviewed),
        contradicted=contradicted[:200],
        contradictions=len(contradicted),
        gates=found,
        cells={(checks, judge): _cell(call, queue, checks, judge) for checks, judge in CELLS},
        names=CELLS,
        tabs=_tabs(call, queue),
    )


@routes.add("GET", "/review/runs/{id}", *READ)
def review_run(call: ServiceCall) -> PageAnswer:
    """One run of the queue."""
    return _run(call, queue_of(call))


@routes.add("POST", "/review/runs/{id}", *CHANGE)
def judge_run(call: ServiceCall) -> PageAnswer:
    """Note a verdict. In a blind queue the same run comes back with what the machine said, else the next one."""
    queue, identity = queue_of(call), call.path["id"]
    call.service.imports.run(call.organisation, identity)
    try:
        new = NewAnnotation(
            reviewer_id=queue.reviewer,
            reviewer_discipline=call.form.get("discipline").strip() or queue.discipline or None,
            judgment=call.form.get("judgment"),  # type: ignore[arg-type] # What isn't one is refused.
            categories=[one.strip() for one in call.form.get("categories").split(",") if one.strip()],
            notes=call.form.get("notes").strip() or None,
        )
    except ValidationError as error:
        told = first(error.errors(include_url=False))
        return _run(call, queue, about(".".join(map(str, told["loc"])), sentence(told, NewAnnotation)))
    annotate(call.service, call.organisation, identity, new)
    onward = _next(call, queue, identity)
    if queue.blind or onward is None:
        return call.go(_address(call, identity, queue))
    return call.go(_address(call, onward, queue, identity))


def _run(call: ServiceCall, queue: Queue, wrong: str = "") -> PageAnswer:
    run = call.service.imports.run(call.organisation, call.path["id"])
    item = item_of(call.service.reviews.one(run), queue.reviewer, blind=queue.blind)
    before, onward = call.query.get("before"), _next(call, queue, run.id)
    return call.page(
        "review_run.html",
        title=run.name,
        status=422 if wrong else 200,
        item=item,
        run=item.run,
        queue=queue,
        wrong=wrong,
        entered=call.form,
        judgments=JUDGMENTS,
        records=_records(call, item),
        **_agent_values(call, run.id),
        here=_address(call, run.id, queue, before),
        back=call.site.to("review", queue.query),
        before=_address(call, before, queue) if before else None,
        after=None if onward is None else _address(call, onward, queue, run.id),
    )


def _agent_values(call: ServiceCall, identity: str) -> dict[str, Any]:
    """The agent's words, actions and changes, as far as kept. None of it tells what the machine thinks."""
    detail, asked = call.source.run(identity), TraceQuery()
    turn, change = next(iter(detail.turns), ""), call.source.file(identity, "diff")
    part, view = call.source.trace(identity, turn, asked), RunView(detail, call)
    trace = None if part is None else TraceView(part, asked, turn)
    diff = None if change is None else diff_page(change, 0, 0)
    return {**asked_and_answered(view, trace), "view": view, "diff": diff}


def _records(call: ServiceCall, item: ReviewItem) -> RecordsView | None:
    """The records that a task run left. Marks would tell what criteria found."""
    if item.run.kind != "task_run":
        return None
    try:
        found = call.service.runs.task_run(Owner(call.organisation), item.run.name)
    except NotFoundError:
        return None
    return view_records(call.service.records, found.playground_id)


def _next(call: ServiceCall, queue: Queue, identity: str) -> str | None:
    runs = call.service.reviews.queue(call.organisation, queue.asked, queue.reviewer, 2)
    return next((run.id for run in runs if run.id != identity), None)


def _address(call: ServiceCall, identity: str, queue: Queue, before: str = "") -> str:
    return call.site.to(f"review/runs/{quote(identity, safe='')}", [*queue.query, ("before", before)])


def _tabs(call: ServiceCall, queue: Queue) -> list[tuple[str, str, str, Any]]:
    return [
        ("Queue", call.site.to("review", queue.query), "queue", None),
        ("Agreement", call.site.to("review/agreement", queue.query), "agreement", None),
    ]


def _cell(call: ServiceCall, queue: Queue, checks: bool, judge: bool) -> str:
    """Where the runs behind a cell are listed."""
    gates = [("checks", "PASS" if checks else "FAIL"), ("judge", "PASS" if judge else "FAIL")]
    kept = [(name, value) for name, value in pairs_of(queue.asked) if name not in ("checks", "judge")]
    return call.site.to("runs", [*kept, *gates])
