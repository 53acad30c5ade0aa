"""What ``assay judge`` prints for people."""

from collections.abc import Iterator, Sequence

from assay.cli.judge_card import card
from assay.cli.table import clean, render_table, some_of
from assay.dialects.scorers.calibration_record import CalibrationRecord, Measure
from assay.dialects.scorers.judge_record import JudgeVerdict
from assay.engine.judge_gates import Gates
from assay.engine.judge_stability import Flips, Stability
from assay.engine.judge_stored import Done, changes
from assay.formats.counting import counted

REASON = 70


def done_text(done: Sequence[Done], *, again: bool, whole: bool) -> str:
    """A row for each run, what changed, and how far to trust it."""
    return "\n".join(_done_lines(done, again, whole))


def _done_lines(done: Sequence[Done], again: bool, whole: bool) -> Iterator[str]:
    header = ["run", "verdict", *(["before"] if again else []), "completion", "adherence", "efficiency", ""]
    yield render_table(header, [_row(one, again) for one in done])
    if whole:
        for one in done:
            if one.verdict is not None:
                yield f"\n{clean(one.place)}"
                yield from card(one.verdict)
    if again:
        changed = changes(done)
        compared = sum(one.verdict is not None and one.before is not None for one in done)
        yield ""
        yield f"changed  {counted(sum(map(len, changed.values())), 'verdict')} of {compared}"
        for way, places in changed.items():
            yield f"         {way}: {clean(some_of(places))}"
    yield from _trust([one.verdict for one in done if one.verdict is not None])


def _row(done: Done, again: bool) -> list[str]:
    before = [done.before.state if done.before is not None else ""] if again else []
    if done.verdict is None:
        return [done.place, "", *before, "", "", "", f"not judged: {done.skipped}"]
    opinion = done.verdict.opinion
    ratings = opinion.ratings
    told = [] if ratings is None else [ratings.task_completion, ratings.instruction_adherence, ratings.efficiency]
    more = opinion.failure_mode or opinion.reason or ("inconsistent" if opinion.inconsistent else "")
    return [done.place, opinion.state, *before, *(f"{one:g}" for one in told or ()), *([] if told else [""] * 3),
            more if len(more) <= REASON else f"{more[: REASON - 1]}…"]  # fmt: skip


def _trust(verdicts: Sequence[JudgeVerdict]) -> Iterator[str]:
    doubts = list(dict.fromkeys(why for one in verdicts for why in one.uncalibrated_because))
    if doubts:
        yield ""
        yield f"The judge is uncalibrated: {clean('; '.join(doubts))}."


def gates_text(gates: Gates, shown: int) -> str:
    """The two-by-two, and the runs behind each cell."""
    cells = gates.cells
    words = [f"{len(places)} {name}" for name, places in cells.items()]
    table = [["checks PASS", *words[:2]], ["checks FAIL", *words[2:]]]
    lines = [render_table(["", "judge PASS", "judge FAIL"], table), ""]
    for name, places in (*cells.items(), *gates.left_out.items()):
        if places:
            lines.append(f"{name}: {clean(some_of(places, shown))}")
    if gates.uncalibrated:
        lines += ["", f"The judge is uncalibrated in {counted(gates.uncalibrated, 'run')}."]
    return "\n".join(lines)


def stability_text(found: Stability, times: int) -> str:
    """How often verdicts flip, by form."""
    rows = [_flips_row(form, one) for form, one in found.by_form.items()]
    lines = [render_table(["form", "verdicts", "flipped", "share", "unparseable"], rows, right=True)]
    lines += [
        "",
        f"{counted(times, 'time')} each; {_flips_row('in all', found.overall)[3] or 'no'} of verdicts flip",
    ]
    if found.unstable:
        lines.append(f"unstable: {clean(some_of(found.unstable))}")
    return "\n".join(lines)


def _flips_row(form: str, flips: Flips) -> list[str]:
    share = "" if flips.share is None else f"{flips.share:.1%}"
    return [form, str(flips.verdicts), str(flips.flipped), share, str(flips.unparseable)]


def calibration_text(record: CalibrationRecord) -> str:
    """Confusion, agreement, the corrected rate, and what is missing."""
    return "\n".join(_calibration_lines(record))


def _calibration_lines(record: CalibrationRecord) -> Iterator[str]:
    who = f"{', '.join(record.models)} with {record.prompt}"
    people = counted(len(record.annotators), "annotator")
    yield f"{clean(who)}, against {people} on {counted(record.cases, 'case')}"
    yield ""
    judge = ["judge PASS", "judge FAIL"]
    rows = [[name, *(str(row[column]) for column in judge)] for name, row in record.confusion.items()]
    yield render_table(["", *judge], rows, right=True)
    yield ""
    measures = [*record.measures, *record.ratings]
    yield render_table(["measure", "value", "95 % interval", "items"], [_measure(one) for one in measures])
    if record.by_failure_mode:
        yield ""
        rows = [
            [one.failure_mode, str(one.runs), str(one.judge_failed), f"{one.low:.3f} to {one.high:.3f}"]
            for one in record.by_failure_mode
        ]
        yield render_table(["failure_mode", "runs", "judge FAIL", "95 % interval of the share"], rows)
    yield ""
    if record.reported is not None and record.corrected is not None:
        _, value, interval, items = _measure(record.corrected)
        told = f"{value} ({interval})" if record.corrected.value is not None else interval
        yield f"pass rate  {record.reported:.3f} by the judge on {items} runs, corrected for its mistakes: {told}"
    if record.unmet:
        yield "uncalibrated, because:"
        yield from (f"  {clean(reason)}" for reason in record.unmet)
    else:
        yield "calibrated: all conditions are met"


def _measure(one: Measure) -> list[str]:
    value = "" if one.value is None else f"{one.value:.3f}"
    interval = one.reason or "" if one.low is None or one.high is None else f"{one.low:.3f} to {one.high:.3f}"
    return [one.name, value, interval, str(one.items)]
