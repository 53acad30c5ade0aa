"""Write a verifier's reward."""

import os

from assay.adapters.atomic_write import write_text
from assay.core.errors import InputError
from assay.dialects.harbor.terminal_bench import binary_reward


def write_binary_reward(verifier_dir: str | os.PathLike[str], exit_status: int) -> None:
    """Write reward.txt for the exit status of the tests: 1 for status 0, otherwise 0."""
    folder = os.fspath(verifier_dir)
    try:
        write_text(f"{folder}/reward.txt", binary_reward(exit_status))
    except OSError as error:
        raise InputError(f"{folder}/reward.txt can't be written: {os.strerror(error.errno or 0)}") from error
