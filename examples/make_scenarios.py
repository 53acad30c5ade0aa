"""Pack the project of each example scenario. Run it again after changing one:

.venv/bin/python examples/make_scenarios.py

The archives have no times and no owners, so that packing the same folder again changes nothing.
"""

import gzip
import io
import tarfile
from pathlib import Path

SCENARIOS = Path(__file__).resolve().parent / "coding"


def packed(project: Path) -> bytes:
    """A folder as an archive without times and owners."""
    data = io.BytesIO()
    with gzip.GzipFile(fileobj=data, mode="wb", mtime=0) as outer, tarfile.open(fileobj=outer, mode="w") as tar:
        for path in sorted(project.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                member = tarfile.TarInfo(str(path.relative_to(project)))
                member.size, member.mode = path.stat().st_size, 0o644
                tar.addfile(member, io.BytesIO(path.read_bytes()))
    return data.getvalue()


if __name__ == "__main__":
    for project in sorted(SCENARIOS.glob("*/project")):
        (project.parent / "project.tar.gz").write_bytes(packed(project))
