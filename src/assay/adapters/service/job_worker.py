"""Does the queued work of a store on PostgreSQL: a worker of procrastinate, with an event loop in its own thread.

Procrastinate hands each piece to one worker, listens for new ones, and notices workers that died. How a piece goes
on is decided by ``ServiceWork``. The loop only waits; work is done in threads.
"""

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final

from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision
from procrastinate.jobs import Job

from assay.adapters.service.worker import SWEEP_EVERY_SEC
from assay.adapters.store.database import TEXTS
from assay.core.broken import where_it_broke
from assay.engine.service.do_work import ServiceWork
from assay.engine.service.work import FIRST_PAUSE, Work, WorkEnding, WorkState

log = logging.getLogger("assay.worker")
# Their lines have the arguments of jobs, and tracebacks; what went wrong is kept with the work.
for _name in ("procrastinate", "psycopg.pool"):
    logging.getLogger(_name).setLevel(logging.CRITICAL + 1)

TASK: Final = "work"
# New work is announced. This is for what was queued again for later, and for announcements that were missed.
LOOK_EVERY_SEC: Final = 0.1
RESTART_SEC: Final = 1.0


class _GoesOnError(Exception):
    """Work that isn't done: how it goes on."""

    def __init__(self, ending: WorkEnding) -> None:
        super().__init__("the work isn't done")
        self.ending = ending


class _GoOn(BaseRetryStrategy):
    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:  # noqa: ARG002
        """Try again to write down a result that was refused because the store was away."""
        if not isinstance(exception, _GoesOnError):
            return RetryDecision(retry_at=datetime.now(UTC) + FIRST_PAUSE)
        again_at = exception.ending.again_at
        return None if again_at is None else RetryDecision(retry_at=again_at)


class JobWorker:
    """As many pieces at a time as there are threads. A worker that isn't heard of for a claim's time is dead."""

    def __init__(self, url: str, doing: ServiceWork, threads: int) -> None:
        self._url = url.replace("+psycopg", "", 1)
        self._doing = doing
        self._count = threads
        self._ended = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._thread = threading.Thread(target=self._go_on, name="job-worker", daemon=True)

    def start(self) -> None:
        if self._count:
            self._thread.start()

    def wake(self) -> None:
        """The database announces work."""

    def end(self) -> None:
        """Finish what was begun, and take nothing more."""
        self._ended.set()
        # A loop that is closed has nothing to end.
        with suppress(RuntimeError):
            if self._loop is not None and self._main is not None:
                self._loop.call_soon_threadsafe(self._main.cancel)
        if self._thread.is_alive():
            self._thread.join()

    def _go_on(self) -> None:
        while not self._ended.is_set():
            try:
                with asyncio.Runner() as runner:
                    # One thread more, for the sweep.
                    runner.get_loop().set_default_executor(ThreadPoolExecutor(self._count + 1, "worker"))
                    runner.run(self._work())
            except asyncio.CancelledError:
                continue
            except Exception as error:  # noqa: BLE001 - a worker goes on, whatever broke
                log.warning("the worker waits: %s", where_it_broke(error))
            self._ended.wait(RESTART_SEC)

    async def _work(self, wait: bool = True) -> None:
        """Until it is cancelled or, if it doesn't ``wait``, until nothing is left to do."""
        self._loop, self._main = asyncio.get_running_loop(), asyncio.current_task()
        if self._ended.is_set():
            return
        lasting = self._doing.claims.lasting.total_seconds()
        app = App(connector=PsycopgConnector(conninfo=self._url, kwargs=TEXTS, min_size=1, max_size=4))
        app.task(name=TASK, pass_context=True, retry=_GoOn())(self._do)
        async with app.open_async():
            sweeping = asyncio.create_task(self._sweep(app, lasting))
            try:
                await app.run_worker_async(
                    queues=list(self._doing.doers()),
                    concurrency=self._count,
                    wait=wait,
                    install_signal_handlers=False,
                    fetch_job_polling_interval=LOOK_EVERY_SEC,
                    update_heartbeat_interval=lasting / 5,
                    stalled_worker_timeout=lasting,
                )
            finally:
                sweeping.cancel()

    def _do(self, context: JobContext, /, **told: Any) -> None:
        job = context.job
        work = _work_of(job, told)
        ending = self._doing.attempt(work)
        if ending != WorkEnding() or work.source_waits:
            self._doing.work.end(work, ending, self._doing.host.now())
        if ending.reason is not None:
            raise _GoesOnError(ending)

    async def _sweep(self, app: App, lasting: float) -> None:
        """Work of workers that died is queued again, at the latest after a claim's time."""
        while True:
            try:
                await app.job_manager.prune_stalled_workers(lasting)
                await app.connector.execute_query_async(_FREE)
                await asyncio.to_thread(self._doing.sweep)
            except Exception as error:  # noqa: BLE001 - the store may be back in a moment
                log.warning("the sweep waits: %s", where_it_broke(error))
            await asyncio.sleep(min(SWEEP_EVERY_SEC, lasting / 2))


# Of two who find the same piece, one queues it.
_FREE: Final = """
    SELECT procrastinate_retry_job_v2(id, now(), NULL, NULL, NULL) FROM (
        SELECT id FROM procrastinate_jobs WHERE task_name = 'work' AND status = 'doing' AND worker_id IS NULL
        FOR UPDATE SKIP LOCKED
    ) AS forgotten
"""


def _work_of(job: Job, told: dict[str, Any]) -> Work:
    """The arguments are what ``work.sql`` makes of a row."""
    created, since = datetime.fromisoformat(told["created_at"]), told.get("source_down_since")
    return Work(
        id=told["id"],
        organisation=told["organisation"],
        kind=job.queue,
        target=told["target"],
        state=WorkState.RUNNING,
        priority=told.get("priority", 0),
        tries=job.attempts + 1 - told.get("uncounted", 0),
        reason=told.get("reason"),
        created_at=created,
        finished_at=None,
        not_before=job.scheduled_at or created,
        source_down_since=None if since is None else datetime.fromisoformat(since),
        source_waits=told.get("source_waits", 0),
    )
