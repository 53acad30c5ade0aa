"""Check that a job's recorded result follows from its trials.

Assay derives the job's result.json again from the trial folders and compares it with the recorded one, field by
field. It also compares each trial's rewards with the files that its verifier wrote. For terminal-bench results, it
derives the published figures from the runs. The exit code is 0 if everything matches and 1 if something differs.

With --repeat N, Assay runs the verifier of each given trial, or of each trial of the given jobs, N more times on
the output that the agent left. The exit code is 1 if a verifier gives different rewards or details for the same
output.
"""

import argparse
import functools
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.adapters.jobs.pieces import WHOLE, claim, work_off
from assay.adapters.jobs.results_folder import InspectLogs, JobFolders, SubmissionFolders, open_results
from assay.adapters.jobs.trial_folder import DiskTrial, find_trials
from assay.cli.grade import How, complaint, grading_again
from assay.cli.options.common import (
    Options,
    add_isolation,
    add_metric_script,
    add_shard,
    again_id,
    option,
    positive,
)
from assay.cli.output.progress import Progress
from assay.cli.output.table import clean, without_nan
from assay.core.errors import AssayError, InputError, StoppedError
from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.job_stats import Metric
from assay.engine.jobs.job import read_job
from assay.engine.report.audit import Audit, audit_job
from assay.engine.report.audit_rewards import AuditFinding, Standing
from assay.engine.report.terminal_bench import audit_published, import_terminal_bench
from assay.engine.run.grade_again import Regrading
from assay.formats.counting import counted

VALUE_SHOWN = 160

_SIGNS = {
    Standing.SAME: "ok",
    Standing.SAME_BUT_FOR_ORDER: "ok except for the order of trials",
    Standing.TAKEN: "taken as recorded",
    Standing.DIFFERS: "DIFFERS",
}


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "jobs JOB…", "a job folder")
    option(parser, "--json", "print JSON: {'audits': [...]}")
    option(parser, "--quiet", "print only the differences and the verdict")
    add_metric_script(parser)
    option(parser, "--repeat N", "run each verifier N more times and compare the rewards", positive)
    option(parser, "--tasks DIR", "with --repeat: the folder of tasks, if they have moved since the run")
    option(parser, "--again ID", "with --repeat: go on where a command with this ID was killed", again_id)
    add_shard(parser, "with --repeat: repeat")
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    if args.repeat is not None:
        repeated = []
        for one in repeat(args):
            repeated.append(one)
            print(one.as_text(), file=sys.stderr if one.steady is None else sys.stdout)
        return 0 if all(one.steady for one in repeated) else 1
    if args.again is not None or args.shard is not None:
        raise InputError("--again and --shard are for --repeat, which grades; an audit without it only reads")
    audits = audits_of(args)
    if args.json:
        print(json.dumps({"audits": [as_json(audit) for audit in audits]}, indent=2))
    else:
        print("\n\n".join(as_text(audit, quiet=args.quiet) for audit in audits))
    return 0 if all(audit.consistent for audit in audits) else 1


def audits_of(args: Options) -> list[Audit]:
    """The audits of the jobs that the options name."""
    return [audit for path in args.jobs for audit in _audits(path, args.metric_script)]


def _audits(path: str, script: Metric | None) -> list[Audit]:
    """The audit of what is at a path. Jobs of one submission have one each."""
    results = open_results(path)
    if isinstance(results, SubmissionFolders):
        submission = import_terminal_bench(results.name, results.folders)
        findings, notes = audit_published(submission), submission.job.notes
        return [Audit(results.name, findings, identical=False, finished=True, notes=notes)]
    if isinstance(results, InspectLogs):
        raise InputError(f"{path} must be a job of harbor or terminal-bench; for logs of inspect, 'assay report'")
    folders = results.folders if isinstance(results, JobFolders) else [results]
    return [
        audit_job(one, read_job(one, script=script, progress=Progress(f"reading {one.name}"))) for one in folders
    ]


def as_json(audit: Audit) -> dict[str, Any]:
    """The audit as plain values."""
    findings = [_finding(finding) for finding in audit.findings]
    about = {name: getattr(audit, name) for name in ("job", "consistent", "identical", "finished")}
    return {**about, "findings": findings, "notes": audit.notes, "version": audit.version}


def _finding(finding: AuditFinding) -> dict[str, Any]:
    values = {"recorded": finding.recorded, "derived": finding.derived}
    return {"field": finding.field, "standing": finding.standing.value, **without_nan(values)}


def as_text(audit: Audit, *, quiet: bool) -> str:
    """One line per field, differences in full, and the verdict last."""
    return "\n".join(_lines(audit, quiet))


def _lines(audit: Audit, quiet: bool) -> Iterator[str]:
    shown = [f for f in audit.findings if not quiet or f.standing is Standing.DIFFERS]
    width = max((len(clean(finding.field)) for finding in shown), default=0)
    for finding in shown:
        yield f"  {clean(finding.field):<{width}}  {_SIGNS[finding.standing]}"
        if finding.standing is Standing.DIFFERS:
            yield f"    recorded  {_value(finding, 'recorded')}"
            yield f"    derived   {_value(finding, 'derived')}"
    for note in audit.notes:
        yield f"  note: {clean(note)}"
    yield _verdict(audit)


def _verdict(audit: Audit) -> str:
    differing = len(audit.differing)
    name = clean(audit.job)
    if differing:
        return f"{name}: {differing} of {len(audit.findings)} fields don't follow from the trials"
    if all(finding.standing is Standing.TAKEN for finding in audit.findings):
        return f"{name}: nothing is recorded that follows from the trials"
    detail = "byte for byte" if audit.identical else "field by field"
    unfinished = "" if audit.finished else " (the job did not finish)"
    return f"{name}: consistent, {detail}{unfinished}"


def _value(finding: AuditFinding, side: str) -> str:
    text = json.dumps(getattr(finding, side), ensure_ascii=False, default=repr)
    return clean(text if len(text) <= VALUE_SHOWN else f"{text[:VALUE_SHOWN]}… ({len(text)} characters)")


@dataclass(frozen=True, slots=True)
class RepeatedGrading:
    """The rewards of one output that was graded several times. ``steady`` is None if it couldn't be graded."""

    run: str
    step: str | None
    steady: bool | None
    verdict: str

    def as_text(self) -> str:
        if self.steady is None:
            return f"assay: {self.verdict}"
        return f"{self.run}{'' if self.step is None else f' step {self.step}'}  {self.verdict}"


def repeat(args: Options) -> Iterator[RepeatedGrading]:
    """Grade every trial as often as the options say. Raises ``InputError`` at the end if none could be graded."""
    trials = find_trials(args.jobs)
    graded = 0
    # A control would run a verifier that failed again, and so hide what is to be measured.
    with grading_again(trials, How(args.isolation, args.tasks, control=False)) as again:
        work = functools.partial(_graded_often, again, args.repeat, args.again)
        for name, runs in work_off(trials, work, again.threads, args.shard or WHOLE):
            if isinstance(runs, AssayError):
                yield RepeatedGrading(name, None, None, complaint(name, runs))
                continue
            graded += 1
            yield from (_repeated(name, gradings, args.repeat) for gradings in zip(*runs, strict=True))
    if not graded and any(map((args.shard or WHOLE).has, trials)):
        raise InputError("none of the runs could be graded again")


def _graded_often(
    again: Regrading, times: int, identity: str | None, path: str
) -> tuple[str, list[list[Grading]] | AssayError]:
    """The gradings of each time, or the error. Under an ID, each time has one of its own, and is there once."""
    name, trial = clean(os.path.basename(path.rstrip("/"))), DiskTrial(path)
    try:
        if identity is None:
            return name, [again.grade(trial) for _ in range(times)]
        each = [f"{identity}.{number}" for number in range(1, times + 1)]
        with claim(path) as ours:
            if not ours:
                raise InputError(f"{path} is at work elsewhere")
            for one in each:
                again.grade(trial, one)
        known = trial.gradings().gradings
        return name, [[grading for grading in known if grading.again == one] for one in each]
    except StoppedError:
        raise
    except AssayError as error:
        return name, error


def _repeated(name: str, gradings: Sequence[Grading], times: int) -> RepeatedGrading:
    """Whether the verifier gave the same answers."""
    rewards = {_reward(grading) for grading in gradings}
    differs = len(rewards) > 1 or gradings[-1].is_flaky
    other_details = len({grading.provenance.hashes.details for grading in gradings}) > 1
    verdict = _repeat_verdict(differs, other_details, times, rewards)
    return RepeatedGrading(name, gradings[0].step, not (differs or other_details), verdict)


def _reward(grading: Grading) -> str:
    return f"{grading.result.reward:g}" if grading.result.validity.verifier_completed else "no reward"


def _repeat_verdict(rewards_differ: bool, details_differ: bool, times: int, rewards: set[str]) -> str:
    if rewards_differ:
        last = ", ".join(sorted(rewards))
        return f"flaky: the same output got different rewards; rewards of the last {counted(times, 'run')}: {last}"
    if details_differ:
        return f"same reward ({', '.join(rewards)}) but different details in {counted(times, 'verifier run')}"
    return f"steady: {counted(times, 'verifier run')} gave {', '.join(rewards)} with the same details"
