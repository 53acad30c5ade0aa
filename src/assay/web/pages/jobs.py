"""The pages of jobs: all of them, and one with its numbers, their denominators, and its tasks."""

from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Any, Final
from urllib.parse import urlencode

from assay.engine.explorer.job_view import TaskStrip, task_strips
from assay.engine.explorer.page_source import groups_by
from assay.engine.report.audit import Audit
from assay.engine.report.charts import pass_at_k_svg
from assay.engine.report.report import JobReport
from assay.web.rendering import picture
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.site import Site
from assay.web.visible_text import visible

routes: PageRoutes[PageCall] = PageRoutes()
TITLE_LENGTH: Final = 30
STRIPS: Final = 25
JOBS: Final = 50
AUDITED_AT_ONCE: Final = 500
KINDS: Final = ("flaky", "never", "always", "unknown")
SORTS: Final[Mapping[str, Callable[[TaskStrip], Any]]] = {
    "task": lambda strip: strip.task,
    "runs": lambda strip: len(strip.runs),
    "mean": lambda strip: strip.mean,
    "cost": lambda strip: strip.cost_usd,
    "time": lambda strip: strip.seconds,
}
REWARD: Final = "reward."
MOST_KEYS: Final = 8


@routes.add("GET", "/jobs", *READ, word="Jobs")
def list_jobs(call: PageCall) -> PageAnswer:
    """All jobs, some at a time."""
    jobs, start = groups_by(call.source, "job"), call.query.whole("start")
    return call.page(
        "jobs.html",
        title="Jobs",
        jobs=jobs[start : start + JOBS],
        total=len(jobs),
        before=call.site.to("jobs", {"start": max(0, start - JOBS)}) if start else None,
        after=call.site.to("jobs", {"start": start + JOBS}) if start + JOBS < len(jobs) else None,
    )


@routes.add("GET", "/jobs/{name}", *READ)
def show_job(call: PageCall) -> PageAnswer:
    """One job."""
    name = call.path["name"]
    report = call.source.job(name)
    every = list(task_strips(report.runs))
    kind, sort, start = call.query.get("kind"), call.query.get("sort", "task"), call.query.whole("start")
    strips = _in_order([strip for strip in every if kind in ("", strip.kind)], sort)

    def tasks(**query: object) -> str:
        return call.site.job(name, {"kind": kind, "sort": sort} | query) + "#tasks"

    small = len(report.runs) <= AUDITED_AT_ONCE
    shown = shown_job(report, call.source.audits(name) if small else None)
    return call.page(
        "job.html",
        title=name,
        name=name,
        kinds=[(one, sum(strip.kind == one for strip in every)) for one in KINDS],
        kind=kind,
        **shown,
        audit_at=None if small else f"{call.site.job(name)}/audit",
        strips=strips[start : start + STRIPS],
        matching=len(strips),
        before=tasks(start=max(0, start - STRIPS)) if start else None,
        after=tasks(start=start + STRIPS) if start + STRIPS < len(strips) else None,
        heads=_heads(shown["keys"], sort, tasks),
        link=run_link(call.site, name),
        runs_at=lambda **asked: call.site.to("runs", {"job": name, **asked}),
    )


def _heads(keys: Sequence[str], sort: str, tasks: Callable[..., str]) -> list[tuple[str, str, str, str]]:
    """The heads of the tasks' table, each of which sorts; once more, the other way round."""

    def head(word: str, by: str) -> tuple[str, str, str, str]:
        how = {by: "ascending", f"-{by}": "descending"}.get(sort, "")
        return word, "" if by in ("task", "runs") else "number", tasks(sort=f"-{by}" if sort == by else by), how

    plain = [("passed", "number", "", "")]
    rewards = [head(visible(key), f"{REWARD}{key}") for key in keys]
    interval = [("95 % of passed", "", "", "")]
    ends = [head("cost of a run", "cost"), head("time of a run", "time")]
    return [head("task", "task"), head("runs", "runs"), *plain, head("mean", "mean"), *rewards, *interval, *ends]


def _in_order(strips: list[TaskStrip], sort: str) -> list[TaskStrip]:
    """By a column; those without a value come last."""
    by = sort.removeprefix("-")
    value = SORTS.get(by, SORTS["task"])
    if by.startswith(REWARD):
        key = by.removeprefix(REWARD)

        def value(strip: TaskStrip) -> float | None:
            return strip.reward(key)

    known = [(value(strip), strip) for strip in strips]
    ordered = sorted((one for one in known if one[0] is not None), key=itemgetter(0), reverse=sort.startswith("-"))
    return [strip for _, strip in (*ordered, *(one for one in known if one[0] is None))]


@routes.add("GET", "/jobs/{name}/audit", *READ)
def audit_job(call: PageCall) -> PageAnswer:
    """Whether the record of a job follows from its trials, which takes a while for a large one."""
    name = call.path["name"]
    return call.page("audit.html", title=f"Audit of {name}", audits=call.source.audits(name))


def shown_job(report: JobReport, audits: Sequence[Audit] | None) -> dict[str, Any]:
    """The common content of a job's page and file."""
    pictures = {
        group.key: picture(pass_at_k_svg(_short(group.key), group.intervals))
        for group in report.groups
        if group.intervals is not None and len(group.intervals.passes.at) > 2
    }
    keys = list(dict.fromkeys(one.key for group in report.groups for one in group.keys))
    return {"report": report, "pictures": pictures, "audits": audits, "keys": keys[:MOST_KEYS]}


def run_link(site: Site, job: str) -> Callable[[str], str]:
    """The addresses of the runs of a job, in the list of them."""
    within = {"list": urlencode({"job": job})}
    return lambda identity: site.run(identity, within)


def _short(name: str) -> str:
    """A name that fits into the title of a picture; the whole of it is above."""
    return name if len(name) <= TITLE_LENGTH else f"{name[:TITLE_LENGTH]}…"
