"""Everything that the routes work with, put together once."""

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from assay.adapters.machine.local_machine import ThisServer
from assay.adapters.service.claim_renewal import LASTING, HeldClaims
from assay.adapters.service.coding_parts import CodingParts, CodingSetting
from assay.adapters.service.grading import OpenStoredPlaygrounds, TracedGrader
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.service.sources import SourceOpener
from assay.adapters.service.webhook_sender import WebhookSender
from assay.adapters.service.worker import Worker
from assay.adapters.sources.source_guard import GuardedClient, SourcePolicy
from assay.adapters.store.runs.imported import StoredImports
from assay.adapters.store.runs.review_queue import StoredReviews
from assay.adapters.store.service.blobs import StoredBlobs
from assay.adapters.store.service.playground_records import StoredRecords
from assay.adapters.store.service.run_claims import StoredRunClaims
from assay.adapters.store.service.storage import StoredStorage
from assay.adapters.store.service.work import StoredWork
from assay.adapters.store.store import Store
from assay.api.output_graders import OutputGraders
from assay.engine.integration.deletion import Deletion
from assay.engine.integration.kept_records import KeptRecords
from assay.engine.integration.stored_answers import StoredAnswers
from assay.engine.integration.webhooks import Webhooks
from assay.engine.service.audit import AuditLog
from assay.engine.service.benchmarks import BenchmarkRuns, Benchmarks, BenchmarkVersions
from assay.engine.service.do_work import KEPT, ServiceWork
from assay.engine.service.evaluation_results import EvaluationResults
from assay.engine.service.host import ServiceHost
from assay.engine.service.jobs import Jobs
from assay.engine.service.keys import Keys, Owner
from assay.engine.service.playgrounds import Playgrounds
from assay.engine.service.runs import Also, CriterionRuns, TaskRuns
from assay.engine.service.sessions import Sessions
from assay.engine.service.storage import Resources, renew_claims
from assay.engine.service.task_runs import Completed, complete_task_run
from assay.engine.service.tasks import Criteria, Tasks
from assay.engine.service.work import Doer, WorkKind, WorkQueue

if TYPE_CHECKING:
    from assay.adapters.service.job_worker import JobWorker


class Service:
    """The parts of the service on a store. To be closed."""

    def __init__(
        self,
        store: Store,
        secrets: SecretBox | None = None,
        policy: SourcePolicy | None = None,
        claim_sec: float = LASTING.total_seconds(),
        coding: CodingSetting | None = None,
        blobs: StoredBlobs | None = None,
        kept_work: timedelta = KEPT,
    ) -> None:
        """Without ``secrets``, sources can't have any; without ``blobs``, files are in the store."""
        host: ServiceHost = ThisServer()
        self.store, self.host = store, host
        self.secrets, self.policy = secrets or SecretBox(None), policy or SourcePolicy()
        self.blobs = blobs or StoredBlobs(store)
        self.storage = storage = StoredStorage(store)
        self.keys = Keys(storage, host)
        self.sessions = Sessions(self.keys)
        self.answers = StoredAnswers(storage, host)
        self.deletion = Deletion(storage, host, self.blobs.discard)
        self.audit = AuditLog(storage, host)
        self.criteria = Criteria(storage, host)
        self.tasks = Tasks(self.criteria)
        self.benchmarks = Benchmarks(storage, host)
        self.versions = BenchmarkVersions(self.benchmarks)
        self.playgrounds = Playgrounds(storage, host)
        self.records = StoredRecords(store)
        self.kept = KeptRecords(self.playgrounds)
        self.runs = TaskRuns(storage, host, StoredRunClaims(store))
        self.criterion_runs = CriterionRuns(storage, host)
        self.benchmark_runs = BenchmarkRuns(self.versions, self.runs, self.keys)
        self.work = WorkQueue(storage, host, StoredWork(store))
        self.imports = StoredImports(store, host)
        self.evaluations = EvaluationResults(storage, host)
        self.reviews = StoredReviews(store)
        self.jobs = Jobs(storage, host, self.blobs)
        self._guarded = GuardedClient(self.policy)
        sources = SourceOpener(store, self.playgrounds, self.secrets, self.policy, self._guarded)
        self.grade = TracedGrader(self.playgrounds, OpenStoredPlaygrounds(store, sources))
        self.claims = HeldClaims(self._renew, timedelta(seconds=claim_sec))
        self.coding = CodingParts(
            store, storage, host, self.blobs, self.secrets, self._guarded, coding or CodingSetting()
        )
        told = coding or CodingSetting()
        self.graders = OutputGraders(told.graded_tasks, self.coding.sandbox, told.isolation)
        doing = (self.runs, self.work, self.grade, self.claims, self._more_doers, kept_work)
        self.doing = ServiceWork(host, *doing)
        opened = lambda hook, sealed: self.secrets.open(sealed, hook)["secret"]  # noqa: E731
        self.webhooks = Webhooks(self.work, WebhookSender(self._guarded), opened)
        announcing: tuple[Resources[Any], ...] = (self.runs, self.work, self.coding.runs)
        for one in announcing:
            one.announce = self.webhooks.note

    def _more_doers(self) -> dict[str, Doer]:
        return {WorkKind.DELIVER_WEBHOOK.value: self.webhooks.deliver, **self.coding.doers()}

    def _renew(self, claims: Iterable[str], until: datetime) -> None:
        renew_claims(self.storage, list(claims), until)

    def complete(self, owner: Owner, task_run: str, also: Also | None = None) -> Completed:
        """Grade a started run, or answer how it ended before. ``also`` is done if it is graded now."""
        return complete_task_run(self.runs, self.host, self.grade, self.claims, owner, task_run, also)

    def worker(self, threads: int) -> "Worker | JobWorker":
        """Threads that do queued work, to be started."""
        if not self.store.is_postgres:
            return Worker(self.doing.step, self.doing.sweep, threads)
        from assay.adapters.service.job_worker import JobWorker  # noqa: PLC0415 - of the extra for PostgreSQL

        return JobWorker(self.store.url, self.doing, threads)

    def close(self) -> None:
        self.graders.close()
        self.claims.close()
        self._guarded.close()
        self.blobs.close()
        self.store.close()
