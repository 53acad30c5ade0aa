"""The search for secrets in one text or one file of any kind, in every reading of it."""

import re
import unicodedata
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from assay.detectors.secrets.archives import is_packed, unpacked
from assay.detectors.secrets.assignments import assigned_secrets
from assay.detectors.secrets.decoders import derived
from assay.detectors.secrets.known import der_key, known_secrets
from assay.detectors.secrets.logins import written_logins
from assay.detectors.secrets.model import Secret
from assay.detectors.secrets.view import View, plain_view

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
_ASCII_RUN = re.compile(rb"[\t\n\r -~]{8,}")
_WIDE_RUN = re.compile(rb"(?:[\t\n\r -~]\x00){8,}|(?:\x00[\t\n\r -~]){8,}")
_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Leak:
    """A secret, where it is, and the disguise it came in (``plain`` for none). ``column`` is 0 in a disguise."""

    secret: Secret
    line: int
    column: int
    form: str


def scan_text(text: str, path: str = "", numbers: tuple[int, ...] | None = None) -> list[Leak]:
    """Every secret in a text, each value once, at its first place. ``numbers`` has the lines' numbers in the
    file.
    """
    found: dict[str, Leak] = {}
    for view in _readings(plain_view(normalised(text), numbers)):
        for secret in _in_view(view, path):
            if not _known_already(secret, found):
                found[secret.value] = Leak(secret, view.line_at(secret.start), _column(view, secret), view.form)
    return list(found.values())


def scan_bytes(data: bytes, path: str = "") -> list[Leak]:
    """Every secret in a file: as text, or in the printable parts of a binary file (all on line 0)."""
    text = decoded(data)
    if text is not None and not is_packed(data):
        return scan_text(text, path)
    found = {one.secret.value: Leak(one.secret, 0, 0, "binary") for one in scan_text(printable(data))}
    if key := der_key(data):
        found[key.value] = Leak(key, 0, 0, "binary")
    for content in unpacked(data):
        # An archive in an archive is read as the binary file that it is.
        inner = decoded(content)
        for one in scan_text(inner if inner is not None else printable(content)):
            found.setdefault(one.secret.value, Leak(one.secret, 0, 0, "archive"))
    return list(found.values())


def decoded(data: bytes) -> str | None:
    """The text of a file: UTF-8, UTF-32 with its mark, or UTF-16 with or without one. None for a binary file."""
    if data.startswith((b"\xff\xfe\0\0", b"\0\0\xfe\xff")):
        return data.decode("utf-32", "replace")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return data.decode("utf-16", "replace")
    head = data[:4096]
    if b"\0" not in head:
        return data.decode("utf-8", "replace")
    for encoding, zeros, letters in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        # A file that is nothing but zeros all over, as a tar file may be, is no text.
        if zeros.count(0) > 0.8 * len(zeros) and len(zeros) >= 4 and letters.count(0) < 0.2 * len(letters):
            return data.decode(encoding, "replace")
    return None


def printable(data: bytes) -> str:
    """The readable text in a binary file, as ASCII or with a zero beside every character."""
    runs = [run.decode("ascii") for run in _ASCII_RUN.findall(data)]
    runs += [run.replace(b"\0", b"").decode("ascii") for run in _WIDE_RUN.findall(data)]
    return "\n".join(runs)


def normalised(text: str) -> str:
    """A text without invisible characters and with compatible forms (full width, for one) made plain."""
    return text if text.isascii() else unicodedata.normalize("NFKC", _INVISIBLE.sub("", text))


def _readings(start: View) -> Iterator[View]:
    """A view and everything that can be derived from it, to a small depth, at a cost that the size bounds."""
    budget = 12 * len(start.text) + 10_000
    waiting = deque([(start, 0)])
    while waiting:
        view, depth = waiting.popleft()
        budget -= len(view.text)
        if budget < 0:
            return
        yield view
        if depth < _DEPTH:
            waiting.extend((further, depth + 1) for further in derived(view))


def _in_view(view: View, path: str) -> Iterator[Secret]:
    yield from known_secrets(view)
    # In a text that was decoded, a random value behind a telling name is too likely to be chance.
    if view.form in ("plain", "escaped"):
        yield from assigned_secrets(view.text, path)
        yield from written_logins(view.text)


def _known_already(secret: Secret, found: dict[str, Leak]) -> bool:
    """Whether a secret was found, maybe as a part of a longer one or under another rule."""
    return secret.value in found or any(secret.value in value for value in found)


def _column(view: View, secret: Secret) -> int:
    if view.form != "plain":
        return 0
    return secret.start - view.text.rfind("\n", 0, secret.start)
