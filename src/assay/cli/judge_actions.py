"""The actions of ``assay judge``."""

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import UTC, datetime

from assay.adapters.jobs.judge_trust_file import labels_beside, labels_in
from assay.adapters.jobs.run_store import LocalCases, run_folders
from assay.adapters.machine.atomic_write import write_text
from assay.adapters.models.judge_setup import ConfiguredJudges
from assay.cli.options.judge import judge_options
from assay.cli.output.score_table import card
from assay.cli.output.table import clean, render_table, some_of
from assay.core.errors import InputError
from assay.dialects.scorers.calibration_record import CalibrationRecord, Measure
from assay.dialects.scorers.report import JudgeVerdict
from assay.formats.counting import counted
from assay.judge.calibration import Flips, Readiness, Stability, of_monitor, stability
from assay.judge.calibration import calibrate as compare
from assay.judge.judge_stored import Done, GateTable, changes, gates_of, judge_stored


def judge_runs(args: argparse.Namespace) -> int:
    """Judge stored runs, with ``again`` also those that have a verdict."""
    places, options = run_folders(args.runs), judge_options(args)
    with ConfiguredJudges(options) as judges:
        again = args.again and not args.resume
        done = judge_stored(places, LocalCases(), judges.judge, again=again, do_all=judges.ask_all)
    if args.json:
        print(json.dumps({"runs": [_record(one) for one in done], "changed": changes(done)}, indent=2))
    else:
        print("\n".join(_done_lines(done, args.again, args.all)))
    states = {one.verdict.state for one in done if one.verdict is not None}
    if states == {"unparseable"}:
        return 2
    return 1 if args.require_judge and "FAIL" in states else 0


def show_gates(args: argparse.Namespace) -> int:
    """The two-by-two of checks against judge."""
    found = gates_of(run_folders(args.runs), LocalCases())
    print(json.dumps(asdict(found), indent=2) if args.json else gates_text(found, args.show))
    return 0


def show_stability(args: argparse.Namespace) -> int:
    """How often verdicts flip."""
    options, store = judge_options(args), LocalCases()
    runs = [store.read(place) for place in run_folders(args.runs)]
    with ConfiguredJudges(options) as judges:
        found = stability(runs, lambda run: judges.judge(run.section), args.times)
    share = found.overall.share
    if args.json:
        forms = {form: asdict(one) | {"share": one.share} for form, one in found.by_form.items()}
        told = {"answers": found.answers, "by_form": forms, "share": share, "unstable": found.unstable}
        print(json.dumps(told, indent=2, default=asdict))
    else:
        print(stability_text(found, args.times))
    if share is None:
        return 2
    return 1 if share > args.most_flips else 0


def calibrate(args: argparse.Namespace) -> int:
    """The judge against people."""
    store, places = LocalCases(), run_folders(args.runs)
    labels = labels_beside(places) if args.labels is None else labels_in(args.labels, places)
    if not labels:
        raise InputError("a calibration needs people's verdicts: pass --labels, or annotate the runs")
    verdicts = {place: found[-1] for place in places if (found := store.judgements(place))}
    if args.monitor:
        verdicts, labels = of_monitor(verdicts, labels)
    wanted = Readiness(args.annotators, args.cases, args.agreement, args.width)
    record = compare(verdicts, labels, datetime.now(UTC), wanted)
    text = record.model_dump_json(indent=2)
    if args.output is not None:
        try:
            write_text(args.output, f"{text}\n")
        except OSError as error:
            raise InputError(f"the calibration can't be written to {args.output}: {error.strerror}") from error
    print(text if args.json else "\n".join(_calibration_lines(record)))
    return 1 if record.unmet else 0


def _record(done: Done) -> dict[str, object]:
    verdict = None if done.verdict is None else done.verdict.model_dump(mode="json")
    before = None if done.before is None else done.before.state
    return {"run": done.place, "skipped": done.skipped, "before": before, "verdict": verdict}


def _done_lines(done: Sequence[Done], again: bool, whole: bool) -> Iterator[str]:
    """A row for each run, what changed, and how far to trust it."""
    watched = any(one.verdict is not None and one.verdict.monitor is not None for one in done)
    more = [name for name, there in (("before", again), ("suspicion", watched)) if there]
    header = ["run", "verdict", *more, "completion", "adherence", "efficiency", ""]
    yield render_table(header, [_row(one, more) for one in done])
    if whole:
        for one in done:
            if one.verdict is not None:
                yield f"\n{clean(one.place)}"
                yield from card(one.verdict)
    if again:
        changed = changes(done)
        compared = sum(one.verdict is not None and one.before is not None for one in done)
        yield f"\nchanged  {counted(sum(map(len, changed.values())), 'verdict')} of {compared}"
        for way, places in changed.items():
            yield f"         {way}: {clean(some_of(places))}"
    yield from _trust([one.verdict for one in done if one.verdict is not None])


def _row(done: Done, more: Sequence[str]) -> list[str]:
    suspicion = None if done.verdict is None else done.verdict.suspicion
    known = {"before": done.before and done.before.state, "suspicion": suspicion}
    beside = ["" if known[name] is None else str(known[name]) for name in more]
    if done.verdict is None:
        return [done.place, "", *beside, "", "", "", f"not judged: {done.skipped}"]
    opinion = done.verdict.opinion
    ratings = opinion.ratings
    told = [] if ratings is None else [ratings.task_completion, ratings.instruction_adherence, ratings.efficiency]
    why = opinion.failure_mode or opinion.reason or ("inconsistent" if opinion.inconsistent else "")
    cells = ["" if one is None else f"{one:g}" for one in told] or [""] * 3
    return [done.place, opinion.state, *beside, *cells, why]


def _trust(verdicts: Sequence[JudgeVerdict]) -> Iterator[str]:
    doubts = list(dict.fromkeys(why for one in verdicts for why in one.uncalibrated_because))
    if doubts:
        yield f"\nThe judge is uncalibrated: {clean('; '.join(doubts))}."


def gates_text(gates: GateTable, shown: int) -> str:
    """The two-by-two, and the runs behind each cell."""
    cells = gates.cells
    words = [f"{len(places)} {name}" for name, places in cells.items()]
    table = [["checks PASS", *words[:2]], ["checks FAIL", *words[2:]]]
    lines = [render_table(["", "judge PASS", "judge FAIL"], table), ""]
    named = {**cells, **gates.left_out}
    lines += [f"{name}: {clean(some_of(places, shown))}" for name, places in named.items() if places]
    if gates.watched:
        count = sum(map(len, gates.suspected.values()))
        watched = counted(gates.watched, "run")
        lines += ["", f"The monitor suspects {count} of {watched} of working around the task."]
        lines += [f"  {name}: {clean(some_of(places, shown))}" for name, places in gates.suspected.items()]
    if gates.uncalibrated:
        lines += ["", f"The judge is uncalibrated in {counted(gates.uncalibrated, 'run')}."]
    return "\n".join(lines)


def stability_text(found: Stability, times: int) -> str:
    """How often verdicts flip, by form."""
    rows = [_flips_row(form, one) for form, one in found.by_form.items()]
    lines = [render_table(["form", "verdicts", "flipped", "share", "unparseable"], rows, right=True)]
    share = _flips_row("in all", found.overall)[3] or "no"
    lines += ["", f"{counted(times, 'time')} each; {share} of verdicts flip"]
    if found.unstable:
        lines.append(f"unstable: {clean(some_of(found.unstable))}")
    return "\n".join(lines)


def _flips_row(form: str, flips: Flips) -> list[str]:
    share = "" if flips.share is None else f"{flips.share:.1%}"
    return [form, str(flips.verdicts), str(flips.flipped), share, str(flips.unparseable)]


def _calibration_lines(record: CalibrationRecord) -> Iterator[str]:
    """Confusion, agreement, the corrected rate, and what is missing."""
    who = f"{', '.join(record.models)} with {record.prompt}"
    people = counted(len(record.annotators), "annotator")
    yield f"{clean(who)}, against {people} on {counted(record.cases, 'case')}\n"
    judge = ["judge PASS", "judge FAIL"]
    rows = [[name, *(str(row[column]) for column in judge)] for name, row in record.confusion.items()]
    yield render_table(["", *judge], rows, right=True) + "\n"
    measures = [*record.measures, *record.ratings]
    yield render_table(["measure", "value", "95 % interval", "items"], [_measure(one) for one in measures])
    if record.by_failure_mode:
        rows = [
            [one.failure_mode, str(one.runs), str(one.judge_failed), f"{one.low:.3f} to {one.high:.3f}"]
            for one in record.by_failure_mode
        ]
        yield "\n" + render_table(["failure_mode", "runs", "judge FAIL", "95 % interval of the share"], rows)
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
