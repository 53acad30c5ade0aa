"""Run an agent on tasks, verify each attempt in a fresh sandbox, and write a job folder that harbor's tools read.

TASKS are task folders, or folders of them. The agent is 'oracle' (the task's own solution), 'nop' (does nothing)
or a command for the shell. A command finds the instruction on its standard input, in $ASSAY_INSTRUCTION and in the
file $ASSAY_INSTRUCTION_FILE, works in the task's folder, and ends when it is done or its time is up.

The same command with the same job name goes on where an interrupted job stopped.

Exit codes: 0 every trial was scored without an error, 1 some were not, 2 nothing was run, 130 it was interrupted.
"""

import argparse
import itertools
import os
import sys
import time
from collections.abc import Sequence
from datetime import datetime

from assay.adapters.images import prepare
from assay.adapters.job_store import JobSetting, JobStore
from assay.adapters.sandbox.backends import choose
from assay.adapters.sandbox.run_child import stop_all
from assay.adapters.task_folder import find_tasks, load_task
from assay.cli.arguments import add_isolation, positive, whole_number
from assay.cli.report import report_on
from assay.cli.run_display import Display
from assay.core.errors import AssayError, InputError, MeasurementError
from assay.dialects.harbor.task_config import FILE_NAME
from assay.engine.job_run import JobRun, Planned, plan_trials
from assay.engine.task import Task
from assay.engine.trial_run import Agent, Site


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("tasks", metavar="TASKS", nargs="+", help="a task folder, or a folder of task folders")
    parser.add_argument("-a", "--agent", required=True, metavar="AGENT", help="oracle, nop, or a command")
    parser.add_argument(
        "--agent-name", metavar="NAME", help="what to call a command in reports (default: its first word)"
    )
    parser.add_argument("-m", "--model", metavar="NAME", help="the model behind the agent, for reports")
    parser.add_argument(
        "-k", "--n-attempts", type=positive, default=1, metavar="N", help="attempts a task (default: 1)"
    )
    parser.add_argument(
        "-n", "--n-concurrent", type=positive, default=4, metavar="N", help="trials at a time (default: 4)"
    )
    parser.add_argument(
        "-r",
        "--max-retries",
        type=whole_number,
        default=0,
        metavar="N",
        help="tries after an exception (default: 0)",
    )
    parser.add_argument("--jobs-dir", default="jobs", metavar="DIR", help="where jobs are kept (default: jobs)")
    parser.add_argument("--job-name", metavar="NAME", help="the job's name (default: the time)")
    add_isolation(parser)
    parser.add_argument(
        "--no-image",
        action="store_true",
        help="run on the host's system where a Dockerfile asks for more than that",
    )
    parser.add_argument("--quiet", action="store_true", help="print only the report")


def run(args: argparse.Namespace) -> int:
    sandbox = choose(args.isolation)
    display = Display(quiet=args.quiet)
    site = Site(sandbox, os.environ, time.monotonic)
    tasks, refused = load_tasks(args.tasks, site, no_image=args.no_image)
    for complaint in refused:
        display.complain(complaint)
    if not tasks:
        raise InputError("no task can be run")
    setting = _setting(args, tasks)
    planned = plan_trials([(task, source) for task, source in tasks], args.n_attempts)
    finished_all = _run(setting, site, planned, display)
    if not finished_all:
        print(f"assay: interrupted; the same command with --job-name {setting.name} goes on", file=sys.stderr)
        return 130
    code = report_on([setting.folder])
    return 1 if refused else code


def load_tasks(
    paths: Sequence[str], site: Site, *, no_image: bool
) -> tuple[list[tuple[Task, str | None]], list[str]]:
    """The tasks that can be run, each with its dataset, and a sentence for each that can't."""
    tasks: list[tuple[Task, str | None]] = []
    refused: list[str] = []
    for path in paths:
        source = None if os.path.isfile(f"{path}/{FILE_NAME}") else os.path.basename(os.path.abspath(path))
        for folder in find_tasks([path]):
            try:
                tasks.append((prepare(load_task(folder), site, no_image=no_image), source))
            except AssayError as error:
                refused.append(str(error))
    return tasks, refused


def _setting(args: argparse.Namespace, tasks: Sequence[tuple[Task, str | None]]) -> JobSetting:
    adhoc = [task.path for task, source in tasks if source is None]
    datasets = [path for path in args.tasks if not os.path.isfile(f"{path}/{FILE_NAME}")]
    return JobSetting(
        name=_job_name(args.job_name, args.jobs_dir),
        jobs_dir=args.jobs_dir,
        agent=_agent(args),
        attempts=args.n_attempts,
        concurrent=args.n_concurrent,
        max_retries=args.max_retries,
        datasets=tuple(datasets),
        adhoc_tasks=tuple(adhoc),
        invocation=("assay", *sys.argv[1:]),
    )


def _job_name(given: str | None, jobs_dir: str) -> str:
    """The name of one folder below the jobs. A job that was not named is never one that is there already."""
    if given is None:
        now = datetime.now().strftime("%Y-%m-%d__%H-%M-%S")
        names = itertools.chain((now,), (f"{now}-{number}" for number in itertools.count(2)))
        return next(name for name in names if not os.path.lexists(os.path.join(jobs_dir, name)))
    if given in ("", ".", "..") or "/" in given or "\0" in given:
        raise InputError(
            f"--job-name {given!r} is not the name of a folder; say where jobs are kept with --jobs-dir"
        )
    return given


def _agent(args: argparse.Namespace) -> Agent:
    if args.agent == "oracle":
        return Agent("oracle", oracle=True, model=args.model)
    if args.agent == "nop":
        return Agent("nop", model=args.model)
    if not args.agent.strip():
        raise InputError("the agent is an empty command")
    name = args.agent_name or os.path.basename(args.agent.split()[0])
    return Agent(name, command=args.agent, model=args.model)


def _run(setting: JobSetting, site: Site, planned: Sequence[Planned], display: Display) -> bool:
    """Run the job. Returns whether it came to its end."""
    store = JobStore(setting, site)
    try:
        finished = store.take_up(planned)
        display.begin(setting.folder, len(planned), len(finished), site.sandbox.isolation.backend)
        job = JobRun(
            store,
            display,
            concurrent=setting.concurrent,
            max_retries=setting.max_retries,
            total=len(planned),
            finished=finished,
            n_retries=store.n_retries,
        )
        try:
            job.run([one for one in planned if one.position not in finished])
        except KeyboardInterrupt:
            job.stop()
            stop_all()
            job.wait()
            return False
        except OSError as error:
            where = "" if error.filename is None else f" ({error.filename})"
            raise MeasurementError(
                f"the job {setting.folder} stopped: {error.strerror}{where}; the same command with --job-name"
                f" {setting.name} goes on"
            ) from error
        return True
    finally:
        display.end()
        store.close()
