"""How many tasks and attempts it takes to show a difference between two agents.

Takes the variances from a pilot: two jobs with the same tasks, or one job and an assumption about how alike a
second agent finds its tasks; or takes them as given. Says how many tasks are needed for several numbers of
attempts, what that would cost, and whether tasks or attempts are cheaper to add.
"""

import argparse
import json
from dataclasses import asdict, replace
from typing import Any, cast

from assay.cli.options.common import Options, finite_number, number_from_0, option, whole_numbers
from assay.cli.output.read_jobs import read_jobs
from assay.cli.output.table import clean, render_table, without_nan
from assay.core.errors import InputError
from assay.engine.jobs.job_runs import JobQuestion
from assay.engine.report.compare_arms import arms_of
from assay.engine.report.plan_data import Design, Pilot, StudyPlan, pilot_of_one, pilot_of_two, plan_data
from assay.stats.interval import CantSay
from assay.stats.power import Goal, Variances

ATTEMPTS = (1, 2, 4, 8, 16)


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "pilot [JOB…]", "a pilot: one job, or two with the same tasks")
    option(parser, "--difference X", "the difference to show, such as 0.05", finite_number, required=True)
    option(parser, "--power P", "the chance of showing it (default: 0.8)", finite_number, default=0.8)
    option(
        parser,
        "--attempts N,N",
        "numbers of attempts a task to plan for (default: 1,2,4,8,16)",
        whole_numbers,
        default=ATTEMPTS,
    )
    option(
        parser,
        "--variances",
        "instead of a pilot: the variance of the difference between tasks, and that of single attempts",
        number_from_0,
        nargs=2,
        metavar=("TASKS", "ATTEMPTS"),
    )
    option(
        parser,
        "--correlation R",
        "with one job: how a second agent's mean rewards correlate with its own over tasks (default: 0.5)",
        finite_number,
        default=0.5,
    )
    option(parser, "--task-cost USD", "what a new task costs (default: 0)", number_from_0, default=0.0)
    option(parser, "--trial-cost USD", "what a trial costs (default: as in the pilot)", number_from_0)
    option(parser, "--key KEY", "the reward of the pilot (default: 'reward', or the only one)")
    option(parser, "--threshold X", "plan for successes: rewards of at least X", finite_number)
    option(parser, "--anyway", "accept a pilot whose jobs have different provenance")
    option(parser, "--json", "print JSON")


def run(args: argparse.Namespace) -> int:
    found = plan(args)
    print(json.dumps(as_values(found), indent=2) if args.json else as_text(found))
    return 0


def plan(args: Options) -> StudyPlan:
    """The plan of the study that the options describe."""
    return plan_data(_pilot(args), Goal(args.difference, args.power), args.attempts, args.task_cost)


def _pilot(args: Options) -> Pilot:
    if bool(args.pilot) == (args.variances is not None):
        raise InputError("pass a pilot or --variances, one of the two")
    if args.variances is not None:
        return Pilot(Variances(*args.variances), "as given", cost_per_trial=args.trial_cost)
    question = JobQuestion(key=args.key, threshold=1.0 if args.threshold is None else args.threshold)
    found = arms_of(read_jobs(args.pilot), question, (), args.threshold is not None)
    one = len(found.arms) == 1
    pilot = pilot_of_one(found.arms[0], args.correlation) if one else pilot_of_two(found, anyway=args.anyway)
    if args.trial_cost is None:
        return pilot
    return replace(pilot, cost_per_trial=args.trial_cost)


def as_values(found: StudyPlan) -> dict[str, Any]:
    content = {
        "difference": found.goal.difference,
        "power": found.goal.power,
        "level": found.goal.level,
        "pilot": asdict(found.pilot),
        "designs": [_design(design) for design in found.designs],
        "with_the_pilots_tasks": None if found.more_attempts is None else _design(found.more_attempts),
        "advice": found.advice,
    }
    return cast("dict[str, Any]", without_nan(content))


def _design(design: Design) -> dict[str, Any]:
    tasks = design.tasks
    if isinstance(tasks, CantSay):
        return asdict(design) | {"tasks": None, "reason": tasks.reason}
    return asdict(design) | {"reason": None}


def as_text(found: StudyPlan) -> str:
    goal, variances = found.goal, found.pilot.variances
    rows = [
        (
            str(one.attempts),
            one.tasks.reason if isinstance(one.tasks, CantSay) else str(one.tasks),
            "-" if one.trials is None else str(one.trials),
            "-" if one.cost is None else f"${one.cost:.2f}",
        )
        for one in found.designs
    ]
    lines = [
        f"to show a difference of {goal.difference:g} with a chance of {100 * goal.power:g} %"
        f" (interval of {100 * goal.level:g} %)",
        f"variance of the difference: {variances.tasks:.4f} between tasks, {variances.attempts:.4f} of single"
        f" attempts ({clean(found.pilot.source)})",
        "",
        render_table(("attempts a task", "tasks", "trials of both", "cost"), rows, right=True),
        "",
        found.advice,
    ]
    return "\n".join(lines)
