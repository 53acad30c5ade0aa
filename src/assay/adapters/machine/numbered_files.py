"""Records that are written once and never changed: numbered files in their own folder."""

import contextlib
import os
import re

from assay.adapters.machine.atomic_write import unfinished_file
from assay.adapters.machine.safe_read import add_packed, entries_of, is_file, is_there, read_below
from assay.core.errors import InputError
from assay.engine.ports import MARK, NumberTakenError
from assay.evidence.files import Content

LIMIT = 64 * 2**20
_NAME = re.compile(r"^(\d{4,})\.json$")


def numbers_in(parent: str, folder: str) -> list[int]:
    """The numbers in use, in order."""
    try:
        names = [name for name, _ in entries_of(f"{parent}/{folder}")]
    except OSError:
        return []
    return sorted(int(match[1]) for name in names if (match := _NAME.match(name)))


def read_numbered(parent: str, folder: str, number: int) -> bytes:
    """The bytes of one record."""
    file = read_below(parent, (folder, file_name(number)), LIMIT)
    if not isinstance(file, Content):
        raise InputError(f"{parent}/{folder}/{file_name(number)} can't be read")
    return file.data


def read_all_numbered(parent: str, folder: str) -> dict[int, bytes]:
    """The records that are there now, each read once, by their numbers and in their order."""
    return {number: read_numbered(parent, folder, number) for number in numbers_in(parent, folder)}


def write_numbered(parent: str, folder: str, number: int, text: str) -> str:
    """Write a record under a number. Raises ``NumberTakenError`` if it is in use: nothing is overwritten."""
    path = f"{parent}/{folder}/{file_name(number)}"
    on_disk = os.path.isdir(parent)
    if on_disk:
        os.makedirs(f"{parent}/{folder}", exist_ok=True)
    try:
        if on_disk:
            with unfinished_file(f"{parent}/{folder}", text, os.fsync) as unfinished:
                os.link(unfinished, path)  # Unlike a rename, a link fails where the name is taken.
        else:
            add_packed(path, text.encode())
    except FileExistsError as error:
        raise NumberTakenError(f"{path} already exists; is another process writing there?") from error
    _mark(os.path.dirname(os.path.abspath(parent)))
    return path


def append_numbered(parent: str, folder: str, text: str) -> str:
    """Write a record under the next free number, however many processes do so at the same time."""
    while True:
        number = (numbers_in(parent, folder) or [0])[-1] + 1
        with contextlib.suppress(NumberTakenError):
            return write_numbered(parent, folder, number, text)


def _mark(job: str) -> None:
    """Mark the job's folder as one whose trials have records, so that others needn't look for them."""
    if is_file(f"{job}/lock.json") and not is_there(f"{job}/{MARK}"):
        if not os.path.isdir(job):
            with contextlib.suppress(FileExistsError):
                add_packed(f"{job}/{MARK}", b"")
            return
        with contextlib.suppress(OSError), open(f"{job}/{MARK}", "a"):
            pass


def file_name(number: int) -> str:
    return f"{number:04d}.json"
