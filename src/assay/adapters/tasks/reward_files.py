"""Read the reward files of a verifier's folder."""

import os
from collections.abc import Sequence

from assay.adapters.machine.safe_read import read_below
from assay.evidence.files import Absent, File, RewardFiles

LIMIT = 16 * 1024 * 1024


def read_reward_files(
    root: str | os.PathLike[str],
    below: Sequence[str] = (),
    limit: int = LIMIT,
    order: tuple[str, str] = ("reward.json", "reward.txt"),
) -> RewardFiles:
    """Both files in ``root``, or in a folder below it that is reached without following a link.

    The second one isn't opened if the first exists, because it wouldn't count.
    """
    folder = os.fspath(root)
    found: dict[str, File] = {}
    for name in order:
        counts = all(isinstance(other, Absent) for other in found.values())
        path = (*below, name)
        found[name] = read_below(folder, path, limit) if counts else Absent("/".join((folder, *path)))
    return RewardFiles(json=found["reward.json"], text=found["reward.txt"])
