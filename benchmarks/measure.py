"""How the benchmarks measure: CPU time, the best of several rounds, baseline and subject taking turns.

Wall time says more about the neighbours on a busy machine than about the code.
"""

import contextlib
import gc
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

TIMES = "\N{MULTIPLICATION SIGN}"
MISSED = 3
"""The exit code of a benchmark that ran and missed a goal that it must meet."""
SMOKE_VARIABLE = "ASSAY_BENCH_SMOKE"
SMOKE = SMOKE_VARIABLE in os.environ
"""Whether benchmarks are only to show that they run."""

_TICK = os.sysconf("SC_CLK_TCK")

# Not ru_maxrss: a child inherits the peak of the process that started it, and keeps it through exec.
_TELL_PEAK = """
with open("/proc/self/status") as status:
    print(next(line.split()[1] for line in status if line.startswith("VmHWM:")))
"""


@dataclass(frozen=True, slots=True)
class Result:
    """One line of the output: a number, and the most that it may be. Without a goal, it is only shown.

    ``fails`` says that missing the goal is a failure: the number depends on the code and hardly on the machine.
    """

    what: str
    value: float
    unit: str
    goal: float | None = None
    detail: str = ""
    fails: bool = False

    @property
    def missed(self) -> bool:
        """Whether the number is above its goal."""
        return self.goal is not None and self.value > self.goal


def sized(whole: int, smoke: int = 1) -> int:
    """How many of something a benchmark makes: as many as it takes to measure, or as few as it takes to run."""
    return smoke if SMOKE else whole


def best_cpu(rounds: int, *works: Callable[[], object]) -> list[float]:
    """The least CPU seconds that each work took. All are run in every round, so that all share the noise."""
    return [min(times) for times in zip(*([_cpu(work) for work in works] for _ in range(rounds)), strict=True)]


def best_cpu_of_commands(rounds: int, *commands: Sequence[str]) -> list[float]:
    """The least CPU seconds that each command took, from its start to its end."""
    return [min(times) for times in zip(*(map(_cpu_of_command, commands) for _ in range(rounds)), strict=True)]


def peak_mb(code: str, *args: str) -> float:
    """The peak memory, in MB, of a fresh Python that runs the code, above that of one that runs nothing."""
    return _peak_mb(code, *args) - _peak_mb("")


def wall(work: Callable[[], object]) -> float:
    """Seconds on the clock, for what is mostly the kernel's or another program's work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def spent_by_tree() -> float:
    """CPU seconds of this process and of all below it, so far."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(sum(resource.getrusage(kind)[:2]) for kind in kinds) + _of_living(os.getpid())


def spent_by(pid: int) -> float:
    """CPU seconds of a process and of all below it, so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / _TICK + _of_living(pid)


def _of_living(pid: int) -> float:
    """What living descendants have used so far, and their children before them."""
    spent = 0.0
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            for child in map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split()):
                spent += spent_by(child)
    return spent


def _cpu(work: Callable[[], object]) -> float:
    # What others keep in memory is hidden from the garbage collector: going through it is not this work's doing.
    gc.collect()
    gc.freeze()
    start = time.process_time()
    work()
    spent = time.process_time() - start
    gc.unfreeze()
    return spent


def _cpu_of_command(command: Sequence[str]) -> float:
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, list(command))
    return usage.ru_utime + usage.ru_stime


def _peak_mb(code: str, *args: str) -> float:
    done = subprocess.run([sys.executable, "-c", code + _TELL_PEAK, *args], stdout=subprocess.PIPE, check=True)
    return int(done.stdout.split()[-1]) / 1000
