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
from assay.engine.service.storage import Resources
from assay.engine.service.task_runs import Claims

MOST_TRIES: Final = 3
FIRST_PAUSE: Final = timedelta(seconds=2)
LONGEST_PAUSE: Final = timedelta(minutes=15)
LONGEST_WAIT: Final = timedelta(hours=24)
STALLED: Final = "its worker ended without a word, three times"
NO_WAIT: Final = {"source_down_since": None, "source_waits": 0}


class SourceDownError(AssayError):
    """What a piece of work needs can't be asked at the moment. That isn't a failure of the work."""


class WorkState(Enum):
    """``set_aside`` is work that failed too often."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    SET_ASIDE = "set_aside"


class WorkKind(Enum):
    """What is to be done. The target is what it is done to."""

    COMPLETE_TASK_RUN = "complete_task_run"
    SEED_CODING_TASK = "seed_coding_task"
    GRADE_CODING_RUN = "grade_coding_run"
    GRADE_AGAIN = "grade_again"


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


class WorkQueue(Resources[Work]):
    """Work of organisations, waiting, under way, done or set aside."""

    table, prefix, word, model = "work", "work", "work", Work

    def send_again(self, organisation: str, identity: str) -> Work:
        """Queue work that was set aside once more. Raises ``ConflictError`` for any other."""
        fresh = {"tries": 0, "not_before": self.host.now(), "reason": None, "finished_at": None, **NO_WAIT}
        aside = {"organisation": organisation, "id": identity, "state": WorkState.SET_ASIDE.value}
        with self.storage.transaction() as rows:
            self.row(rows, organisation, identity)
            if not rows.change(self.table, {"state": WorkState.QUEUED.value, **fresh}, **aside):
                raise ConflictError("only work that was set aside can be sent again")
        return self.get(organisation, identity)


class WorkStore(Protocol):
    """Where work is kept."""

    def take(self, claim: str, now: datetime, until: datetime, kinds: Collection[str]) -> Work | None:
        """The next piece of these kinds: by priority, and organisations take turns. Also one whose worker died.

        One that was begun too often is set aside instead.
        """
        ...

    def finish(self, work: Work, claim: str, at: datetime) -> bool:
        """Whether the claim still held."""
        ...

    def fail(self, work: Work, claim: str, reason: str, again_at: datetime | None, now: datetime) -> None:
        """Queue it again for later or, without ``again_at``, set it aside."""
        ...

    def wait(self, work: Work, claim: str, reason: str, again_at: datetime, now: datetime) -> None:
        """Queue it again for later, because a source is down. The try doesn't count."""
        ...


Doer = Callable[[Work], None]


def work_once(store: WorkStore, host: ServiceHost, doers: Mapping[str, Doer], claims: Claims) -> Work | None:
    """Do the next piece of work, if there is one. What goes wrong with it is kept with it."""
    claim, now = host.new_id("claim"), host.now()
    work = store.take(claim, now, now + claims.lasting, doers.keys())
    if work is None:
        return None
    try:
        with claims.holding(claim):
            doers[work.kind](work)
    except SourceDownError as error:
        _waits(store, host, work, claim, str(error))
    except AssayError as error:
        _failed(store, host, work, claim, f"{type(error).__name__}: {error}")
    else:
        store.finish(work, claim, host.now())
    return work


def _waits(store: WorkStore, host: ServiceHost, work: Work, claim: str, reason: str) -> None:
    """Longer each time, and not for ever: after a day, somebody should look at it."""
    now = host.now()
    if now - (work.source_down_since or now) >= LONGEST_WAIT:
        store.fail(work, claim, reason, None, now)
        return
    # The limit of the exponent is far beyond the longest pause.
    pause = min(FIRST_PAUSE * 2 ** min(work.source_waits, 20), LONGEST_PAUSE)
    store.wait(work, claim, reason, now + pause, now)


def _failed(store: WorkStore, host: ServiceHost, work: Work, claim: str, reason: str) -> None:
    now = host.now()
    again_at = None if work.tries >= MOST_TRIES else now + FIRST_PAUSE * 2 ** (work.tries - 1)
    store.fail(work, claim, reason, again_at, now)
