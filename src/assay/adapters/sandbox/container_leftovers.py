"""Containers that are known by their makers, so that those of a killed Assay can be found and removed.

A container's name says which process made it. A label says where that process has its id: others may use the same
engine, and their containers are never looked at.
"""

import re
import uuid

from assay.adapters.sandbox.container_engine import REMOVE, Engine
from assay.adapters.sandbox.makers import Maker, place, this_process

_NAME = re.compile(r"assay-(\d+)-(\d+)-[0-9a-f]+")


def new_name() -> str:
    """A name for a container of this process."""
    return f"assay-{this_process()}-{uuid.uuid4().hex[:12]}"


def label() -> str:
    """Where this process has its id."""
    return f"assay.place={place()}"


def sweep(engine: Engine) -> None:
    """Remove the containers whose process is gone."""
    listed = engine.call("ps", "--all", "--filter", f"label={label()}", "--format", "{{.Names}}")
    # One by one: at a name that is not there any more, podman forgets the rest.
    for name in filter(is_gone, listed.split()):
        engine.does(*REMOVE, name)


def is_gone(name: str) -> bool:
    """Whether the process that made a container of this name has ended."""
    match = _NAME.fullmatch(name)
    return match is not None and Maker(int(match[1]), int(match[2])).is_gone
