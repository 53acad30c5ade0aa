"""Work that was accepted and is done later.

It is in the store before it is acknowledged. A worker takes a piece for a while, and renews that while it is at
it; if the worker dies, the piece is taken over. So work may be begun twice, and each kind of work must be such
that this does no harm. After three tries a piece is set aside with its reason; somebody may send it again. A
source that is down uses up no try: the work waits for it, for a day. Work that is done is forgotten after a while.
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


class WorkStore(Protocol):
    """The operations that databases do in ways of their own. Both find, add and change work as rows."""

    def next_turn(self, organisation: str, priority: int) -> int | None:
        """One after the last of this organisation that waits, but not before those that wait for longest.

        None if the database counts turns when work is added.
        """

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Row | None:
        """The next piece of these kinds: one whose worker died, or by priority, and organisations take turns.

        Of two who ask at the same moment, each gets another piece. Only where no queue hands work out.
        """

    def prune(self, before: datetime, most: int) -> int:
        """Forget so much of the work that was done before then; returns how much it was."""


@dataclass(frozen=True, slots=True)
class WorkEnding:
    """How a try ended. Without ``again_at`` the work is over: done or, for a reason, set aside."""

    reason: str | None = None
    again_at: datetime | None = None
    counts: bool = True
    source_down_since: datetime | None = None
    source_waits: int = 0


class WorkQueue(Resources[Work]):
    """Work of organisations, waiting, under way, done or set aside."""

    table, prefix, word, model = "work", "work", "work", Work

    def __init__(self, storage: Storage, host: ServiceHost, store: WorkStore) -> None:
        super().__init__(storage, host)
        self.store = store
        self.woken: list[Callable[[], None]] = []

    def add(self, organisation: str, kind: WorkKind, target: str, priority: int = 0) -> Work:
        """Accept work. If the same is waiting or being done, that is returned."""
        same = {"organisation": organisation, "kind": kind.value, "target": target}
        with self.storage.transaction() as rows:
            waiting = rows.find(self.table, **same, state=OPEN)
            if waiting is not None:
                return self._resource(waiting)
            identity = self.add_within(rows, organisation, kind, target, priority)
        self.wake()
        return self.get(organisation, identity)

    def add_within(
        self, rows: Transaction, organisation: str, kind: WorkKind, target: str, priority: int = 0
    ) -> str:
        """Accept work that nobody else adds, together with what it is about; returns its id."""
        now, turn = self.host.now(), self.store.next_turn(organisation, priority)
        fresh = {"state": WorkState.QUEUED.value, "tries": 0, "not_before": now, "created_at": now}
        values = {"kind": kind.value, "target": target, "priority": priority, "turn": turn}
        return self._insert(rows, organisation, **values, **fresh)

    def wake(self) -> None:
        """Tell the workers of this process that there is work."""
        for one in self.woken:
            one()

    def send_again(self, organisation: str, identity: str) -> Work:
        """Queue work that was set aside once more. Raises ``ConflictError`` for any other."""
        fresh = {"tries": 0, "not_before": self.host.now(), "reason": None, "finished_at": None, **NO_WAIT}
        aside = {"organisation": organisation, "id": identity, "state": WorkState.SET_ASIDE.value}
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            if not rows.change(self.table, {"state": WorkState.QUEUED.value, **fresh}, **aside):
                raise ConflictError("only work that was set aside can be sent again")
        self.wake()
        return self.get(organisation, identity)

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Work | None:
        row = self.store.take(claim, now, until, kinds)
        return None if row is None else self._resource(row)

    def end(self, work: Work, ending: WorkEnding, now: datetime, claim: str | None = None) -> bool:
        """Write how a try ended; with a claim, only if that still holds. Returns whether it was written."""
        kept: dict[str, object] = {
            "source_down_since": ending.source_down_since,
            "source_waits": ending.source_waits,
            "tries": work.tries if ending.counts else work.tries - 1,
        }
        if ending.reason is not None:
            kept["reason"] = ending.reason.replace("\0", "")
        if ending.again_at is not None:
            kept |= {"state": WorkState.QUEUED.value, "not_before": ending.again_at}
        else:
            over = WorkState.DONE if ending.reason is None else WorkState.SET_ASIDE
            kept |= {"state": over.value, "finished_at": now}
        with self.storage.transaction() as rows:
            free = {"claim": None, "claimed_until": None}
            changed = bool(rows.change(self.table, {**kept, **free}, id=work.id, claim=claim))
            if changed and work.kind != WorkKind.DELIVER_WEBHOOK.value:
                self._announce(rows, work, kept)
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


def work_once(queue: WorkQueue, host: ServiceHost, doers: Mapping[str, Doer], claims: Claims) -> bool:
    """Take the next piece of work and do it. Returns whether there was one."""
    claim, now = host.new_id("claim"), host.now()
    work = queue.take(claim, now, now + claims.lasting, doers.keys())
    if work is None:
        return False
    with claims.holding(claim):
        ending = try_work(work, doers, host.now)
    queue.end(work, ending, host.now(), claim)
    return True


def try_work(work: Work, doers: Mapping[str, Doer], now: Callable[[], datetime]) -> WorkEnding:
    """Do a piece of work that was taken, and decide how it goes on. What goes wrong with it is kept with it."""
    if work.tries > MOST_TRIES:
        return WorkEnding(STALLED, counts=False)
    try:
        doers[work.kind](work)
    except SourceDownError as error:
        return _wait_for_source(work, now(), str(error))
    except AssayError as error:
        again_at = None if work.tries >= MOST_TRIES else now() + FIRST_PAUSE * 2 ** (work.tries - 1)
        return WorkEnding(f"{type(error).__name__}: {error}", again_at)
    return WorkEnding()


def _wait_for_source(work: Work, now: datetime, reason: str) -> WorkEnding:
    """Longer each time, and not for ever: after a day, somebody should look at it."""
    since = work.source_down_since or now
    if now - since >= LONGEST_WAIT:
        return WorkEnding(reason)
    # The limit of the exponent is far beyond the longest pause.
    pause = min(FIRST_PAUSE * 2 ** min(work.source_waits, 20), LONGEST_PAUSE)
    return WorkEnding(reason, now + pause, False, since, work.source_waits + 1)
