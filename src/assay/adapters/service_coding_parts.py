"""Everything that coding runs of a service are kept and graded with, put together once."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.adapters.sandbox.backends import AUTO
from assay.adapters.secret_box import SecretBox
from assay.adapters.service_coding import ServiceGrader
from assay.adapters.service_judges import ServiceJudges
from assay.adapters.service_sandbox import CodingSandbox
from assay.adapters.source_guard import SourcePolicy
from assay.adapters.store.service.coding_gradings import StoredCodingGradings
from assay.adapters.store.service.coding_runs import StoredCodingRuns
from assay.adapters.store.service.coding_tasks import StoredCodingTasks
from assay.adapters.store.service.judges import StoredJudges
from assay.adapters.store.service.scenarios import StoredScenarios
from assay.adapters.store.store import Store
from assay.engine.service.blobs import BlobStore
from assay.engine.service.coding_grading import grade_again, grade_coding_run, seed_coding_task
from assay.engine.service.coding_policy import CodingPolicy
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.work import Doer, Work, WorkKind


@dataclass(frozen=True, slots=True)
class CodingSetting:
    """What the operator says about coding runs: the sandbox, what scenarios may ask for, and a judge for all."""

    isolation: str = AUTO
    policy: CodingPolicy = field(default_factory=CodingPolicy)
    judge: bool = False


@dataclass(frozen=True, slots=True)
class CodingParts:
    """The parts, and the work that is done with them."""

    host: ServiceHost
    scenarios: StoredScenarios
    tasks: StoredCodingTasks
    runs: StoredCodingRuns
    gradings: StoredCodingGradings
    judges: StoredJudges
    asked: ServiceJudges
    sandbox: CodingSandbox
    policy: CodingPolicy
    grader: ServiceGrader

    def check_on(self) -> None:
        """Raises ``ConflictError`` if this server takes no coding runs."""
        if self.sandbox.refused is not None:
            raise ConflictError(f"this server takes no coding runs: {self.sandbox.refused}")

    def doers(self) -> Mapping[str, Doer]:
        """What is done here: nothing where no sandbox works, so that other machines do it."""
        if self.sandbox.why_not() is not None:
            return {}
        return {
            WorkKind.SEED_CODING_TASK.value: self.seed,
            WorkKind.GRADE_CODING_RUN.value: self.grade,
            WorkKind.GRADE_AGAIN.value: self.grade_again,
        }

    def seed(self, work: Work) -> None:
        seed_coding_task(self.tasks, self.grader, work.organisation, work.target, self.host.now)

    def grade(self, work: Work) -> None:
        grade_coding_run(self.runs, self.gradings, self.grader, work.organisation, work.target, self.host.now)

    def grade_again(self, work: Work) -> None:
        grade_again(self.runs, self.gradings, self.grader, work.organisation, work.target, self.host.now)


def coding_on(
    store: Store,
    host: ServiceHost,
    blobs: BlobStore,
    secrets: SecretBox,
    sources: SourcePolicy,
    setting: CodingSetting,
) -> CodingParts:
    """Coding runs on a store. Raises ``InputError`` for a setting that can't be used."""
    scenarios = StoredScenarios(store, host, blobs)
    tasks = StoredCodingTasks(store, host, blobs, scenarios)
    runs = StoredCodingRuns(store, host, blobs)
    judges = StoredJudges(store)
    sandbox = CodingSandbox(setting.isolation)
    asked = ServiceJudges(judges, secrets, sources, os.environ if setting.judge else None)
    return CodingParts(
        host=host,
        scenarios=scenarios,
        tasks=tasks,
        runs=runs,
        gradings=StoredCodingGradings(store, host, blobs, tasks, runs),
        judges=judges,
        asked=asked,
        sandbox=sandbox,
        policy=setting.policy,
        grader=ServiceGrader(sandbox, asked.of, host.now),
    )
