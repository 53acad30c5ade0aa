"""The pages of a job: one for the whole of it, one for each run, or all of them in a single file."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from markupsafe import Markup

from assay.adapters.run_view import RunView
from assay.engine.job_view import JobView, RunFilter, RunRow
from assay.engine.statistics_svg import pass_at_k_svg
from assay.web.rendering import picture, render, style

PAGE_SIZE = 200
RUNS_IN_ONE_FILE = 500
TITLE_LENGTH = 30

ReadRun = Callable[[str], RunView | None]


@dataclass(frozen=True, slots=True)
class JobPages:
    """Renders the pages of one job. ``base`` is the path that all addresses begin with."""

    view: JobView
    read_run: ReadRun
    base: str = "/"

    def job(self, query: Mapping[str, str]) -> str:
        """The page of the job, with the runs that the query asks for."""
        wanted = RunFilter(query.get("text", ""), query.get("state", ""), query.get("group", ""))
        start = int(query["start"]) if query.get("start", "").isdecimal() and len(query["start"]) < 9 else 0
        matching = [run for run in self.view.runs if wanted.takes(run)]
        shown = matching[start : start + PAGE_SIZE]
        more = None
        if start + PAGE_SIZE < len(matching):
            asked = {"text": wanted.text, "state": wanted.state, "group": wanted.group}
            more = f"{self.base}?{urlencode(asked | {'start': str(start + PAGE_SIZE)})}#runs"
        return self._job(shown, len(matching), wanted, more, self.address)

    def run(self, name: str) -> str | None:
        """The page of one run; None if the job has none of that name."""
        names = [run.row.trial for run in self.view.runs]
        if name not in names:
            return None
        run = self.read_run(name)
        if run is None:
            return None
        at = names.index(name)
        return render(
            "run.html",
            title=name,
            job=self.view.report.job,
            home=self.base,
            style_url=f"{self.base}style.css",
            run=run,
            row=self.view.runs[at],
            heading=False,
            before=self.address(names[at - 1]) if at else None,
            after=self.address(names[at + 1]) if at + 1 < len(names) else None,
        )

    def address(self, name: str) -> str:
        return f"{self.base}runs/{quote(name, safe='')}"

    def one_file(self) -> str:
        """Everything in a single file that needs nothing else."""
        shown = self.view.runs[:RUNS_IN_ONE_FILE]
        pages = list(self._bodies(shown))
        return self._job(shown, len(self.view.runs), None, None, _anchor, pages)

    def _bodies(self, shown: "tuple[RunRow, ...]") -> Iterator[dict[str, object]]:
        for row in shown:
            run = self.read_run(row.row.trial)
            if run is not None:
                body = Markup(render("run_body.html", run=run, row=row, heading=True))  # noqa: S704
                yield {"anchor": _anchor(row.row.trial)[1:], "body": body}

    def _job(
        self,
        shown: "list[RunRow] | tuple[RunRow, ...]",
        matching: int,
        wanted: RunFilter | None,
        more: str | None,
        link: Callable[[str], str],
        pages: list[dict[str, object]] | None = None,
    ) -> str:
        pictures = {
            group.key: picture(pass_at_k_svg(_short(group.key), group.intervals))
            for group in self.view.report.groups
            if group.intervals is not None and len(group.intervals.passes.at) > 1
        }
        return render(
            "job.html",
            title=self.view.report.job,
            home=None,
            home_url=self.base,
            style_url=f"{self.base}style.css" if wanted is not None else None,
            style=Markup(style()) if wanted is None else "",  # noqa: S704
            view=self.view,
            pictures=pictures,
            shown=shown,
            matching=matching,
            filter=wanted,
            more_url=more,
            link=link,
            run_pages=pages or [],
        )


def _short(name: str) -> str:
    """A name that fits into the title of a picture; the whole of it is above."""
    return name if len(name) <= TITLE_LENGTH else f"{name[:TITLE_LENGTH]}…"


def _anchor(name: str) -> str:
    return f"#run-{quote(name, safe='')}"
