"""The Python of this machine that sandboxes show, which is not always the one that Assay runs on."""

import os

from assay.adapters.sandbox.view_sandbox import SYSTEM
from assay.core.errors import InputError
from assay.engine.sandbox import PATH


def system_python(what_for: str) -> str:
    """Its path. Raises ``InputError`` if there is no such Python."""
    for folder in PATH.split(":"):
        found = os.path.realpath(f"{folder}/python3")
        if os.access(found, os.X_OK) and any(found.startswith(f"{shown}/") for shown in SYSTEM):
            return found
    raise InputError(f"{what_for} needs a python3 in one of {PATH}, but found no such program")
