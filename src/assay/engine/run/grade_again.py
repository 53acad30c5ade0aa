"""Grade a trial again: run its verifier on the files that the agent left, without running the agent."""

import contextlib
import posixpath
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from assay.core.errors import InputError, MeasurementError
from assay.dialects.evaluation.models import Grading
from assay.dialects.harbor.rewards import Profile
from assay.engine.machine import TrialSite
from assay.engine.ports import DEFAULT_RULES, GradingRules, NumberTakenError
from assay.engine.run.control import VerifierControl
from assay.engine.run.grading_record import Before, grading_of, grading_of_trial
from assay.engine.run.ports import KeptTrial, Workshop
from assay.engine.tasks.prepare_task import prepare_task
from assay.engine.tasks.task import (
    LoadedTask,
    TaskStep,
    published_artifacts,
    verified_in,
    with_kept_folders,
    with_network,
    with_verifier_environment,
)

# Extra threads that prepare and record gradings while verifiers run.
AROUND = 2


@dataclass
class Regrading:
    """Grades trials again. Tasks are looked up in ``tasks_dir``, or by default at the path that the trial records.

    A trial is refused if it was verified in another kind of sandbox before, unless ``anywhere`` is true. Without
    ``rules``, those of its first grading apply. Without ``control``, nobody asks why a verifier gave no reward.
    With an ID ``again``, what has a grading of this ID isn't graded any more.
    ``load_task`` returns None for a task that doesn't exist. At most ``concurrent`` verifiers run at a time, no
    matter how many threads call ``grade``; ``threads`` is the number of threads that keeps them busy.
    """

    site: TrialSite
    workshop: Workshop
    load_task: Callable[[str], LoadedTask | None]
    tasks_dir: str | None = None
    concurrent: int = 1
    anywhere: bool = False
    rules: GradingRules | None = None
    control: bool = True
    again: str | None = None

    def __post_init__(self) -> None:
        self._control = VerifierControl(self.site, self.workshop, control=self.control)
        self._lock = threading.Lock()
        self._tasks: dict[str, LoadedTask] = {}
        self._verifying = threading.BoundedSemaphore(self.concurrent)
        self.threads = self.concurrent + AROUND

    def grade(self, trial: KeptTrial, again: str | None = None) -> list[Grading]:
        """Run the verifier of every step of a trial again and keep the gradings, and that of the whole trial.

        ``again`` is an ID in place of that of all. Returns the gradings that are new.
        """
        again = again or self.again
        before = trial.gradings()
        done = [one for one in before.gradings if again is not None and one.again == again]
        if any(one.step is None for one in done):
            return []
        task = _with_recorded_network(self._task_of(trial), before)
        task = replace(task, rules=self.rules or _recorded_rules(before))
        task = _with_recorded_environment(task, before, self.site.sandbox.isolation.backend)
        self._check_place(trial)
        task = self._with_recorded_image(trial, task, before)
        kept = _kept_steps(trial, task)
        if not kept:
            _collect(trial, task)
            kept = _kept_steps(trial, task)
        if not kept:
            raise InputError(f"{trial.path} can't be graded again: {_why_not_kept(trial, task)}")
        steps = {one.step for one in done}
        graded = [
            self._grade(trial, task, step, checksum, again) for step, checksum in kept if step.name not in steps
        ]
        if task.multi_step:
            graded.append(self._add(trial, lambda before: grading_of_trial(before, task.strategy), again))
        return graded

    def _check_place(self, trial: KeptTrial) -> None:
        """Refuse to verify elsewhere than before, unless that was asked for: the answer could be another one."""
        known, here = recorded_backend(trial), self.site.sandbox.isolation.backend
        if not self.anywhere and known not in (None, here):
            raise InputError(
                f"{trial.path} was verified in {known}, but this is {here}; pass --isolation {kind_of(here)} to "
                "verify it here all the same"
            )

    def _with_recorded_image(self, trial: KeptTrial, task: LoadedTask, before: Before) -> LoadedTask:
        """The task with the image that it was verified in, if that is still here."""
        environment, steps = task.environment, []
        for step in task.steps:
            graded = (one for one in before.gradings if one.step == step.name)
            known = next((one.provenance.image for one in graded), None)
            if known is not None and self._is_another(trial, known, verified_in(task, step).image):
                if step.own is None or step.own.environment is None:
                    environment = replace(environment, image=known)
                else:
                    own = replace(step.own, environment=replace(step.own.environment, image=known))
                    steps.append(replace(step, own=own))
                    continue
            steps.append(step)
        return replace(task, environment=environment, steps=tuple(steps))

    def _is_another(self, trial: KeptTrial, known: str, now: str | None) -> bool:
        """Whether a trial was verified in another image than now, which is still here."""
        images = self.site.sandbox.images
        if images is None or known == now:
            return False
        try:
            images.workdir_of(known)
        except MeasurementError as error:
            if self.anywhere:
                return False
            raise InputError(
                f"{trial.path} was verified in the image {known}, which isn't here any more; pass --isolation "
                f"{kind_of(self.site.sandbox.isolation.backend)} to verify it in {now} all the same"
            ) from error
        return True

    def _task_of(self, trial: KeptTrial) -> LoadedTask:
        path = trial.task_path()
        if self.tasks_dir is not None:
            path = posixpath.join(self.tasks_dir, posixpath.basename(path.rstrip("/")))
        with self._lock:
            if path not in self._tasks:
                task = self.load_task(path)
                if task is None:
                    raise InputError(
                        f"the task {path} of {trial.path} doesn't exist; pass its parent folder with --tasks"
                    )
                self._tasks[path] = prepare_task(task, self.site, no_image=True, any_fields=True)
            return self._tasks[path]

    def _grade(
        self, trial: KeptTrial, task: LoadedTask, step: TaskStep, workspace: str, again: str | None
    ) -> Grading:
        _check_workspace(trial, step, workspace)
        bench = self.workshop.bench(task.environment)
        try:
            trial.restore(step.name, bench)
            with self._verifying:
                verified = self._control.verify(bench, task, step, lambda: trial.restore(step.name, bench))
        finally:
            bench.close()
        if verified.failure is not None and verified.broken:
            raise MeasurementError(verified.failure.message)
        checksums = {"tests": self.workshop.tests_checksum(step), "workspace": workspace}
        return self._add(
            trial,
            lambda before: grading_of(
                verified, task=task, step=step, site=self.site, before=before, checksums=checksums
            ),
            again,
        )

    def _add(self, trial: KeptTrial, made: Callable[[Before], Grading], again: str | None) -> Grading:
        """Add a grading after the newest one. Another process may add one at the same time."""
        while True:
            grading = made(trial.gradings()).model_copy(update={"again": again})
            with contextlib.suppress(NumberTakenError):
                trial.add_grading(grading)
                return grading


def kind_of(backend: str) -> str:
    """A backend as an option names it: ``container`` for ``container (podman)``."""
    return backend.partition(" ")[0]


def recorded_backend(trial: KeptTrial) -> str | None:
    """The kind of sandbox that a trial was first verified in; None if nothing is recorded."""
    gradings = trial.gradings().gradings
    return None if not gradings else gradings[0].provenance.isolation.get("backend")


def _with_recorded_network(task: LoadedTask, before: Before) -> LoadedTask:
    """The task, with the network for the verifier only if it had it the first time."""
    granted = {one.step: one.provenance.network for one in reversed(before.gradings)}
    return replace(task, steps=tuple(with_network(step, verifier=granted.get(step.name)) for step in task.steps))


def _with_recorded_environment(task: LoadedTask, before: Before, backend: str) -> LoadedTask:
    """The task, with the folders that its verifier shared with the agent the first time."""
    mode = before.gradings[0].provenance.verifier_environment if before.gradings else None
    task = with_verifier_environment(task, mode)
    return replace(task, environment=with_kept_folders(task.environment, backend))


def _recorded_rules(before: Before) -> GradingRules:
    """The rules of the first grading."""
    if not before.gradings:
        return DEFAULT_RULES
    made = before.gradings[0].provenance
    profile = next((one for one in Profile if one.value == made.profile), None)
    if profile is None:
        known = ", ".join(one.value for one in Profile)
        raise InputError(f"the profile of the first grading must be one of {known}, got {made.profile!r}")
    return GradingRules(profile, made.schema_forbids_reward)


def _kept_steps(trial: KeptTrial, task: LoadedTask) -> list[tuple[TaskStep, str]]:
    return [(step, checksum) for step in task.steps if (checksum := trial.workspace(step.name)) is not None]


def _collect(trial: KeptTrial, task: LoadedTask) -> None:
    """The files that harbor kept of a run are enough where its own verifier would have got nothing else."""
    for step in task.steps:
        sources = published_artifacts(task, step)
        if sources is not None and not trial.kept_in_part(step.name):
            trial.collect(step.name, sources)


def _why_not_kept(trial: KeptTrial, task: LoadedTask) -> str:
    if any(trial.kept_in_part(step.name) for step in task.steps):
        return "its workspace was too large to be kept as a whole, and grading a part of it would be wrong"
    return (
        "its workspace was not kept, and its verifier needs more than artifacts: environment_mode isn't separate"
    )


def _check_workspace(trial: KeptTrial, step: TaskStep, checksum: str) -> None:
    """Refuse a workspace that changed since it was graded."""
    before: Before = trial.gradings()
    known = [one.provenance.hashes.workspace for one in before.gradings if one.step == step.name]
    if any(one is not None and one != checksum for one in known):
        raise InputError(f"{trial.archive(step.name)} changed since it was graded: its hash differs")
