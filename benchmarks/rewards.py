"""What a reward costs in the process that trains: CPU of the whole process tree, beside a baseline."""

import contextlib
import itertools
import json
import os
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from assay import evaluation
from assay.adapters.sandbox.orphans import adopt_orphans
from assay.adapters.sandbox.view_sandbox import ViewSandbox, probe_bubblewrap
from assay.adapters.tasks.task_folder import load_task
from assay.core.errors import MeasurementError
from assay.criteria import complete
from assay.dialects.criteria.models import Criterion
from assay.rewards import SyncGrader
from benchmarks.made_job import MadeJobs
from benchmarks.made_playground import MadePlayground
from benchmarks.made_task import write_task
from benchmarks.measure import TIMES, Result, best_cpu, sized, spent_by_tree
from benchmarks.verifying import bare_command, bare_line, seeded

ROUNDS, GRADINGS, MANY = sized(8, 2), sized(40, 2), sized(1000, 5)
VERIFIER_GOAL_MS, VERIFIER_GOAL, CODING_GOAL_MS, COMMAND_GOAL_MS, VOICE_GOAL, RUBRIC_GOAL = (
    8.0,
    1.2,
    12.0,
    20.0,
    2.5,
    0.4,
)
OF_ALL = 10_000
EMPTY = [sys.executable, "-I", "-S", "-c", ""]
_TESTS = "class Test:\n    def test_add(self):\n        assert 1 + 1 == 2\n"
_SCORERS = [
    {"name": kind, "type": kind, **more}
    for kind, more in (
        ("tests_unmodified", {"paths": ["tests/test_calc.py"]}),
        ("no_new_skips", {}),
        ("assertions_not_weakened", {}),
        ("protected_config", {}),
        ("suspicious_source", {}),
    )
]


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """A trivial verifier against bare bwrap, coding workspaces, 10,000 times 5 voice criteria and numbers."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            yield from _verifier(probe_bubblewrap(), Path(folder, "task"))
        except MeasurementError as error:
            yield Result("trivial verifier", 0.0, "", detail=f"not measured: {error}")
        yield from _coding(Path(folder))
    yield _voice()
    yield _rubric()


def _verifier(sandbox: ViewSandbox, folder: Path) -> Iterator[Result]:
    task = write_task(folder, "echo 1 > /logs/verifier/reward.txt")
    with (
        SyncGrader(task, isolation="bubblewrap", at_once=1) as grader,
        seeded(sandbox, load_task(str(task))) as bench,
    ):
        loaded = load_task(str(task))
        line, by_python = bare_line(sandbox, bench, loaded), bare_command(sandbox, bench, loaded)
        ours, beside, alone = _best_in_turns(
            lambda: _cpu_of_tree(lambda: grader.grade({"answer.txt": "1"})),
            lambda: _cpu_of_tree(by_python),
            lambda: _cpu_of_bare(line, sandbox.owner),
        )
    yield Result("reward by a trivial verifier", ours * 1e3, "ms of CPU", VERIFIER_GOAL_MS)
    detail = f"{beside * 1e3:.1f} ms"
    yield Result("  started by subprocess.run", ours / beside, f"{TIMES} bare bwrap", VERIFIER_GOAL, detail)
    detail = f"{alone * 1e3:.1f} ms"
    yield Result("  by a process that only starts it", ours / alone, f"{TIMES} bare bwrap", detail=detail)


def _coding(folder: Path) -> Iterator[Result]:
    """Beside them, a process that does nothing."""
    for what, more, goal in (
        ("no command", [], CODING_GOAL_MS),
        ("one command", [_command("true")], COMMAND_GOAL_MS),
    ):
        with SyncGrader(_scenario(folder / what, [*more, *_SCORERS]), at_once=1) as grader:
            contents = (f"def add(a, b):\n    return a + b  # {number}\n" for number in itertools.count())
            ours, theirs = _best_in_turns(
                partial(_cpu_of_tree, partial(_grade_next, grader, contents)), lambda: _cpu_of_bare(EMPTY, None)
            )
        detail = f"{ours / theirs:.1f} {TIMES} an empty Python of {theirs * 1e3:.1f} ms"
        yield Result(f"coding workspace, {what}", ours * 1e3, "ms of CPU", goal, detail)


def _grade_next(grader: SyncGrader, contents: Iterator[str]) -> None:
    grader.grade({"calc.py": next(contents)})


def _command(line: str) -> Mapping[str, object]:
    return {"name": "tests", "type": "command", "command": line}


def _scenario(folder: Path, scorers: list[Mapping[str, object]]) -> Path:
    (folder / "project" / "tests").mkdir(parents=True)
    (folder / "project" / "calc.py").write_text("def add(a, b):\n    return a - b\n")
    (folder / "project" / "tests" / "test_calc.py").write_text(_TESTS)
    with tarfile.open(folder / "project.tar.gz", "w:gz") as archive:
        archive.add(folder / "project", arcname=".")
    path = folder / "scenario.json"
    path.write_text(
        json.dumps({"workspace_seed": {"type": "archive", "path": "project.tar.gz"}, "scorers": scorers})
    )
    return path


def _voice() -> Result:
    said = [
        {"assert": "voice-transcript", "contains": [f"appointment number {n} is confirmed"]} for n in range(1, 6)
    ]
    criteria = [Criterion(label=str(n), assertion=one) for n, one in enumerate(said)]
    turns = json.dumps([{"speaker": one.speaker, "text": one.text} for one in MadePlayground().turns()])

    def ours() -> None:
        for _ in range(MANY):
            complete(criteria, {}, MadePlayground())

    def reading() -> None:
        for _ in range(MANY):
            json.loads(turns)

    spent, read = (one / MANY * OF_ALL for one in best_cpu(ROUNDS, ours, reading))
    detail = f"{spent / read:.0f} {TIMES} reading the turns from JSON"
    return Result(f"10,000 {TIMES} 5 voice criteria", spent, "s of CPU", VOICE_GOAL, detail)


def _rubric() -> Result:
    names = [f"d{n}" for n in range(5)]
    rubric = evaluation.Rubric(dimensions=[evaluation.Dimension(name=name, weight=1.0) for name in names])
    scores = dict.fromkeys(names, 0.5)

    def plain() -> None:
        for _ in range(OF_ALL):
            sum(scores[name] * 1.0 for name in names) / len(names)

    def ours() -> None:
        for _ in range(OF_ALL):
            evaluation.score_rubric(rubric, scores)

    spent, least = best_cpu(ROUNDS, ours, plain)
    return Result(
        f"10,000 {TIMES} 5 numbers of a rubric",
        spent,
        "s of CPU",
        RUBRIC_GOAL,
        f"{spent / least:.0f} {TIMES} sums",
    )


def _best_in_turns(*measures: Callable[[], float]) -> list[float]:
    return [min(times) for times in zip(*([one() for one in measures] for _ in range(ROUNDS)), strict=True)]


def _cpu_of_tree(work: Callable[[], object]) -> float:
    """CPU seconds of one work, with all that this process started."""
    adopt_orphans()
    work()
    before = spent_by_tree()
    for _ in range(GRADINGS):
        work()
        # bwrap leaves its first process behind.
        with contextlib.suppress(ChildProcessError):
            while os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG) is not None:
                pass
    return (spent_by_tree() - before) / GRADINGS


def _cpu_of_bare(line: list[str], owner: tuple[int, int] | None) -> float:
    """CPU seconds of one command, begun and waited for by a process that does nothing else, with its orphans."""
    child = os.fork()
    if child == 0:
        adopt_orphans()
        if owner is not None:
            os.setgroups([])
            os.setresgid(*[owner[1]] * 3)
            os.setresuid(*[owner[0]] * 3)
        for _ in range(GRADINGS):
            os.posix_spawn(line[0], line, {}, file_actions=[(os.POSIX_SPAWN_CLOSE, 1)])
            with contextlib.suppress(ChildProcessError):
                while True:
                    os.wait()
        os._exit(0)
    usage = os.wait4(child, 0)[2]
    return (usage.ru_utime + usage.ru_stime) / GRADINGS
