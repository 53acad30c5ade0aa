"""Does a job's recorded result follow from its trials?

The job's result.json is derived again from the trial folders and compared field by field, and each trial's rewards
are compared with the files that its verifier left. For terminal-bench results, the published figures are derived
from the runs. Ends with 0 if everything follows, with 1 if something differs.

With --repeat N, the trials that are named, or those of the jobs, are verified N times more from what their agents
left; ends with 1 if a verifier gives different rewards or details for the same output.
"""

import argparse
import json
import os

from assay.adapters.job_folder import DiskJobFolder
from assay.adapters.metric_script import ScriptMetric
from assay.adapters.results_folder import open_results
from assay.cli.arguments import add_isolation, add_metric_script, positive
from assay.cli.progress import ProgressBar
from assay.cli.render_audit import as_json, as_text
from assay.cli.repeat import repeat
from assay.engine.audit import Audit, audit_job
from assay.engine.job import read_job
from assay.engine.terminal_bench import RunFolder, audit_published, import_terminal_bench


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOB", nargs="+", help="a job folder")
    parser.add_argument("--json", action="store_true", help="print JSON: {'audits': [...]}")
    parser.add_argument("--quiet", action="store_true", help="print only what differs, and the verdict")
    add_metric_script(parser)
    parser.add_argument("--repeat", type=positive, metavar="N", help="verify trials N times more, and compare")
    parser.add_argument("--tasks", metavar="DIR", help="with --repeat: the folder in which the tasks are now")
    add_isolation(parser)


def run(args: argparse.Namespace) -> int:
    if args.repeat is not None:
        return repeat(args.jobs, args.repeat, args.tasks, args.isolation)
    audits = [_audit(path, args.metric_script) for path in args.jobs]
    if args.json:
        print(json.dumps({"audits": [as_json(audit) for audit in audits]}, indent=2))
    else:
        print("\n\n".join(as_text(audit, quiet=args.quiet) for audit in audits))
    return 0 if all(audit.consistent for audit in audits) else 1


def _audit(path: str, script: ScriptMetric | None) -> Audit:
    found = open_results(path)
    if isinstance(found, list):
        return _audit_runs(os.path.basename(os.path.abspath(path)), found)
    return _audit_job(found, script)


def _audit_job(folder: DiskJobFolder, script: ScriptMetric | None) -> Audit:
    return audit_job(folder, read_job(folder, script=script, progress=ProgressBar(f"reading {folder.name}")))


def _audit_runs(name: str, folders: list[RunFolder]) -> Audit:
    submission = import_terminal_bench(name, folders)
    findings = audit_published(submission)
    return Audit(name, findings, identical=False, finished=True, notes=submission.job.notes)
