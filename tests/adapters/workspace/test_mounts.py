"""Kinds of file systems, as the kernel lists them."""

from pathlib import Path

import pytest

from assay.adapters.workspace.memory import kinds_below

MOUNTS = """\
/dev/a / ext4 rw 0 0
tmpfs /dev/shm tmpfs rw 0 0
/dev/b /data xfs rw 0 0
/dev/c /data/with\\040space btrfs rw 0 0
tmpfs /data/job/cache tmpfs rw 0 0
/dev/d /covered xfs rw 0 0
tmpfs /covered tmpfs rw 0 0
"""


@pytest.mark.parametrize(
    ("folder", "kinds"),
    [
        ("/home/me", {"ext4"}),
        ("/data", {"xfs", "btrfs", "tmpfs"}),
        ("/database", {"ext4"}),
        ("/data/with space/deep", {"btrfs"}),
        ("/data/job", {"xfs", "tmpfs"}),
        ("/data/job/other", {"xfs"}),
        ("/dev/shm/x", {"tmpfs"}),
        ("/covered/x", {"tmpfs"}),
    ],
)
def test_kinds(tmp_path: Path, folder: str, kinds: set[str]) -> None:
    (tmp_path / "mounts").write_text(MOUNTS)
    assert kinds_below(folder, str(tmp_path / "mounts")) == kinds


@pytest.mark.parametrize("text", [None, "", "nonsense\n"])
def test_a_kernel_that_does_not_say(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "mounts").write_text(text)
    assert kinds_below("/tmp", str(tmp_path / "mounts")) == frozenset()
