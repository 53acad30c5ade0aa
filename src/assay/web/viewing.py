"""Open the pages of a job folder, or write them to one file."""

import os
from collections.abc import Sequence

from assay.adapters.run_view import RunView, read_run
from assay.engine.history import History
from assay.engine.job_view import view_job
from assay.engine.report import JobReport
from assay.web.job_pages import JobPages
from assay.web.local_server import LocalServer


def pages_of(report: JobReport, histories: Sequence[History], folder: str, base: str = "/") -> JobPages:
    """The pages of a job that was read from a folder."""
    known = {history.trial: history for history in histories}
    unusable = frozenset(
        history.trial
        for history in histories
        if any(not one.result.validity.output_parseable for one in history.first())
    )

    def read(name: str) -> RunView | None:
        place = os.path.join(folder, name)
        inside = os.path.dirname(os.path.abspath(place)) == os.path.abspath(folder)
        return read_run(place, known.get(name)) if inside and os.path.isdir(place) else RunView(name)

    return JobPages(view_job(report, unusable), read, base)


def serve(report: JobReport, histories: Sequence[History], folder: str, port: int) -> LocalServer:
    """A server of these pages that isn't running yet."""
    return LocalServer(lambda base: pages_of(report, histories, folder, base), port)
