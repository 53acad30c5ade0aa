"""Everything that is in some folders as a single file that needs nothing else: no server and no script."""

import base64
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from markupsafe import Markup

from assay.adapters.jobs.folder_pages import FolderPages
from assay.engine.explorer.blobs import DIFF, VERIFIER_OUTPUT
from assay.engine.explorer.job_view import task_strips
from assay.engine.explorer.page_source import RunDetail, newest_comparisons
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.trace_outline import has_error
from assay.engine.explorer.trace_page import TraceQuery
from assay.engine.explorer.worth import flaky_tasks, worth_a_look
from assay.engine.service.keys import Scope
from assay.formats.diff_pages import diff_page
from assay.web.pages.compare import answers, comparison_chart
from assay.web.pages.jobs import shown_job
from assay.web.pages.run import RunView, named_steps, printed_by, shown_end
from assay.web.pages.trace import TraceView
from assay.web.rendering import render, style
from assay.web.routing import PageCall
from assay.web.site import Site, Viewer

MOST_RUNS: Final = 500
MOST_PARTS: Final = 5
MOST_TRIALS: Final = 10**5
"""Larger jobs aren't compared."""


@dataclass(frozen=True, slots=True)
class FilePart:
    """A run with everything that the file shows of it."""

    anchor: str
    view: RunView
    parts: tuple[TraceView, ...]
    diff: Any
    outputs: Sequence[dict[str, Any]]

    @property
    def wrong(self) -> str:
        """Where the run went wrong: a step that is named, or the first error; "" if neither is in the file."""
        named = named_steps(self.view)
        steps = [(trace, step) for trace in self.parts for step in trace.part.steps]
        found = [trace.step(step.number) for trace, step in steps if step.number in named]
        return next(iter(found or [trace.step(step.number) for trace, step in steps if has_error(step)]), "")


def one_file(source: FolderPages) -> str:
    """The file."""
    look = style()
    digest = base64.b64encode(hashlib.sha256(look.encode()).digest()).decode()
    shown = list(source.lists.every_line(RunQuery(sort="created_at")))
    runs = list(_runs(source, [line.id for line in shown[:MOST_RUNS]]))
    written = {run.view.detail.line.id: run for run in runs}
    compared = newest_comparisons(source, MOST_TRIALS, MOST_RUNS)
    return render(
        "file.html",
        title=source.title,
        style=Markup(look),  # noqa: S704 - our own stylesheet
        policy=f"default-src 'none'; style-src 'sha256-{digest}'",
        jobs=[(name, shown_job(source.job(name), source.audits(name))) for name in source.job_names],
        strips_of=lambda report: list(task_strips(report.runs)),
        comparisons=[(one, answers(one), comparison_chart(one)) for one in compared],
        worth=[group for group in (*worth_a_look(source), flaky_tasks(source)) if group.items],
        runs=runs,
        left_out=max(0, len(shown) - MOST_RUNS),
        anchor=lambda identity: f"#{_anchor(identity)}" if identity in written else "#runs",
        wrong=lambda item: written[item.run].wrong if item.run in written else "",
        job_anchor=lambda name: f"job-{quote(name, safe='')}",
    )


def _runs(source: FolderPages, shown: list[str]) -> Iterator[FilePart]:
    call = PageCall(site=Site("#"), viewer=Viewer(Scope.READER), reads=source)
    for number, identity in enumerate(shown):
        detail = source.run(identity)
        diff, verifier = source.file(identity, DIFF), source.file(identity, VERIFIER_OUTPUT)
        outputs = [*printed_by(source, detail)]
        yield FilePart(
            _anchor(identity),
            RunView(detail, call),
            tuple(part for turn in detail.turns for part in _parts(source, detail, turn, f"{number}-{turn}-")),
            None if diff is None else diff_page(diff),
            [*outputs, shown_end("Verifier output", verifier)] if verifier is not None else outputs,
        )


def _parts(source: FolderPages, detail: RunDetail, turn: str, prefix: str) -> Iterator[TraceView]:
    """The beginning of a trace, as much as can be sent to somebody."""
    place: str | None = ""
    for _ in range(MOST_PARTS):
        found = None if place is None else source.trace(detail.line.id, turn, TraceQuery(place=place))
        if found is None:
            return
        yield TraceView(found, TraceQuery(), turn, prefix=quote(prefix, safe=""))
        place = found.next


def _anchor(identity: str) -> str:
    return f"run-{quote(identity, safe='')}"
