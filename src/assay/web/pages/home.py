"""The first page: what is worth a look, then all jobs."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from assay.engine.explorer.page_source import groups_by, newest_comparisons
from assay.engine.explorer.worth import WorthItem, flaky_tasks, worth_a_look
from assay.engine.jobs.job_runs import moment_of
from assay.web.pages.compare import answers
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes

routes: PageRoutes[PageCall] = PageRoutes()
SEEN: Final = "assay_seen"
VISIT: Final = timedelta(minutes=30)
"""Somebody who was here less than that ago is still on the same visit."""
JOBS: Final = 25
ANSWERS: Final = 3


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
    )
    kept = f"{SEEN}={now.isoformat()}~{since.isoformat() if since else ''}"
    return PageAnswer(
        page.body, headers={"Set-Cookie": f"{kept}; Path={call.site.base}; HttpOnly; SameSite=Strict"}
    )


def _address(call: PageCall) -> Callable[[WorthItem], str]:
    site = call.site
    return lambda item: site.run(item.run) if item.run else site.to("runs", {"job": item.job, "task": item.name})


@routes.add("GET", "/newest", *READ)
def show_newest(call: PageCall) -> PageAnswer:
    """Say which of the newest jobs is better, which the first page asks for when it is there."""
    found = [(answers(one), one.jobs) for one in islice(newest_comparisons(call.source), ANSWERS)]
    return call.page("newest.html", title="The newest jobs compared", found=found)


@routes.add("GET", "/flaky", *READ)
def show_flaky(call: PageCall) -> PageAnswer:
    """The tasks that are passed sometimes, which the first page asks for when it is there."""
    found = flaky_tasks(call.source)
    return call.page("flaky.html", title="Flaky", worth=[found], address=_address(call))


@routes.add("GET", "/jobs/{name}/headline", *READ)
def show_headline(call: PageCall) -> PageAnswer:
    """The mean of a job with its interval, for its line on the first page."""
    return call.page("headline.html", title="", report=call.source.job(call.path["name"]))
