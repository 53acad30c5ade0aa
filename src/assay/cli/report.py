"""Summarize a job: what its runs came to, the mean with its interval, pass@k, and harbor's own numbers.

A JOB is a folder that harbor or 'assay run' wrote, a folder of terminal-bench results, or a log of inspect (.eval)
or a folder of them. Every run has one state; the mean is over those that passed, are partial, failed or are
unusable, which counts as 0. Numbers with (harbor) are harbor's, to the last bit.
"""

import argparse

from assay.adapters.machine.atomic_write import write_text
from assay.cli.options.common import add_metric_script, add_question, finite_number, option, whole_numbers
from assay.cli.output.read_jobs import read_results
from assay.cli.output.report import as_json, as_text
from assay.cli.output.table import show
from assay.core.errors import InputError
from assay.dialects.harbor.job_stats import Metric
from assay.engine.jobs.job_runs import USUAL, JobQuestion
from assay.engine.report.report import JobReport, report_job
from assay.evidence.run import State
from assay.formats.counting import counted


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "jobs JOB…", "a job folder")
    add_question(parser, "report", "print JSON: {'jobs': [...]}", "the reward that decides success")
    option(
        parser,
        "--threshold X",
        "the lowest reward that counts as a success (default: 1)",
        finite_number,
        default=1.0,
    )
    option(
        parser,
        "-k K,K",
        "values of k for pass@k and pass^k (default: 1 and those that harbor reports)",
        whole_numbers,
        default=(),
    )
    option(parser, "--by", "add a table with one row for each task or each trial", choices=("task", "trial"))
    option(parser, "--svg FILE", "draw pass@k over k, with its band; for one group of one job")
    add_metric_script(parser)


def run(args: argparse.Namespace) -> int:
    question = JobQuestion(key=args.key, threshold=args.threshold, k=args.k, grading=args.grading, by=args.by)
    reports = [report_of(path, args.metric_script, question) for path in args.jobs]
    if args.svg:
        write_text(args.svg, _picture(reports))
    if args.json or args.markdown:
        print(as_json(reports) if args.json else as_text(reports, markdown=True))
    else:
        show(as_text(reports, markdown=False))
    return 0


def _picture(reports: list[JobReport]) -> str:
    from assay.engine.report.charts import pass_at_k_svg  # noqa: PLC0415 - most reports draw nothing

    drawn = [(group.key, group.intervals) for report in reports for group in report.groups]
    if len(drawn) != 1:
        raise InputError(f"--svg draws one group of one job, got {', '.join(key for key, _ in drawn) or 'none'}")
    [(key, intervals)] = drawn
    if intervals is None:
        raise InputError(f"--svg needs a reward that decides success in {key}: choose one with --key")
    return pass_at_k_svg(key, intervals)


def report_on(jobs: list[str]) -> int:
    """Print the report of jobs that have just been run, and their result again as the last line.

    Returns 1 if a run has no usable answer, or something went wrong on the way.
    """
    reports = [report_of(path) for path in jobs]
    show(as_text(reports, markdown=False))
    for report in reports:
        print(f"\nresult: {result_words(report)}")
    return 0 if all(map(is_answered, reports)) else 1


def is_answered(report: JobReport) -> bool:
    """Whether every run has a usable answer, and nothing went wrong on the way."""
    return all(run.state in _ANSWERED and run.exception_type is None for run in report.runs)


_ANSWERED = (State.PASSED, State.PARTIAL, State.FAILED, State.SCORED)


def result_words(report: JobReport) -> str:
    """The mean of a job, if it has one, and what its runs came to."""
    means = [group for group in report.groups if group.mean is not None]
    mean = f"mean {means[0].mean:.4f} of {counted(means[0].n, 'run')}; " if len(means) == 1 else ""
    return mean + ", ".join(
        f"{count} {state.value.replace('_', ' ')}" for state, count in report.states.items() if count
    )


def report_of(path: str, script: Metric | None = None, question: JobQuestion = USUAL) -> JobReport:
    """The report of a job."""
    results = read_results(path, script)
    return report_job(results.job, question, results.histories, results.regrades)
