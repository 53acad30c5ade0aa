"""Random trees for hypothesis: any names, any contents, files, links, pipes, programs and repositories."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from hypothesis import strategies as st


class Leaf(NamedTuple):
    """Something in a tree that is no folder; ``content`` is a link's target for a link."""

    folders: tuple[bytes, ...]
    name: bytes
    kind: str
    content: bytes


def _is_name(name: bytes) -> bool:
    return name not in (b"", b".", b"..") and not set(name) & {0, 0x2F}


NAMES = st.one_of(
    st.sampled_from(
        [b"a", b"b", b"A", b".git", b".GIT", b"-name", b"a b", b"a\tb", b"a\nb", b'"', b"%41", b"nested x"]
    ),
    st.binary(min_size=1, max_size=12).filter(_is_name),
)
LEAVES = st.lists(
    st.builds(
        Leaf,
        st.lists(NAMES, max_size=3).map(tuple),
        NAMES,
        st.sampled_from(["file", "file", "program", "link", "pipe"]),
        st.binary(max_size=20).map(lambda data: data.replace(b"\0", b"0")),
    ),
    max_size=12,
)


def plant(root: Path, leaves: Sequence[Leaf]) -> None:
    """Make what can be made: a name may stand for a folder and for a file."""
    for leaf in leaves:
        folder = os.path.join(os.fsencode(root), *leaf.folders)
        path = os.path.join(folder, leaf.name)
        try:
            os.makedirs(folder, exist_ok=True)
            _make(path, leaf)
        except (FileExistsError, NotADirectoryError, IsADirectoryError, FileNotFoundError):
            continue


def _make(path: bytes, leaf: Leaf) -> None:
    if leaf.kind == "link":
        os.symlink(leaf.content or b"nowhere", path)
    elif leaf.kind == "pipe":
        os.mkfifo(path)
    else:
        with open(path, "xb") as file:
            file.write(leaf.content)
        os.chmod(path, 0o755 if leaf.kind == "program" else 0o644)
