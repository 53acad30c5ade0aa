"""The page that shows what all other pages are made of."""

from types import SimpleNamespace

from assay.evidence.run import Run, State
from assay.stats.interval import CantSay, Interval
from assay.stats.pictures import Point, curve
from assay.web.rendering import picture
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes

routes: PageRoutes[PageCall] = PageRoutes()
STATES = (
    ("PASS", "FAIL", "N/A", "ERROR", "advisory", "unparseable"),
    tuple(state.value for state in State),
    ("always", "flaky", "never", "unknown"),
    ("supported", "contradicted", "unverifiable"),
    ("completed", "running", "pending", "cancelled", "calibrated", "uncalibrated"),
)

COLOURS = (
    ("passed", "is-passed"),
    ("failed", "is-failed"),
    ("warned", "is-odd"),
    ("broken", "is-broken"),
    ("open", "is-running"),
    ("nothing", ""),
)


@routes.add("GET", "/parts", *READ)
def show_parts(call: PageCall) -> PageAnswer:
    """Show the parts of pages."""
    rows = [
        SimpleNamespace(path="status", expected="booked", actual="booked", passed=True),
        SimpleNamespace(path="patient.mrn", expected="00412", actual="412", passed=False),
    ]
    points = [Point(f"k={k}", 1 - 0.6 / k, Interval(0.3, 0.9, 0.95, "example")) for k in range(1, 5)]
    return call.page(
        "parts.html",
        title="Parts of the pages",
        states=STATES,
        meanings_of=COLOURS,
        rows=rows,
        attempts=[Run(job="", id=state, name=state, task="", state=state) for state in State],
        intervals=(Interval(0.25, 0.5, 0.95, "example"), CantSay("there is only one task")),
        chart=picture(curve("pass@k of an agent, 95 % band over tasks", points)),
    )
