"""Pieces of an archive as tasks of Ray, for those who have a cluster. Ray is imported here only, when it is used.

The work of a piece must be found by its name on every machine, and be safe to be begun again: Ray does so when a
worker or a machine dies. Runs are looked up by their paths, so all machines need the same folders.
"""

import os
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from itertools import islice
from typing import Any, Final, TypeVar

from assay.core.errors import AssayError, InputError

Answer = TypeVar("Answer")

AT_ONCE: Final = 4
"""How many pieces wait for each that can run, so that no processor is idle."""
TRIES: Final = 3
_PATIENCE_SEC: Final = 10.0
NAME: Final = "piece of an archive"
"""The name of the tasks, which their processes show."""


def work_on_ray(
    pieces: Iterable[Sequence[str]],
    work: Callable[[Sequence[str]], Answer],
    lost: Callable[[str, str], Answer],
    cpus: int,
) -> Iterator[Answer]:
    """The answers for pieces of some runs, as they are done. One that kills its worker is halved, down to one run.

    ``lost`` makes the answer for a run whose worker dies every time, with the reason. Raises ``InputError``
    without a cluster, or if a task can't have as many processors.
    """
    ray = joined()
    try:
        if not any(node["Resources"].get("CPU", 0) >= cpus for node in ray.nodes() if node["Alive"]):
            raise InputError(f"--on ray needs a machine with {cpus} processors, but the cluster has none")
        # Ray takes plain functions only.
        task = ray.remote(num_cpus=cpus, max_retries=TRIES, name=NAME)(lambda piece: work(piece))  # noqa: PLW0108
        most = max(1, AT_ONCE * int(ray.cluster_resources()["CPU"]) // cpus)
        rest = iter(pieces)
        running: dict[Any, Sequence[str]] = {}
        while True:
            for piece in islice(rest, max(0, most - len(running))):
                running[task.remote(piece)] = piece
            if not running:
                return
            [done], _ = ray.wait(list(running), num_returns=1)
            piece = running.pop(done)
            try:
                yield ray.get(done)
            except ray.exceptions.RayTaskError as error:
                raise error.cause if isinstance(error.cause, AssayError) else error  # noqa: B904 - it is the same
            except ray.exceptions.RayError as error:
                if len(piece) == 1:
                    yield lost(piece[0], str(error).splitlines()[0])
                    continue
                for half in (piece[: len(piece) // 2], piece[len(piece) // 2 :]):
                    running[task.remote(half)] = half
    finally:
        ray.shutdown()


def joined() -> Any:
    """Ray on the cluster that RAY_ADDRESS names, or else on this machine, where it ends with the process."""
    ray: Any = import_module("ray")  # An extra, which is large.
    address = os.environ.get("RAY_ADDRESS")
    more = {} if address else {"include_dashboard": False}
    host, colon, port = (address or "").removeprefix("ray://").rpartition(":")
    try:
        if colon:
            # Ray itself would try for minutes.
            socket.create_connection((host.strip("[]"), int(port)), _PATIENCE_SEC).close()
        ray.init(address=address, logging_level="error", log_to_driver=False, ignore_reinit_error=True, **more)
    except (OSError, ValueError, RuntimeError) as error:
        where = f"the cluster at {address}" if address else "Ray on this machine"
        raise InputError(f"{where} can't be reached: {str(error).splitlines()[0]}") from error
    return ray
