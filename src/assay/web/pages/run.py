"""The page of one run: its gates, its trace, its diff, its output, and everything that it rests on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from assay.core.errors import InputError
from assay.dialects.scorers.report import (
    JudgeState,
    OverallVerdict,
    RowVerdict,
    ScorersReport,
    explain_disagreement,
    explain_judge,
)
from assay.engine.explorer.blobs import LOG, OUTPUT_KINDS, STDOUT, VERIFIER_OUTPUT
from assay.engine.explorer.page_source import Neighbours, PageSource, RunDetail
from assay.engine.explorer.run_query import RunQuery
from assay.engine.explorer.trace_page import TracePart, TraceQuery
from assay.engine.explorer.why import why
from assay.engine.service.errors import NotFoundError
from assay.evidence.files import ByteSource, tail
from assay.formats.diff_pages import DiffPage, diff_page
from assay.web.pages.trace import TraceView, read_trace
from assay.web.routing import READ, PageAnswer, PageCall, PageRoutes
from assay.web.run_list import asked_of

routes: PageRoutes[PageCall] = PageRoutes()
TABS: Final = {
    "trace": "Agent Trace",
    "diff": "Diff",
    "output": "Output",
    "gradings": "Gradings",
    "reviews": "Reviews",
    "provenance": "Provenance",
}
OUTPUT: Final = 64 * 1024
MOST_FILES: Final = 300


@dataclass(frozen=True, slots=True)
class RunView:
    """A run and the way to its pages. ``judge`` is what was said last."""

    detail: RunDetail
    call: PageCall

    @property
    def report(self) -> ScorersReport | None:
        return self.detail.reports[-1][1] if self.detail.reports else None

    @property
    def judge(self) -> Any:
        """The judge's last verdict; None if there is none, or if only its state is known here."""
        known = self.detail.judged or (None if self.report is None else self.report.judge.verdict)
        return known if known is None or known.state == self.judge_state else None

    @property
    def judge_state(self) -> str | None:
        """The judge's gate as it decided, whichever record of the judge is here."""
        return self.detail.line.judge

    @property
    def judge_words(self) -> str | None:
        """The same in words, with the reason where there is no verdict."""
        state, report = self.judge_state, self.report
        return state if state is None or report is None else explain_judge(JudgeState(state), report.run.status)

    @property
    def disagreement(self) -> str | None:
        """The document's sentence, also if the judge was asked again after the scoring."""
        report = self.report
        if report is None or report.overall is None:
            return None
        if self.judge_state is None:
            return report.disagreement
        warned = any(row.advisory and row.verdict is RowVerdict.FAIL for row in report.scorers)
        return explain_disagreement(OverallVerdict(report.overall.verdict), JudgeState(self.judge_state), warned)

    @property
    def because(self) -> str:
        """Why it came to that, in one sentence."""
        return why(self.detail.line, self.report)

    def to(self, **query: object) -> str:
        """The address of this page with other parameters. The list that the run is in stays."""
        kept = {"list": self.call.query.get("list"), **query}
        return self.call.site.run(self.detail.line.id, kept)


@routes.add("GET", "/runs/{id}", *READ)
def show_run(call: PageCall) -> PageAnswer:
    """One run."""
    view = RunView(call.source.run(call.path["id"]), call)
    tab = call.query.get("tab", "trace")
    tab = tab if tab in TABS else "trace"
    beside = _neighbours(call, view.detail.line.id)
    return call.page(
        "run.html",
        title=view.detail.line.name,
        view=view,
        line=view.detail.line,
        tab=tab,
        tabs=[(word, view.to(tab=key), key, _count(view.detail, key)) for key, word in TABS.items()],
        beside=beside,
        before=_address(call, beside.before, tab),
        after=_address(call, beside.after, tab),
        **(_CONTENT[tab](call, view) if tab in _CONTENT else {}),
    )


@routes.add("GET", "/runs/{id}/steps", *READ)
def show_steps(call: PageCall) -> PageAnswer:
    """More steps of a trace, without the rest of the page."""
    view = RunView(call.source.run(call.path["id"]), call)
    trace = _trace(call, view)
    if trace["trace"] is None:
        raise NotFoundError("there is no trace of this run")
    return call.page("steps.html", title="", view=view, **trace)


@routes.add("GET", "/runs/{id}/wrong", *READ)
def show_what_went_wrong(call: PageCall) -> PageAnswer:
    """On to where a run went wrong."""
    view = RunView(call.source.run(call.path["id"]), call)
    return call.go(_where_wrong(call, view))


def _where_wrong(call: PageCall, view: RunView) -> str:
    """The address of what a scorer or a monitor names, of the judge's FAIL, or of the first error in the trace."""
    steps, turns, identity = named_steps(view), view.detail.turns, view.detail.line.id
    if steps:
        return TraceView(TracePart(()), TraceQuery(), turns[0], view.to).link(steps[0])
    if _findings(view.report) and call.source.file(identity, "diff") is not None:
        return f"{view.to(tab='diff')}#first-finding"
    if view.judge is not None and view.judge_state == JudgeState.FAIL.value:
        return f"{view.to()}#judge"
    for turn in turns:
        part = call.source.trace(identity, turn, TraceQuery(errors=True))
        if part is not None and part.steps:
            return TraceView(part, TraceQuery(), turn, view.to).link(part.steps[0].number)
    return f"{view.to()}#trace"


def _address(call: PageCall, identity: str | None, tab: str) -> str | None:
    return None if identity is None else call.site.run(identity, {"tab": tab, "list": call.query.get("list")})


def _trace(call: PageCall, view: RunView) -> dict[str, Any]:
    return {**asked_and_answered(view, read_trace(call, view.detail, view.to)), "findings": named_steps(view)}


def asked_and_answered(view: RunView, trace: TraceView | None) -> dict[str, Any]:
    """A trace with the instruction and the final answer, which it may have where no file of their own does."""
    answer = next((text for text in reversed(view.detail.responses) if text), "")
    return {
        "trace": trace,
        "instruction": view.detail.instruction or ("" if trace is None else trace.part.request),
        "answer": answer or ("" if trace is None else trace.part.answer),
    }


def named_steps(view: RunView) -> list[int]:
    """The steps that a monitor or a scorer names. A scorer counts the steps of all turns together."""
    monitor = None if view.judge is None else view.judge.monitor
    named = [] if monitor is None else [one.step for one in monitor.places if one.step]
    rows = () if view.report is None or len(view.detail.turns) > 1 else view.report.scorers
    named += [
        str(one.get("step")) for row in rows for one in row.evidence.get("findings", ()) if isinstance(one, dict)
    ]
    return sorted({int(one) for one in named if one.isascii() and one.isdecimal() and len(one) < 8})


def _neighbours(call: PageCall, identity: str) -> Neighbours:
    try:
        asked = asked_of(call.query.get("list"))
    except InputError:
        asked = RunQuery()
    return call.source.lists.neighbours(asked, identity)


def _count(detail: RunDetail, tab: str) -> int | None:
    if tab == "gradings":
        return len(detail.gradings) + len(detail.reports) or None
    return (len(detail.annotations) or None) if tab == "reviews" else None


def _diff(call: PageCall, view: RunView) -> dict[str, Any]:
    source = call.source.file(view.detail.line.id, "diff")
    if source is None:
        return {"diff": None}
    page = diff_page(source, call.query.whole("file"), call.query.whole("line"))
    following = None if page.next is None else view.to(tab="diff", file=page.next[0], line=page.next[1])
    found = _findings(view.report)
    elsewhere = _elsewhere(found, page)
    return {
        "diff": page,
        "files": page.files[:MOST_FILES],
        "found": found,
        "elsewhere": elsewhere,
        "following": following,
        "size": source.size,
    }


Findings = Mapping[tuple[str, int], Sequence[tuple[str, Mapping[str, Any]]]]


def _findings(report: ScorersReport | None) -> dict[tuple[str, int], list[tuple[str, Mapping[str, Any]]]]:
    """Scorers' findings, by path and line of the changed file; line 0 is the file as a whole."""
    found: dict[tuple[str, int], list[tuple[str, Mapping[str, Any]]]] = {}
    for row in () if report is None else report.scorers:
        for one in row.evidence.get("findings", ()):
            if isinstance(one, dict) and isinstance(one.get("path"), str):
                line = one.get("line")
                place = (one["path"], line if isinstance(line, int) else 0)
                found.setdefault(place, []).append((row.name, one))
    return found


def _elsewhere(found: Findings, page: DiffPage) -> list[tuple[str, Mapping[str, Any]]]:
    """Findings in shown files whose line isn't shown."""
    paths = {line.path for line in page.lines}
    shown = {(line.path, line.new) for line in page.lines if line.kind != "removed"}
    return [one for place, some in found.items() if place[0] in paths and place not in shown for one in some]


def _output(call: PageCall, view: RunView) -> dict[str, Any]:
    source = call.source.file(view.detail.line.id, VERIFIER_OUTPUT)
    responses = [
        (turn, text) for turn, text in zip(view.detail.turns, view.detail.responses, strict=False) if text
    ]
    if not responses:
        part = call.source.trace(view.detail.line.id, next(iter(view.detail.turns), ""), TraceQuery())
        responses = [("", part.answer)] if part is not None and part.answer else []
    verifier = None if source is None else shown_end("", source)
    return {"responses": responses, "verifier": verifier, "printed": list(printed_by(call.source, view.detail))}


def printed_by(source: PageSource, run: RunDetail) -> Iterator[dict[str, Any]]:
    """The output of the agent: in each turn its two streams, or both in one where that is all there is."""
    for turn in run.turns:
        before = f"{turn}/" if turn else ""
        files = ((kind, source.file(run.line.id, f"{before}{kind}")) for kind in OUTPUT_KINDS)
        there = {kind: found for kind, found in files if found is not None and found.size}
        for kind, found in there.items():
            if kind != LOG or STDOUT not in there:
                yield shown_end(before + kind.replace(LOG, "stdout and stderr"), found)


def shown_end(title: str, source: ByteSource) -> dict[str, Any]:
    """The end of a file, and how much of it isn't shown."""
    text = tail(source, OUTPUT).decode(errors="replace")
    return {"title": title, "text": text, "cut": max(0, source.size - OUTPUT)}


_CONTENT: Final = {"trace": _trace, "diff": _diff, "output": _output}
