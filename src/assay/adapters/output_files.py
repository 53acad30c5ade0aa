"""Files that an agent left as its output, for a judge to read."""

from typing import Final

from assay.adapters.safe_read import read_file
from assay.evidence.files import Content, Refused
from assay.judge.rubric import OutputFile

LIMIT: Final = 16 * 2**20


def read_output(path: str) -> OutputFile:
    """A file as text. Whatever is at the path, this doesn't raise."""
    found = read_file(path, LIMIT)
    if isinstance(found, Content):
        return OutputFile(path, found.data.decode(errors="replace"))
    return OutputFile(path, None, str(found) if isinstance(found, Refused) else "there is no such file")
