"""Summarize a job: the score, pass@k, and the counts that make up every denominator.

A JOB is a folder that harbor or 'assay run' wrote, or a folder of terminal-bench results. The score and pass@k are
harbor's, to the last bit. The report adds pass@1, pass@k and pass^k for a reward of your choice. Trials that can't
be read are counted and listed with the reason.
"""

import argparse

from assay.adapters.atomic_write import write_text
from assay.adapters.metric_script import ScriptMetric
from assay.cli.arguments import add_metric_script, finite_number, whole_numbers
from assay.cli.read_jobs import read_results
from assay.cli.render_evaluation import summary_words
from assay.cli.render_report import as_json, as_text
from assay.core.errors import InputError
from assay.engine.report import JobReport, Question, report_job


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOB", nargs="+", help="a job folder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON: {'jobs': [...]}")
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--key", help="the reward that decides success (default: 'reward', or the only one)")
    parser.add_argument(
        "--threshold",
        type=finite_number,
        default=1.0,
        metavar="X",
        help="the lowest reward that counts as a success (default: 1)",
    )
    parser.add_argument(
        "-k",
        type=whole_numbers,
        default=(),
        metavar="K,K",
        help="values of k for pass@k and pass^k (default: 1 and those that harbor reports)",
    )
    parser.add_argument(
        "--grading",
        choices=("first", "latest"),
        default="first",
        help="which gradings to report: the first one of each run, or the latest (default: first)",
    )
    parser.add_argument(
        "--by", choices=("task", "trial"), help="add a table with one row for each task or each trial"
    )
    parser.add_argument(
        "--svg", metavar="FILE", help="draw pass@k over k, with its band; for one group of one job"
    )
    add_metric_script(parser)


def run(args: argparse.Namespace) -> int:
    question = Question(key=args.key, threshold=args.threshold, k=args.k, grading=args.grading, by=args.by)
    reports = [_report(path, args.metric_script, question) for path in args.jobs]
    if args.svg:
        write_text(args.svg, _picture(reports))
    print(as_json(reports) if args.json else as_text(reports, markdown=args.markdown))
    return 0


def _picture(reports: list[JobReport]) -> str:
    from assay.engine.statistics_svg import pass_at_k_svg  # noqa: PLC0415 - most reports draw nothing

    drawn = [(group.key, group.intervals) for report in reports for group in report.groups]
    if len(drawn) != 1:
        raise InputError(f"--svg draws one group of one job, got {', '.join(key for key, _ in drawn) or 'none'}")
    [(key, intervals)] = drawn
    if intervals is None:
        raise InputError(f"--svg needs a reward that decides success in {key}: choose one with --key")
    return pass_at_k_svg(key, intervals)


def report_on(jobs: list[str]) -> int:
    """Print the report of jobs that have just been run, and their evaluation again as the last line.

    Returns 1 if a trial has no reward, or none that the evaluation can use.
    """
    reports = [_report(path, None, Question()) for path in jobs]
    print(as_text(reports, markdown=False))
    summaries = [report.evaluation.summary for report in reports if report.evaluation is not None]
    for summary in filter(None, summaries):
        print(f"\nevaluation: {summary_words(summary)}")
    scored = all(report.counts.total == report.counts.scored for report in reports)
    return 0 if scored and not any(summary.broken for summary in filter(None, summaries)) else 1


def _report(path: str, script: ScriptMetric | None, question: Question) -> JobReport:
    results = read_results(path, script)
    return report_job(results.job, question, results.histories, results.regrades)
