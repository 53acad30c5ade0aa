"""Folders of a workspace whose entries are links to a folder that is shown read-only elsewhere."""

import os

from assay.adapters.workspace.restoring import make_room
from assay.engine.command_environment import LinkedFolder


def link_folder(workspace: str, folder: LinkedFolder) -> None:
    """Make the folder, in the place of whatever is there."""
    make_room(workspace, folder.path)
    os.mkdir(f"{workspace}/{folder.path}")
    for name in folder.names:
        os.symlink(f"{folder.target}/{name}", f"{workspace}/{folder.path}/{name}")
