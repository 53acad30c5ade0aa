"""Answers that are kept for a day, so that a request that is sent twice is done once.

The key is noted before anything is done, and the answer after it. If a process dies between the two, nobody knows
what was done: what may be repeated without harm is done again, and everything else is refused, never doubled.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Final

from assay.engine.service.errors import BusyError, ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.storage import EMPTY, Storage, UpTo

KEPT: Final = timedelta(hours=24)
# Longer than any request takes.
DOING: Final = timedelta(minutes=3)
TABLE: Final = "stored_answers"
OTHER_REQUEST: Final = "the idempotency key must be a new one: another request was sent with it"
UNFINISHED: Final = "the request with this idempotency key is still being done; send it again in a moment"
BROKE_OFF: Final = (
    "the first request with this idempotency key broke off: look whether it was done, and use a new key if not"
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """A request with a key. The same key of another owner is another one; ``repeatable`` ones do no harm twice.

    ``target`` is what it is about: with that, its answer is deleted.
    """

    owner: Owner
    key: str
    digest: str
    repeatable: bool
    target: str | None = None

    @property
    def place(self) -> dict[str, str]:
        return {
            "organisation": self.owner.organisation,
            "benchmark_run": self.owner.benchmark_run or "",
            "key": self.key,
        }


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer as it was given, and the hash of what was asked."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    digest: str


class StoredAnswers:
    """The answers to requests with an idempotency key."""

    def __init__(self, storage: Storage, host: ServiceHost) -> None:
        self._storage = storage
        self._host = host

    def begin(self, attempt: Attempt) -> StoredAnswer | None:
        """The answer that was given before; None for a request that is to be done now.

        Raises ``BusyError`` while the same is being done, ``ConflictError`` for a key of another request.
        """
        now = self._host.now()
        organisation = attempt.owner.organisation
        with self._storage.transaction(durable=False) as rows:
            rows.remove(TABLE, organisation=organisation, at=UpTo(now - KEPT))
            if rows.add(TABLE, **attempt.place, digest=attempt.digest, target=attempt.target, at=now):
                return None
            row = rows.lock(TABLE, **attempt.place)
            if row is None:
                raise BusyError(UNFINISHED)
            if attempt.digest and row["digest"] and row["digest"] != attempt.digest:
                raise ConflictError(OTHER_REQUEST)
            if row["status"] is not None:
                return StoredAnswer(row["status"], row["headers"], row["body"], row["digest"])
            if now - row["at"] < DOING:
                raise BusyError(UNFINISHED)
            if not attempt.repeatable:
                raise ConflictError(BROKE_OFF)
            rows.change(TABLE, {"at": now}, **attempt.place)
        return None

    def finish(self, attempt: Attempt, answer: StoredAnswer) -> None:
        """Keep the answer, before it is given."""
        with self._storage.transaction(durable=False) as rows:
            rows.change(TABLE, asdict(answer), **attempt.place)

    def release(self, attempt: Attempt) -> None:
        """Nothing was done, so the key may be used again."""
        with self._storage.transaction(durable=False) as rows:
            rows.remove(TABLE, **attempt.place, status=EMPTY)
