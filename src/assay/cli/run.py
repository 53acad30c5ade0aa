"""Run an agent on tasks, run each task's verifier in a fresh sandbox, and write a job folder for harbor's tools.

TASKS are task folders, or folders with task folders at any depth. A task that 'assay seed' made has scorers, not a
verifier: they run as soon as the agent has stopped, and their verdict is kept in the run. Scorers remember
commands as in 'assay score'; --no-run-cache has them run again.

The agent is 'oracle' (runs the task's own solution), 'nop' (does nothing), a name that 'assay agents' lists, a
file that describes an agent (.toml), or a shell command. A command gets the instruction on standard input, in
$ASSAY_INSTRUCTION and in the file $ASSAY_INSTRUCTION_FILE. It starts in the task's working folder and is stopped
when its time is up. What it leaves in /logs/agent is kept: trajectory.json or trajectory.jsonl, and
final_response.md if its last message isn't its answer.

With --model-endpoint, an agent without a network can talk to one language model. Its tokens are counted, and the
key stays outside of the sandbox.

To resume an interrupted job, run the same command with the same --job-name.

The last line sums up the evaluation of the trials. Exit codes: 0 every trial was scored without an error and has a
reward that the evaluation can use, 1 some were not, 2 nothing was run, 130 interrupted.
"""

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from assay.adapters.jobs.trial_folder import DiskJobStore
from assay.adapters.machine.local_machine import ThisHost
from assay.adapters.machine.own_process import stoppable
from assay.adapters.sandbox import hide
from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.seeded_names import is_seeded
from assay.adapters.tasks.task_folder import is_task, load_task
from assay.adapters.tasks.workbench import DiskWorkshop
from assay.cli.options.agent import add_agent, agent_of, doors_of, kept_from_tasks, recordable
from assay.cli.options.common import (
    Options,
    add_control,
    add_grading_rules,
    add_isolation,
    add_run_cache,
    add_verifier_environment,
    grading_rules,
    option,
    positive,
    warn,
    whole_number,
)
from assay.cli.options.judge import add_judge, check_judges, judges_of, refuse_without
from assay.cli.options.tasks import Place, add_on, add_task_choice, chosen_tasks, job_name, place_of
from assay.cli.output.progress import Progress
from assay.cli.output.table import clean
from assay.core.errors import AssayError, InputError, MeasurementError
from assay.dialects.harbor.trial import Trial
from assay.engine.machine import TrialSite
from assay.engine.model_access import ModelDoors
from assay.engine.run.ports import Agent, JobSetting, Planned, plan_trials
from assay.engine.run.run_job import SeededTasks, run_job
from assay.engine.run.run_trial import missing_program
from assay.engine.run.trial_queue import EndedTrial
from assay.engine.run.trial_record import BROKEN
from assay.engine.tasks.prepare_task import prepare_task, refuse_asking
from assay.engine.tasks.task import LoadedTask, with_network, with_verifier_environment

if TYPE_CHECKING:
    from assay.adapters.models.judge_setup import ConfiguredJudges


# As much of the rewards as fits on a few lines.
MOST_KEYS, LONGEST_KEY = 20, 100


class Display:
    """Shows each trial as it starts and ends. Called from several threads; writes to standard error."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._running: dict[str, float] = {}
        self._done, self._total = 0, 0
        self._progress = self._line(0)

    def _line(self, finished: int) -> Progress:
        return Progress("trials", live=not self._quiet, logged=False, done_before=finished)

    def begin(self, folder: str, total: int, finished: int, backend: str) -> None:
        before = f", {finished} of them already finished" if finished else ""
        self._print(f"{clean(folder)}: {total} {'trial' if total == 1 else 'trials'}{before}, in {backend}")
        self._done, self._total = finished, total
        self._progress = self._line(finished).begin()

    def complain(self, complaint: str) -> None:
        print(f"assay: {clean(complaint)}", file=sys.stderr)

    def note(self, said: str) -> None:
        self._print(f"note: {clean(said)}")

    def started(self, name: str) -> None:
        self._running[name] = time.monotonic()
        self._update()

    def retrying(self, trial: Trial, wait_sec: float) -> None:
        self._print(f"{clean(trial.name)}: {trial.exception_type}, trying again in {wait_sec:g} s")

    def ended(self, ended: EndedTrial, done: int, total: int) -> None:
        trial, remark = ended.trial, ended.remark
        now = time.monotonic()
        seconds = now - self._running.pop(trial.name, now)
        suffix = "" if remark is None else f" ({clean(remark)})"
        self._print(f"{done}/{total}  {clean(trial.name)}  {_outcome(ended)}{suffix}  {seconds:.1f} s")
        self._done = done
        self._update()

    def end(self) -> None:
        self._progress.end()

    def _print(self, text: str) -> None:
        if not self._quiet:
            self._progress.print(text)

    def _update(self) -> None:
        names = list(self._running)
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        self._progress(self._done, self._total, f"{', '.join(names[:3])}{more}")


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "tasks TASKS…", "a task folder, or a folder of task folders")
    add_agent(parser)
    option(parser, "-k --n-attempts N", "attempts per task (default: 1)", positive, default=1)
    option(parser, "-n --n-concurrent N", "trials at a time (default: 4)", positive, default=4)
    option(parser, "-r --max-retries N", "retries after an exception (default: 0)", whole_number, default=0)
    option(parser, "--jobs-dir DIR", "folder for job folders (default: jobs)", default="jobs")
    option(parser, "--job-name NAME", "name of the job's folder (default: the current time)")
    add_on(parser)
    add_task_choice(parser)
    add_isolation(parser)
    option(parser, "--no-image", "run on the host system even if a task's Dockerfile needs an image")
    option(
        parser,
        "--network",
        "give or deny the network to agents and verifiers, whatever their tasks say",
        choices=["public", "none"],
    )
    option(parser, "--verifier-network", "give verifiers the network, to download what they need")
    option(parser, "--allow-unknown-fields", "run tasks with unknown fields in parts that decide about the reward")
    add_verifier_environment(parser)
    add_grading_rules(parser, default="harbor-0.13.1")
    add_control(parser)
    option(parser, "--judge", "have a language model judge the runs of seeded tasks too")
    add_judge(parser, "judge-")
    add_run_cache(parser)
    option(parser, "--view", "show the job in the browser while it runs")
    option(parser, "--quiet", "print only the report")


def run(args: argparse.Namespace) -> int:
    ran = run_tasks(args, ("assay", *recordable(sys.argv[1:])))
    if not ran.finished:
        print(
            f"assay: interrupted; run the same command with --job-name {ran.setting.name} to resume",
            file=sys.stderr,
        )
        return 130
    if ran.seeded:
        from assay.cli.output.run_scores import show_scored  # noqa: PLC0415 - most tasks aren't seeded

        show_scored(ran.setting.folder)
    from assay.cli.report import report_on  # noqa: PLC0415 - no trial has to wait for it

    code = report_on([ran.setting.folder])
    return 1 if ran.refused else code


@dataclass(frozen=True, slots=True)
class RanJob:
    """A job that was run, and whether it finished, has seeded tasks, and lacks tasks that were refused."""

    setting: JobSetting
    finished: bool
    seeded: bool
    refused: bool


def run_tasks(args: Options, invocation: tuple[str, ...]) -> RanJob:
    """Run the agent on the tasks that the options name. ``invocation`` is recorded in the job."""
    refuse_without(args, wanted=args.judge)
    display = Display(quiet=args.quiet)
    hide(*args.tasks)
    kept = kept_from_tasks(args)
    site = TrialSite(
        choose(args.isolation, warn), ThisHost({n: v for n, v in os.environ.items() if n not in kept})
    )
    agent = agent_of(args, os.environ, site.sandbox, display.note)
    doors = doors_of(agent, site.sandbox, os.environ)
    tasks, refused = _load_tasks(args, site, _grant(args, kept))
    for complaint in refused:
        display.complain(complaint)
    for warning in dict.fromkeys(warning for task, _ in tasks for warning in task.warnings):
        display.note(warning)
    if not tasks:
        raise InputError("none of the tasks can be run")
    _check_agent(site, agent, [task for task, _ in tasks if not task.seeded])
    setting = _setting(args, agent, tasks, invocation)
    place = place_of(args, setting, site)
    planned = plan_trials([(task, source) for task, source in tasks], args.n_attempts)
    if args.view:
        from assay.cli.view import watching  # noqa: PLC0415 - few jobs are watched
    with judges_of(args) as judges:
        if judges is not None:
            check_judges(judges, [task.path for task, _ in tasks if task.seeded])
        seeded = any(task.seeded for task, _ in tasks)
        coding = _coding(site, judges, args) if seeded else None
        with watching(setting.folder, display.note) if args.view else nullcontext():
            finished_all = _run(setting, site, planned, display, coding, doors, place)
    return RanJob(setting, finished_all, seeded, bool(refused))


def _check_agent(site: TrialSite, agent: Agent, tasks: Sequence[LoadedTask]) -> None:
    """Refuse an agent whose program isn't there. In an image, that shows once the image is built."""
    if tasks and site.sandbox.images is None:
        program = missing_program(site, tasks[0], tasks[0].steps[0], agent)
        if program is not None:
            raise InputError(f"the agent can't start: there is no program {program} in its sandbox")


def _load_tasks(
    args: Options, site: TrialSite, grant: Callable[[LoadedTask], LoadedTask]
) -> tuple[list[tuple[LoadedTask, str | None]], list[str]]:
    """The tasks that can be run, each with its dataset, and an error message for each that can't."""
    tasks: list[tuple[LoadedTask, str | None]] = []
    refused: list[str] = []
    for folder, source in chosen_tasks(args):
        try:
            tasks.append((_load_granted_task(args, folder, site, grant), source))
        except AssayError as error:
            refused.append(str(error))
    return tasks, refused


def _load_granted_task(
    args: Options, folder: str, site: TrialSite, grant: Callable[[LoadedTask], LoadedTask]
) -> LoadedTask:
    if is_seeded(folder):
        from assay.adapters.tasks.seeded_task import load_runnable  # noqa: PLC0415 - most tasks aren't seeded

        return grant(load_runnable(folder, site.sandbox))
    task = grant(load_task(folder))
    return prepare_task(task, site, no_image=args.no_image, build=False, any_fields=args.allow_unknown_fields)


def _grant(args: Options, kept: Sequence[str]) -> Callable[[LoadedTask], LoadedTask]:
    """Apply the options on the network, the verifier's environment and the grading rules to a task."""
    rules = grading_rules(args)
    both = None if args.network is None else args.network == "public"
    verifier = True if args.verifier_network else both

    def granted(task: LoadedTask) -> LoadedTask:
        refuse_asking(task, kept)
        steps = tuple(with_network(step, agent=both, verifier=verifier) for step in task.steps)
        task = with_verifier_environment(task, args.verifier_environment)
        return replace(task, steps=steps, rules=rules or task.rules)

    return granted


def _setting(
    args: Options, agent: Agent, tasks: Sequence[tuple[LoadedTask, str | None]], invocation: tuple[str, ...]
) -> JobSetting:
    adhoc = [task.path for task, source in tasks if source is None]
    datasets = [path for path in args.tasks if not is_task(path)]
    return JobSetting(
        name=job_name(args.job_name, args.jobs_dir),
        jobs_dir=args.jobs_dir,
        agent=agent,
        attempts=args.n_attempts,
        concurrent=args.n_concurrent,
        max_retries=args.max_retries,
        datasets=tuple(datasets),
        adhoc_tasks=tuple(adhoc),
        invocation=invocation,
        control=not args.no_control,
    )


def _coding(site: TrialSite, judges: "ConfiguredJudges | None", args: Options) -> SeededTasks:
    from assay.adapters.jobs.run_scoring import LocalScoring  # noqa: PLC0415
    from assay.adapters.tasks.remembered_commands import runs_folder  # noqa: PLC0415 - most tasks aren't seeded
    from assay.engine.coding.score_trials import CodingTrials, SeededGrading  # noqa: PLC0415

    runs = None if args.no_run_cache else runs_folder()
    return CodingTrials(SeededGrading(LocalScoring(lambda: site.sandbox, runs=runs), judges))


def _run(
    setting: JobSetting,
    site: TrialSite,
    planned: Sequence[Planned],
    display: Display,
    coding: SeededTasks | None,
    doors: ModelDoors | None,
    place: Place | None,
) -> bool:
    """Run the job. Returns whether it finished."""
    try:
        with stoppable() as stop, DiskJobStore(setting.folder) as store, DiskWorkshop(site.sandbox) as workshop:
            return run_job(setting, planned, site, workshop, store, display, stop.ring, coding, doors, place)
    except OSError as error:
        where = "" if error.filename is None else f" ({error.filename})"
        raise MeasurementError(
            f"the job {setting.folder} stopped: {error.strerror}{where}; run the same command with --job-name"
            f" {setting.name} to resume it"
        ) from error
    finally:
        display.end()


def _outcome(ended: EndedTrial) -> str:
    """A trial's outcome, with its rewards and its exception."""
    trial = ended.trial
    words = "" if ended.state is None else f"{ended.state.value.replace('_', ' ')}  "
    if trial.exception_type == BROKEN:
        return f"{words}no reward ({BROKEN}: {clean(trial.exception_message)})"
    if trial.rewards is None:
        why = "" if trial.exception_type is None else f" ({trial.exception_type})"
        return f"{words}no reward{why}"
    shown = [f"{clean(key[:LONGEST_KEY])} {value:g}" for key, value in islice(trial.rewards.items(), MOST_KEYS)]
    more = len(trial.rewards) - len(shown)
    rewards = ", ".join([*shown, *([f"and {more:,} more"] if more else [])])
    return f"{words}{rewards}" + ("" if trial.exception_type is None else f" (despite {trial.exception_type})")
