"""Options of a job: which tasks of a dataset it has, its name, and where its trials run."""

import argparse
import itertools
import os
from collections.abc import Callable, Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from functools import partial
from importlib import import_module
from typing import TypeAlias

from assay.adapters.tasks.task_folder import find_tasks, is_task
from assay.cli.options.agent import kept_from_tasks
from assay.cli.options.common import Options, extra_packages, option, positive
from assay.core.errors import InputError
from assay.engine.machine import TrialSite
from assay.engine.run.ports import JobSetting
from assay.engine.run.trial_queue import TrialRunner

Place: TypeAlias = Callable[[TrialRunner, str], TrialRunner]


def add_task_choice(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "--include GLOB…",
        "only tasks whose folder name or path below TASKS matches; may be given several times",
    )
    option(parser, "--exclude GLOB…", "no tasks that match; may be given several times")
    option(parser, "--limit N", "at most the first N tasks", positive)


def chosen_tasks(args: Options) -> list[tuple[str, str | None]]:
    """The folders of the chosen tasks, each with the name of its dataset. Raises ``InputError`` for none."""
    found: list[tuple[str, str | None]] = []
    for path in args.tasks:
        source = None if is_task(path) else os.path.basename(os.path.realpath(path))
        names = ((folder, [os.path.basename(os.path.abspath(folder)), os.path.relpath(folder, path)])
                 for folder in find_tasks([path]))  # fmt: skip
        found += [(folder, source) for folder, named in names if _is_chosen(named, args.include, args.exclude)]
    if not found:
        raise InputError("--include and --exclude must leave at least one task, but they leave none")
    return found[: args.limit]


def _is_chosen(names: Sequence[str], include: Sequence[str], exclude: Sequence[str]) -> bool:
    def matches(patterns: Sequence[str]) -> bool:
        return any(fnmatchcase(name, pattern) for name in names for pattern in patterns)

    return (not include or matches(include)) and not matches(exclude)


def add_on(parser: argparse.ArgumentParser) -> None:
    """Add --on."""
    option(
        parser,
        "--on",
        "run trials on the cluster of Ray that RAY_ADDRESS names, or on one of this machine: each where there"
        " is room for its sandbox, on machines that have the same folders",
        choices=("ray",),
    )


def place_of(args: Options, setting: JobSetting, site: TrialSite) -> Place | None:
    """Where trials run, if not here. Raises ``InputError`` for options that hold here only."""
    if args.on is None:
        return None
    if args.judge or setting.agent.model_grant is not None:
        raise InputError("--on ray runs agents and scorers alone; leave out --judge and --model-endpoint")
    with extra_packages("--on ray needs", "ray"):
        import_module("ray")

    from assay.adapters.jobs.ray_trials import JobForWorkers, RayTrials  # noqa: PLC0415
    from assay.engine.run.grade_again import kind_of  # noqa: PLC0415

    kind, kept = kind_of(site.sandbox.isolation.backend), tuple(kept_from_tasks(args))
    return partial(RayTrials, JobForWorkers(setting, kind, not args.no_run_cache, kept))


def job_name(given: str | None, jobs_dir: str) -> str:
    """The name of the job's folder. A job without a given name never reuses an existing folder."""
    if given is None:
        now = datetime.now().strftime("%Y-%m-%d__%H-%M-%S")
        names = itertools.chain((now,), (f"{now}-{number}" for number in itertools.count(2)))
        return next(name for name in names if not os.path.lexists(os.path.join(jobs_dir, name)))
    if given in ("", ".", "..") or "/" in given or "\0" in given:
        raise InputError(
            f"--job-name must be a folder name without a path, got {given!r}; pass the path with --jobs-dir"
        )
    return given
