"""What ``assay judge`` does, action by action."""

import argparse
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TypeVar

from assay.adapters.atomic_write import write_text
from assay.adapters.judge_labels import labels_beside, labels_in
from assay.adapters.judge_setup import JudgeOptions, Judges
from assay.adapters.run_store import LocalCases, run_folders
from assay.cli.judge_options import judge_options
from assay.cli.judge_text import calibration_text, done_text, gates_text, stability_text
from assay.core.errors import InputError
from assay.engine.judge_calibration import Readiness
from assay.engine.judge_calibration import calibrate as compare
from assay.engine.judge_gates import gates_of
from assay.engine.judge_stability import Stability, stability
from assay.engine.judge_stored import Done, changes, judge_stored

T = TypeVar("T")
R = TypeVar("R")


def judge_runs(args: argparse.Namespace, again: bool = False) -> int:
    """Judge stored runs."""
    places, options = run_folders(args.runs), judge_options(args)
    with Judges(options) as judges:
        done = judge_stored(places, LocalCases(), judges, again=again, do_all=_several(options))
    if args.json:
        print(json.dumps({"runs": [_record(one) for one in done], "changed": changes(done)}, indent=2))
    else:
        print(done_text(done, again=again, whole=args.all))
    failed = any(one.verdict is not None and one.verdict.state == "FAIL" for one in done)
    return 1 if args.require_judge and failed else 0


def judge_again(args: argparse.Namespace) -> int:
    """Judge stored runs again."""
    return judge_runs(args, again=True)


def show_gates(args: argparse.Namespace) -> int:
    """The two-by-two of checks against judge."""
    found = gates_of(run_folders(args.runs), LocalCases())
    if args.json:
        told = {"cells": found.cells, "left_out": found.left_out, "uncalibrated": found.uncalibrated}
        print(json.dumps(told, indent=2))
    else:
        print(gates_text(found, args.show))
    return 0


def show_stability(args: argparse.Namespace) -> int:
    """How often verdicts flip."""
    options, store = judge_options(args), LocalCases()
    runs = [store.read(place) for place in run_folders(args.runs)]
    with Judges(options) as judges:
        found = stability(runs, lambda run: judges.judge(run.section), args.times)
    print(json.dumps(_stability_record(found), indent=2) if args.json else stability_text(found, args.times))
    share = found.overall.share
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
    wanted = Readiness(args.annotators, args.cases, args.agreement, args.width)
    record = compare(verdicts, labels, datetime.now(UTC), wanted)
    text = record.model_dump_json(indent=2)
    if args.output is not None:
        try:
            write_text(args.output, f"{text}\n")
        except OSError as error:
            raise InputError(f"the calibration can't be written to {args.output}: {error.strerror}") from error
    print(text if args.json else calibration_text(record))
    return 1 if record.unmet else 0


def _several(options: JudgeOptions) -> Callable[[Callable[[T], R], Iterable[T]], Iterable[R]]:
    """Like ``map``, several at once and in the same order."""

    def do_all(do: Callable[[T], R], every: Iterable[T]) -> Iterable[R]:
        with ThreadPoolExecutor(options.at_once) as pool:
            return list(pool.map(do, every))

    return do_all


def _record(done: Done) -> dict[str, object]:
    verdict = None if done.verdict is None else done.verdict.model_dump(mode="json")
    before = None if done.before is None else done.before.state
    return {"run": done.place, "skipped": done.skipped, "before": before, "verdict": verdict}


def _stability_record(found: Stability) -> dict[str, object]:
    return {
        "answers": [{"run": one.place, "form": one.form, "states": one.states} for one in found.answers],
        "by_form": {form: {"flipped": one.flipped, "verdicts": one.verdicts, "unparseable": one.unparseable,
                           "share": one.share} for form, one in found.by_form.items()},
        "share": found.overall.share,
        "unstable": found.unstable,
    }  # fmt: skip
