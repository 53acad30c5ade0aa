"""The first page: what is worth a look, then all jobs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Final

from assay.core.errors import InputError
from assay.engine.explorer.page_source import groups_by, job_comparison
from assay.engine.explorer.worth import WorthItem, flaky_tasks, worth_a_look
from assay.engine.jobs.job_runs import moment_of
from assay.engine.service.errors import NotFoundError
from assay.web.pages.compare import sentence
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes

routes: PageRoutes[PageCall] = PageRoutes()
SEEN: Final = "assay_seen"
VISIT: Final = timedelta(minutes=30)
"""Somebody who was here less than that ago is still on the same visit."""
JOBS: Final = 25
COMPARED: Final = 4
MOST_RUNS: Final = 2000
"""The headlines of larger jobs come after the page."""


@routes.add("GET", "/", *READ, word="Home")
def show_home(call: PageCall) -> PageAnswer:
    """Show the runs worth a look, by kind, and the jobs."""
    jobs = groups_by(call.source, "job")
    now = datetime.now(UTC)
    last, before = (moment_of(one or None) for one in (call.seen.partition("~")[::2]))
    since = before if last is not None and now - last < VISIT else last
    page = call.page(
        "home.html",
        title="Home",
        worth=worth_a_look(call.source, since),
        address=_address(call),
        jobs=jobs[:JOBS],
        more=len(jobs) - JOBS,
        sentences=_comparison(call, [str(job["value"]) for job in jobs if job["runs"] <= MOST_RUNS], len(jobs)),
    )
    kept = f"{SEEN}={now.isoformat()}~{since.isoformat() if since else ''}"
    return PageAnswer(
        page.body, headers={"Set-Cookie": f"{kept}; Path={call.site.base}; HttpOnly; SameSite=Strict"}
    )


def _address(call: PageCall) -> Callable[[WorthItem], str]:
    site = call.site
    return lambda item: site.run(item.run) if item.run else site.to("runs", {"job": item.job, "task": item.name})


def _comparison(call: PageCall, names: list[str], count: int) -> list[str]:
    """Of folders that somebody opened together: which is better."""
    if not call.site.name or not 1 < count <= COMPARED or len(names) < count:
        return []
    try:
        pairs = job_comparison(call.source, names).pairs
        return [sentence(pair) for pair in pairs if pair.difference.value is not None]
    except (InputError, NotFoundError):
        return []


@routes.add("GET", "/flaky", *READ)
def show_flaky(call: PageCall) -> PageAnswer:
    """The tasks that are passed sometimes, which the first page asks for when it is there."""
    found = flaky_tasks(call.source)
    return call.page(
        "flaky_part.html" if call.partial else "flaky.html", title="Flaky", worth=[found], address=_address(call)
    )


@routes.add("GET", "/jobs/{name}/headline", *READ)
def show_headline(call: PageCall) -> PageAnswer:
    """The mean of a job with its interval, for its line on the first page."""
    return call.page("headline.html", title="", report=call.source.job(call.path["name"]).report)
