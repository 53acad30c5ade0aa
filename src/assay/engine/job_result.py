"""Write the result.json of a job, which is valid at every moment while the job runs."""

from collections.abc import Sequence

from assay.dialects.harbor import wire
from assay.dialects.harbor.job_config import metrics_for
from assay.dialects.harbor.job_stats import JobResult, job_stats
from assay.dialects.harbor.job_text import job_text
from assay.dialects.harbor.plan import in_planned_order
from assay.dialects.harbor.trial import Trial
from assay.engine.job_files import JobFiles
from assay.engine.job_plan import Planned
from assay.engine.job_ports import JobStore
from assay.engine.resume import Resumed
from assay.engine.site import Host


class ResultWriter:
    """Writes the result of one job."""

    def __init__(
        self, store: JobStore, host: Host, files: JobFiles, planned: Sequence[Planned], resumed: Resumed
    ) -> None:
        self._store = store
        self._host = host
        self._resumed = resumed
        self._n_total = len(planned)
        self._datasets = {one.source for one in planned if one.source}
        self._slots = [files.slot(one) for one in planned]

    def write(self, trials: Sequence[Trial], n_retries: int, n_running: int, finished: bool) -> None:
        now = wire.local(self._host.now())
        # In the same order as when the folder is read.
        ordered = in_planned_order(trials, self._slots).trials
        stats = job_stats(
            ordered,
            metrics_for(self._datasets),
            n_total=self._n_total,
            n_retries=n_retries,
            running=not finished,
        )
        stats.n_running_trials = n_running
        stats.n_pending_trials = max(stats.n_pending_trials - n_running, 0)
        times = (wire.local(self._resumed.started_at) or "", now, now if finished else None)
        self._store.write_result(job_text(JobResult(self._resumed.id, *times, self._n_total, stats)))
