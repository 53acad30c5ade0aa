"""Check that a job's recorded result follows from its trials.

Assay derives the job's result.json again from the trial folders and compares it with the recorded one, field by
field. It also compares each trial's rewards with the files that its verifier wrote. For terminal-bench results, it
derives the published figures from the runs. The exit code is 0 if everything matches and 1 if something differs.

With --repeat N, Assay runs the verifier of each given trial, or of each trial of the given jobs, N more times on
the output that the agent left. The exit code is 1 if a verifier gives different rewards or details for the same
output.
"""

import argparse
import json

from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.metric_script import ScriptMetric
from assay.adapters.results_folder import JobFolders, SubmissionFolders, open_results
from assay.cli.arguments import add_isolation, add_metric_script, positive
from assay.cli.progress import ProgressBar
from assay.cli.render_audit import as_json, as_text
from assay.cli.repeat import repeat
from assay.engine.audit import Audit, audit_job
from assay.engine.job import read_job
from assay.engine.terminal_bench import audit_published, import_terminal_bench


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOB", nargs="+", help="a job folder")
    parser.add_argument("--json", action="store_true", help="print JSON: {'audits': [...]}")
    parser.add_argument("--quiet", action="store_true", help="print only the differences and the verdict")
    add_metric_script(parser)
    parser.add_argument(
        "--repeat", type=positive, metavar="N", help="run each verifier N more times and compare the rewards"
    )
    parser.add_argument(
        "--tasks", metavar="DIR", help="with --repeat: the folder of tasks, if they have moved since the run"
    )
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    if args.repeat is not None:
        return repeat(args.jobs, args.repeat, args.tasks, args.isolation)
    audits = [audit for path in args.jobs for audit in _audits(path, args.metric_script)]
    if args.json:
        print(json.dumps({"audits": [as_json(audit) for audit in audits]}, indent=2))
    else:
        print("\n\n".join(as_text(audit, quiet=args.quiet) for audit in audits))
    return 0 if all(audit.consistent for audit in audits) else 1


def _audits(path: str, script: ScriptMetric | None) -> list[Audit]:
    """The audit of what is at a path. Jobs of one submission have one each."""
    results = open_results(path)
    if isinstance(results, SubmissionFolders):
        return [_audit_runs(results)]
    folders = results.folders if isinstance(results, JobFolders) else [results]
    return [_audit_job(folder, script) for folder in folders]


def _audit_job(folder: DiskJobFolder, script: ScriptMetric | None) -> Audit:
    return audit_job(folder, read_job(folder, script=script, progress=ProgressBar(f"reading {folder.name}")))


def _audit_runs(results: SubmissionFolders) -> Audit:
    submission = import_terminal_bench(results.name, results.folders)
    findings = audit_published(submission)
    return Audit(results.name, findings, identical=False, finished=True, notes=submission.job.notes)
