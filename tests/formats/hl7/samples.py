"""The sample messages: those that are kept here, and more where the folder beside the project has them."""

from pathlib import Path

from tests.builders import DATA, REPO

FOLDERS = (DATA / "hl7v2", REPO.parent / "shared" / "samples" / "hl7v2")
SAMPLES: dict[str, Path] = {path.stem: path for folder in FOLDERS for path in sorted(folder.glob("*.hl7"))}
