"""A program that stands for a container engine."""

import json
from collections.abc import Mapping
from pathlib import Path

from tests.tasks import script

ENDED = {"StartedAt": "2026-11-15T12:00:00Z", "Running": False, "ExitCode": 0, "OOMKilled": False, "Error": ""}
NEVER = "0001-01-01T00:00:00Z"
NOT_STARTED = {"StartedAt": NEVER}


def fake_engine(
    folder: Path,
    name: str = "docker",
    *,
    start: str = "exit 0",
    images: str = "",
    state: Mapping[str, object] = ENDED,
) -> str:
    """It says that a container is in this state, notes what it was asked, and has no image but these."""
    said = json.dumps({**ENDED, **state})
    (folder / "asked").touch()
    lines = f"""
echo "$@" >> {folder}/asked
case "$1" in
image) exit 1;;
images) echo {images};;
start) {start};;
inspect) echo '{said}';;
esac"""
    return str(script(folder / name, lines))


def asked(folder: Path, verb: str) -> list[str]:
    """What an engine was asked, of the questions that begin with this word."""
    return [line for line in (folder / "asked").read_text().splitlines() if line.split()[0] == verb]
