"""Write a verifier's artifacts. Each file is written completely or not at all."""

import contextlib
import json
import os
from collections.abc import Iterator, Mapping
from typing import Any

from assay.adapters.machine.atomic_write import write_text
from assay.core.errors import InputError
from assay.dialects.harbor.terminal_bench import binary_reward


def write_artifacts(
    verifier_dir: str | os.PathLike[str], reward: float, details: Mapping[str, Any] | None = None
) -> None:
    """Write details.json, then reward.json: where there is a reward, its details are there too.

    Older artifacts are removed first, so a reward is never beside the details of another one. Raises
    ``InputError`` for a reward that isn't a finite number from 0 to 1.
    """
    if not _is_reward(reward):
        raise InputError(f"the reward must be a finite number from 0 to 1, got {reward!r}")
    folder = os.fspath(verifier_dir)
    try:
        text = json.dumps(dict(details or {}), indent=2, allow_nan=False) + "\n"
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"the details can't be written as JSON: {error}") from error
    remove_artifacts(folder)
    with _writing(f"to {folder}"):
        if details is not None:
            write_text(f"{folder}/details.json", text)
        write_text(f"{folder}/reward.json", json.dumps({"reward": reward}) + "\n")


def remove_artifacts(verifier_dir: str | os.PathLike[str]) -> None:
    """Remove older artifacts. Raises ``InputError`` if that can't be done."""
    folder = os.fspath(verifier_dir)
    with _writing(f"to {folder}"):
        for name in ("reward.json", "details.json"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(f"{folder}/{name}")


@contextlib.contextmanager
def _writing(where: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(f"can't write {where}: {os.strerror(error.errno or 0)}") from error


def _is_reward(value: object) -> bool:
    """True for a number in range. NumPy's floats count, booleans don't."""
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1


def write_binary_reward(verifier_dir: str | os.PathLike[str], exit_status: int) -> None:
    """Write reward.txt for the exit status of the tests: 1 for status 0, otherwise 0."""
    path = f"{os.fspath(verifier_dir)}/reward.txt"
    with _writing(path):
        write_text(path, binary_reward(exit_status))
