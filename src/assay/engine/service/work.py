"""Work that was accepted and is done later.

It is in the store before it is acknowledged. A worker takes a piece for a while, and renews that while it is at
it; if the worker dies, the piece is taken over. So work may be begun twice, and each kind of work must be such
that this does no harm. After three tries a piece is set aside with its reason; somebody may send it again. A
source that is down uses up no try: the work waits for it, for a day.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum
from typing import Final, Protocol

from assay.core.errors import AssayError
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.storage import Resources, Row, Storage, Transaction
from assay.engine.service.task_runs import Claims

MOST_TRIES: Final = 3
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(minutes=15)
LONGEST_WAIT: Final = timedelta(hours=24)
STALLED: Final = "its worker ended without a word, three times"


class SourceDownError(AssayError):
    """A source that a piece of work needs can't be asked at the moment. The work hasn't failed."""


class WorkState(Enum):
    """``set_aside`` is work that failed too often."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    SET_ASIDE = "set_aside"


OPEN: Final = [WorkState.QUEUED.value, WorkState.RUNNING.value]
NO_WAIT: Final = {"source_down_since": None, "source_waits": 0}


class WorkKind(Enum):
    """The kind of work. The target is what it is done to."""

    COMPLETE_TASK_RUN = "complete_task_run"
    SEED_CODING_TASK = "seed_coding_task"
    GRADE_CODING_RUN = "grade_coding_run"
    GRADE_AGAIN = "grade_again"
    DELIVER_WEBHOOK = "deliver_webhook"


@dataclass(frozen=True, slots=True)
class Work:
    """A piece of work. ``tries`` counts how often it was begun, without those that found a source down.

    ``source_down_since`` is when that began, and ``source_waits`` how often it waited since.
    """

    id: str
    organisation: str
    kind: str
    target: str
    state: WorkState
    priority: int
    tries: int
    reason: str | None
    created_at: datetime
    finished_at: datetime | None
    not_before: datetime
    source_down_since: datetime | None = None
    source_waits: int = 0


class WorkClaims(Protocol):
    """Takes work from the queue. Of two who ask at the same moment, each gets another piece."""

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Row | None:
        """The next piece of these kinds: by priority, and organisations take turns. Also one whose worker died.

        One that was begun too often is set aside instead.
        """

    def next_turn(self, organisation: str) -> int:
        """One after the last of this organisation that waits, but not before those that wait for longest."""


class WorkQueue(Resources[Work]):
    """Work of organisations, waiting, under way, done or set aside."""

    table, prefix, word, model = "work", "work", "work", Work

    def __init__(self, storage: Storage, host: ServiceHost, claims: WorkClaims) -> None:
        super().__init__(storage, host)
        self.claims = claims

    def add(self, organisation: str, kind: WorkKind, target: str, priority: int = 0) -> Work:
        """Accept work. If the same is waiting or being done, that is returned."""
        same = {"organisation": organisation, "kind": kind.value, "target": target}
        with self.storage.transaction() as rows:
            waiting = rows.find(self.table, **same, state=OPEN)
            if waiting is not None:
                return self._resource(waiting)
            identity = self.add_within(rows, organisation, kind, target, priority)
        return self.get(organisation, identity)

    def add_within(
        self, rows: Transaction, organisation: str, kind: WorkKind, target: str, priority: int = 0
    ) -> str:
        """Accept work that nobody else adds, together with what it is about; returns its id."""
        fresh = {"state": WorkState.QUEUED.value, "tries": 0, "not_before": self.host.now()}
        turn = self.claims.next_turn(organisation)
        values = {"kind": kind.value, "target": target, "priority": priority, "turn": turn}
        return self._insert(rows, organisation, **values, **fresh)

    def send_again(self, organisation: str, identity: str) -> Work:
        """Queue work that was set aside once more. Raises ``ConflictError`` for any other."""
        fresh = {"tries": 0, "not_before": self.host.now(), "reason": None, "finished_at": None, **NO_WAIT}
        aside = {"organisation": organisation, "id": identity, "state": WorkState.SET_ASIDE.value}
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            if not rows.change(self.table, {"state": WorkState.QUEUED.value, **fresh}, **aside):
                raise ConflictError("only work that was set aside can be sent again")
        return self.get(organisation, identity)

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Work | None:
        row = self.claims.take(claim, now, until, kinds)
        return None if row is None else self._resource(row)

    def finish(self, work: Work, claim: str, at: datetime) -> bool:
        """Returns whether the claim still held."""
        return self._give_back(work, claim, {"state": WorkState.DONE.value, "finished_at": at, **NO_WAIT})

    def fail(self, work: Work, claim: str, reason: str, again_at: datetime | None, now: datetime) -> None:
        """Queue it again for later or, without ``again_at``, set it aside."""
        if again_at is None:
            values = {"state": WorkState.SET_ASIDE.value, "finished_at": now}
        else:
            values = {"state": WorkState.QUEUED.value, "not_before": again_at}
        self._give_back(work, claim, {**values, "reason": reason.replace("\0", ""), **NO_WAIT})

    def wait(self, work: Work, claim: str, reason: str, again_at: datetime, now: datetime) -> None:
        """Queue it again for later, because a source is down. The try doesn't count."""
        values = {
            "state": WorkState.QUEUED.value,
            "not_before": again_at,
            "reason": reason.replace("\0", ""),
            "tries": work.tries - 1,
            "source_down_since": work.source_down_since or now,
            "source_waits": work.source_waits + 1,
        }
        self._give_back(work, claim, values)

    def _give_back(self, work: Work, claim: str, values: Row) -> bool:
        free = {"claim": None, "claimed_until": None}
        with self.storage.transaction() as rows:
            changed = bool(rows.change(self.table, {**values, **free}, id=work.id, claim=claim))
            if changed and work.kind != WorkKind.DELIVER_WEBHOOK.value:
                self._announce(rows, work, values)
            return changed

    def _announce(self, rows: Transaction, work: Work, values: Row) -> None:
        """Tell of work that waits for a source from now on, and of work that somebody must look at."""
        told = {"id": work.id, "kind": work.kind, "target": work.target}
        if values.get("state") == WorkState.SET_ASIDE.value:
            self.announce(rows, work.organisation, "work.set_aside", told)
        elif values.get("source_waits") == 1:
            self.announce(rows, work.organisation, "measurement.broken", told)

    def waiting(self) -> int:
        """How much work is not done yet."""
        return sum(self.storage.count(self.table, ["state"], state=OPEN).values())

    def waiting_for_source(self) -> int:
        """How much of that waits for a source that is down."""
        found = self.storage.count(self.table, ["source_down_since"], state=OPEN)
        return sum(count for (since,), count in found.items() if since is not None)


Doer = Callable[[Work], None]


def work_once(store: WorkQueue, host: ServiceHost, doers: Mapping[str, Doer], claims: Claims) -> Work | None:
    """Do the next piece of work, if there is one. What goes wrong with it is kept with it."""
    claim, now = host.new_id("claim"), host.now()
    work = store.take(claim, now, now + claims.lasting, doers.keys())
    if work is None:
        return None
    try:
        with claims.holding(claim):
            doers[work.kind](work)
    except SourceDownError as error:
        _wait_for_source(store, host, work, claim, str(error))
    except AssayError as error:
        _try_later(store, host, work, claim, f"{type(error).__name__}: {error}")
    else:
        store.finish(work, claim, host.now())
    return work


def _wait_for_source(store: WorkQueue, host: ServiceHost, work: Work, claim: str, reason: str) -> None:
    """Longer each time, and not for ever: after a day, somebody should look at it."""
    now = host.now()
    if now - (work.source_down_since or now) >= LONGEST_WAIT:
        store.fail(work, claim, reason, None, now)
        return
    # The limit of the exponent is far beyond the longest pause.
    pause = min(FIRST_PAUSE * 2 ** min(work.source_waits, 20), LONGEST_PAUSE)
    store.wait(work, claim, reason, now + pause, now)


def _try_later(store: WorkQueue, host: ServiceHost, work: Work, claim: str, reason: str) -> None:
    now = host.now()
    again_at = None if work.tries >= MOST_TRIES else now + FIRST_PAUSE * 2 ** (work.tries - 1)
    store.fail(work, claim, reason, again_at, now)
