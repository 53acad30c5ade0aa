"""Everything that the routes work with, put together once."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta

from assay.adapters.service.claim_renewal import LASTING, HeldClaims
from assay.adapters.service.coding_parts import CodingParts, CodingSetting
from assay.adapters.service.grading import StoreGrader
from assay.adapters.service.host import ThisServer
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.service.work import ServiceWork
from assay.adapters.sources.source_guard import SourcePolicy
from assay.adapters.store.runs.evaluations import StoredEvaluations
from assay.adapters.store.runs.imported import StoredImports
from assay.adapters.store.runs.jobs import StoredJobs
from assay.adapters.store.runs.review_queue import StoredReviews
from assay.adapters.store.service.audit import StoredAudit
from assay.adapters.store.service.benchmarks import StoredBenchmarks
from assay.adapters.store.service.blobs import StoredBlobs
from assay.adapters.store.service.keys import StoredKeys
from assay.adapters.store.service.playground_records import StoredRecords
from assay.adapters.store.service.playgrounds import StoredPlaygrounds
from assay.adapters.store.service.runs import StoredRuns
from assay.adapters.store.service.sessions import StoredSessions
from assay.adapters.store.service.tasks import StoredTasks
from assay.adapters.store.service.work import StoredWork
from assay.adapters.store.store import Store
from assay.engine.service.host import ServiceHost
from assay.engine.service.keys import Owner
from assay.engine.service.task_runs import Completed, complete_task_run
from assay.engine.service.try_criterion import TryOut


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
    ) -> None:
        """Without ``secrets``, sources can't have any; without ``blobs``, files are in the store."""
        host: ServiceHost = ThisServer()
        self.store, self.host = store, host
        self.secrets, self.policy = secrets or SecretBox(None), policy or SourcePolicy()
        self.blobs = blobs or StoredBlobs(store)
        self.keys = StoredKeys(store)
        self.sessions = StoredSessions(store)
        self.audit = StoredAudit(store)
        self.tasks = StoredTasks(store, host)
        self.benchmarks = StoredBenchmarks(store, host)
        self.playgrounds = StoredPlaygrounds(store, host)
        self.records = StoredRecords(store)
        self.runs = StoredRuns(store, host)
        self.work = StoredWork(store, host)
        self.imports = StoredImports(store, host)
        self.evaluations = StoredEvaluations(store, host)
        self.reviews = StoredReviews(store)
        self.jobs = StoredJobs(store, host, self.blobs)
        self.grade = StoreGrader(store, host, self.playgrounds, self.secrets, self.policy)
        self.try_out: TryOut = self.grade.tried
        self.claims = HeldClaims(self._renew, timedelta(seconds=claim_sec))
        self.coding = CodingParts(store, host, self.blobs, self.secrets, self.policy, coding or CodingSetting())
        self.doing = ServiceWork(host, self.runs, self.work, self.grade, self.claims, self.coding)
        self.woken: list[Callable[[], None]] = []

    def _renew(self, claims: Iterable[str], until: datetime) -> None:
        held = list(claims)
        self.runs.renew(held, until)
        self.work.renew(held, until)

    def complete(self, owner: Owner, task_run: str, idempotency_key: str | None = None) -> Completed:
        """Grade a started run, or answer how it ended before."""
        kept = (self.runs, self.host, self.grade, self.claims)
        return complete_task_run(*kept, owner, task_run, idempotency_key)

    def wake(self) -> None:
        """Tell the workers of this process that there is work."""
        for one in self.woken:
            one()

    def close(self) -> None:
        self.claims.close()
        self.blobs.close()
        self.store.close()
