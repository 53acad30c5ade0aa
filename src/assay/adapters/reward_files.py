"""Read the reward files of a verifier's folder."""

import os
from collections.abc import Sequence

from assay.adapters.safe_read import read_below
from assay.evidence.files import Absent, RewardFiles

LIMIT = 16 * 1024 * 1024


def read_reward_files(root: str | os.PathLike[str], below: Sequence[str] = (), limit: int = LIMIT) -> RewardFiles:
    """Both files in ``root``, or in a folder below it that is reached without following a link.

    reward.txt isn't opened if reward.json exists, because it wouldn't count.
    """
    folder = os.fspath(root)
    text_path = "/".join((folder, *below, "reward.txt"))
    found = read_below(folder, (*below, "reward.json"), limit)
    if not isinstance(found, Absent):
        return RewardFiles(json=found, text=Absent(text_path))
    return RewardFiles(json=found, text=read_below(folder, (*below, "reward.txt"), limit))
