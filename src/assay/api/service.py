"""Everything that the routes work with, put together once."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from assay.adapters.held_claims import LASTING, HeldClaims
from assay.adapters.secret_box import SecretBox
from assay.adapters.service_coding_parts import CodingParts, CodingSetting, coding_on
from assay.adapters.service_grading import StoreGrader
from assay.adapters.service_host import ThisServer
from assay.adapters.service_work import ServiceWork
from assay.adapters.source_guard import SourcePolicy
from assay.adapters.store.service.audit import StoredAudit
from assay.adapters.store.service.benchmarks import StoredBenchmarks
from assay.adapters.store.service.blobs import StoredBlobs
from assay.adapters.store.service.evaluations import StoredEvaluations
from assay.adapters.store.service.imported import StoredImports
from assay.adapters.store.service.jobs import StoredJobs
from assay.adapters.store.service.keys import StoredKeys
from assay.adapters.store.service.playground_records import StoredRecords
from assay.adapters.store.service.playgrounds import StoredPlaygrounds
from assay.adapters.store.service.review_queue import StoredReviews
from assay.adapters.store.service.runs import StoredRuns
from assay.adapters.store.service.sessions import StoredSessions
from assay.adapters.store.service.tasks import StoredTasks
from assay.adapters.store.service.work import StoredWork
from assay.adapters.store.store import Store
from assay.engine.service.host import ServiceHost
from assay.engine.service.task_runs import Grade
from assay.engine.service.try_criterion import TryOut


@dataclass(frozen=True, slots=True)
class Service:
    """The parts of the service. To be closed."""

    store: Store
    host: ServiceHost
    keys: StoredKeys
    sessions: StoredSessions
    tasks: StoredTasks
    benchmarks: StoredBenchmarks
    runs: StoredRuns
    playgrounds: StoredPlaygrounds
    audit: StoredAudit
    secrets: SecretBox
    policy: SourcePolicy
    grade: Grade
    try_out: TryOut
    claims: HeldClaims
    work: StoredWork
    doing: ServiceWork
    imports: StoredImports
    records: StoredRecords
    reviews: StoredReviews
    coding: CodingParts
    jobs: StoredJobs
    evaluations: StoredEvaluations
    blobs: StoredBlobs
    woken: list[Callable[[], None]]

    def wake(self) -> None:
        """Tell the workers of this process that there is work."""
        for one in self.woken:
            one()

    def close(self) -> None:
        self.claims.close()
        self.blobs.close()
        self.store.close()


def service_on(
    store: Store,
    secrets: SecretBox | None = None,
    policy: SourcePolicy | None = None,
    host: ServiceHost | None = None,
    claim_sec: float = LASTING.total_seconds(),
    coding: CodingSetting | None = None,
    blobs: StoredBlobs | None = None,
) -> Service:
    """The service on a store. Without ``secrets``, sources can't have any; without ``blobs``, files are in it."""
    host = host or ThisServer()
    secrets, policy = secrets or SecretBox(None), policy or SourcePolicy()
    playgrounds = StoredPlaygrounds(store, host)
    runs, work = StoredRuns(store, host), StoredWork(store, host)
    grade = StoreGrader(store, host, playgrounds, secrets, policy)
    blobs = blobs or StoredBlobs(store)
    parts = coding_on(store, host, blobs, secrets, policy, coding or CodingSetting())

    def renew(claims: Iterable[str], until: datetime) -> None:
        held = list(claims)
        runs.renew(held, until)
        work.renew(held, until)

    claims = HeldClaims(renew, timedelta(seconds=claim_sec))
    return Service(
        store=store,
        host=host,
        keys=StoredKeys(store),
        sessions=StoredSessions(store),
        tasks=StoredTasks(store, host),
        benchmarks=StoredBenchmarks(store, host),
        runs=runs,
        playgrounds=playgrounds,
        audit=StoredAudit(store),
        secrets=secrets,
        policy=policy,
        grade=grade,
        try_out=grade.tried,
        claims=claims,
        work=work,
        doing=ServiceWork(host, runs, work, grade, claims, parts),
        imports=StoredImports(store, host),
        records=StoredRecords(store),
        reviews=StoredReviews(store),
        coding=parts,
        jobs=StoredJobs(store, host, blobs),
        evaluations=StoredEvaluations(store, host),
        blobs=blobs,
        woken=[],
    )
