"""The pages of jobs: all of them, and one with its numbers, their denominators, and its tasks."""

from collections.abc import Callable, Sequence
from typing import Any, Final
from urllib.parse import urlencode

from assay.engine.explorer.job_view import JobView, TaskStrip
from assay.engine.explorer.page_source import PageSource, groups_by
from assay.engine.report.audit import Audit
from assay.engine.report.audit_rewards import Standing
from assay.engine.report.charts import pass_at_k_svg
from assay.web.rendering import picture
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.site import Site

routes: PageRoutes[PageCall] = PageRoutes()
TITLE_LENGTH: Final = 30
STRIPS: Final = 50
AUDITED_AT_ONCE: Final = 500
KINDS: Final = ("flaky", "never", "always", "unknown")


@routes.add("GET", "/jobs", *READ, word="Jobs")
def list_jobs(call: PageCall) -> PageAnswer:
    """All jobs."""
    return call.page("jobs.html", title="Jobs", jobs=groups_by(call.source, "job"))


@routes.add("GET", "/jobs/{name}", *READ)
def show_job(call: PageCall) -> PageAnswer:
    """One job."""
    name = call.path["name"]
    view = call.source.job(name)
    kind = call.query.get("kind")
    strips = [strip for strip in view.strips if kind in ("", strip.kind)]
    start = call.query.whole("start")
    return call.page(
        "job.html",
        title=name,
        name=name,
        kinds=[(one, sum(strip.kind == one for strip in view.strips)) for one in KINDS],
        kind=kind,
        **shown_job(view, call.source.audits(name) if len(view.report.runs) <= AUDITED_AT_ONCE else None),
        audit_at=None if len(view.report.runs) <= AUDITED_AT_ONCE else f"{call.site.job(name)}/audit",
        strips=strips[start : start + STRIPS],
        matching=len(strips),
        more=call.site.job(name) + f"?kind={kind}&start={start + STRIPS}#tasks"
        if start + STRIPS < len(strips)
        else None,
        link=run_links(call.site, call.source, name),
    )


@routes.add("GET", "/jobs/{name}/audit", *READ)
def audit_job(call: PageCall) -> PageAnswer:
    """Whether the record of a job follows from its trials, which takes a while for a large one."""
    name = call.path["name"]
    audits = call.source.audits(name)
    template = "audit_part.html" if call.partial else "audit.html"
    return call.page(template, title=f"Audit of {name}", audits=audits, differing=differing)


def shown_job(view: JobView, audits: Sequence[Audit] | None) -> dict[str, Any]:
    """The common content of a job's page and file."""
    report = view.report
    pictures = {
        group.key: picture(pass_at_k_svg(_short(group.key), group.intervals))
        for group in report.groups
        if group.intervals is not None and len(group.intervals.passes.at) > 1
    }
    return {"view": view, "report": report, "pictures": pictures, "audits": audits, "differing": differing}


def differing(audit: Audit) -> list[Any]:
    """Findings that differ from the trials."""
    return [one for one in audit.findings if one.standing is Standing.DIFFERS]


def run_links(site: Site, source: PageSource, job: str) -> Callable[[str], str]:
    """The addresses of the trials of a job, in the list of its runs."""
    within, known = urlencode({"job": job}), source.run_ids(job)
    return lambda name: site.run(known.get(name, name), {"list": within})


def strips_of(view: JobView, group: str) -> dict[str, TaskStrip]:
    """The strips of one group, by task."""
    return {strip.task: strip for strip in view.strips if strip.group == group}


def _short(name: str) -> str:
    """A name that fits into the title of a picture; the whole of it is above."""
    return name if len(name) <= TITLE_LENGTH else f"{name[:TITLE_LENGTH]}…"
