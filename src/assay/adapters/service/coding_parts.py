"""Everything that coding runs of a service are kept and graded with, put together once."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from assay.adapters.sandbox import AUTO
from assay.adapters.service.coding import ServiceGrader
from assay.adapters.service.judges import ServiceJudges
from assay.adapters.service.sandbox import OFF, CodingSandbox
from assay.adapters.service.secret_box import SecretBox
from assay.adapters.sources.source_guard import GuardedClient
from assay.adapters.store.store import Store
from assay.adapters.tasks.remembered_commands import runs_of_store
from assay.engine.explorer.blobs import BlobStore
from assay.engine.service.coding_grading import CodingWork, grade_again, grade_coding_run, seed_coding_task
from assay.engine.service.coding_policy import CodingPolicy
from assay.engine.service.coding_runs import CodingGradings, CodingRuns
from assay.engine.service.coding_tasks import CodingTasks
from assay.engine.service.errors import ConflictError
from assay.engine.service.host import ServiceHost
from assay.engine.service.scenarios import Archives, OrganisationJudges, Scenarios, ScenarioVersions
from assay.engine.service.storage import Storage
from assay.engine.service.work import Doer, WorkKind


@dataclass(frozen=True, slots=True)
class CodingSetting:
    """The operator's settings for coding runs: the sandbox, what scenarios may ask for, a judge for all.

    Outputs that are sent are graded by the tasks in the folder ``graded_tasks``.
    """

    isolation: str = AUTO
    policy: CodingPolicy = field(default_factory=CodingPolicy)
    judge: bool = False
    graded_tasks: str | None = None


class CodingParts:
    """The parts, and the work that is done with them."""

    def __init__(
        self,
        store: Store,
        storage: Storage,
        host: ServiceHost,
        blobs: BlobStore,
        secrets: SecretBox,
        client: GuardedClient,
        setting: CodingSetting,
    ) -> None:
        """Raises ``InputError`` for a setting that can't be used."""
        self.host, self.policy = host, setting.policy
        self.archives = Archives(storage, host, blobs)
        self.versions = ScenarioVersions(storage, host)
        self.scenarios = Scenarios(self.versions)
        self.tasks = CodingTasks(self.scenarios, self.versions, blobs)
        self.runs = CodingRuns(self.tasks, blobs)
        self.gradings = CodingGradings(self.runs)
        self.judges = OrganisationJudges(storage)
        self.sandbox = CodingSandbox(setting.isolation)
        # Nothing is graded by a service that takes no coding runs.
        remembered = None if setting.isolation == OFF else runs_of_store(store.name)
        self.asked = ServiceJudges(self.judges, secrets, client, os.environ if setting.judge else None)
        self.grader = ServiceGrader(self.sandbox, self.asked.of, host.now, remembered)

    def check_on(self) -> None:
        """Raises ``ConflictError`` if this server takes no coding runs."""
        if self.sandbox.refused is not None:
            raise ConflictError(f"this server takes no coding runs: {self.sandbox.refused}")

    def doers(self) -> Mapping[str, Doer]:
        """The work done here: none where no sandbox works, so that other machines do it."""
        if self.sandbox.why_not() is not None:
            return {}
        return {kind.value: self._doer(do) for kind, do in _WORK.items()}

    def _doer(self, do: Callable[[CodingWork, str, str], None]) -> Doer:
        coding = CodingWork(self.policy, self.tasks, self.runs, self.gradings, self.grader, self.host.now)
        return lambda work: do(coding, work.organisation, work.target)


_WORK: Final = {
    WorkKind.SEED_CODING_TASK: seed_coding_task,
    WorkKind.GRADE_CODING_RUN: grade_coding_run,
    WorkKind.GRADE_AGAIN: grade_again,
}
