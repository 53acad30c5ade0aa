"""Ways to disguise a text, undone: base 64 and its kin, hexadecimal, byte lists, escapes, turned round."""

import base64
import binascii
import codecs
import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from assay.detectors.secrets.archives import decompressed
from assay.detectors.secrets.literals import by_name, glued
from assay.detectors.secrets.rules import HINTS
from assay.detectors.secrets.view import View, pieces_view

_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}")
_HEX = re.compile(r"(?<![0-9A-Fa-f])(?:[0-9A-Fa-f]{2}){20,}(?![0-9A-Fa-f])")
_HEX_PAIRS = re.compile(r"(?<![0-9A-Fa-f])[0-9A-Fa-f]{2}(?:[ :,-][0-9A-Fa-f]{2}){19,}(?![0-9A-Fa-f])")
_NUMBER = r"(?:0x[0-9A-Fa-f]{1,2}|\d{1,3})"
_BYTES = re.compile(rf"{_NUMBER}(?:[ \t\r\n]{{0,40}},[ \t\r\n]{{0,40}}{_NUMBER}){{15,}}")
_ESCAPE = re.compile(r"\\x([0-9A-Fa-f]{2})|\\u\{?([0-9A-Fa-f]{2,6})\}?|\\([0-7]{3})")
_WRAPPED = re.compile(r"(?m)^[ \t\"'#*>|+/-]{0,40}?([A-Za-z0-9+/_-]{8,120}={0,2})[ \t\"'+,;\\\r]{0,8}$\n?")
_TAIL = re.compile(r"[ \t\"'#*>|+-]{0,40}([A-Za-z0-9+/_-]{1,120}={0,2})[ \t\"'+,;\\\r]{0,8}(?:\n|$)")
_BASE85 = re.compile(r"[\"']((?:[!-&(-~]|\\[^!-&(-~\n]){25,400})[\"']")
_EQUALS = re.compile(r"(?:=[0-9A-Fa-f]{2}){8,}")
_FILLED = re.compile(
    r"([\"'`])([^\"'`\n]{20,400})\1\s{0,4}\.(?:replace\w*|gsub|delete|split|tr)\(\s{0,4}[\"'/](.)[\"'/]", re.ASCII
)
_LONGEST_INNER = 100_000
_PERCENT = re.compile(r"%[0-9A-Fa-f]{2}")
# Short ones stand in words: "oic", which is "cio" turned round, in every invoice.
_REVERSED_HINTS = tuple(hint[::-1] for hint in HINTS if len(hint) > 3 or (len(hint) == 3 and not hint.isalnum()))
_ROT13_HINTS = tuple(
    codecs.encode(hint, "rot13") for hint in HINTS if len(hint) > 3 and re.search("[a-zA-Z]", hint)
)


def derived(view: View) -> Iterator[View]:
    """Every other reading of a view that has anything in it."""
    for derive in _OF_SOURCE + _OF_ANY if view.form in ("plain", "escaped") else _OF_ANY:
        found = derive(view)
        if found is not None:
            yield found


def _wrapped_lines(view: View) -> View | None:
    """Lines that are nothing but one run of base 64 or of a token, put together."""
    return pieces_view("wrapped", view, _wrapped(view))


def _wrapped(view: View) -> Iterator[tuple[str, int]]:
    run: list[str] = []
    first = end = -1
    for found in _WRAPPED.finditer(view.text):
        if found.start() != end:
            yield from _whole(view, run, first, end)
            run, first = [], found.start()
        run.append(found[1])
        end = found.end()
    yield from _whole(view, run, first, end)


def _whole(view: View, run: list[str], first: int, end: int) -> Iterator[tuple[str, int]]:
    """A run of lines with the last, shorter one."""
    tail = _TAIL.match(view.text, end) if run else None
    parts = [*run, tail[1]] if tail else run
    if len(parts) > 1:
        yield "".join(parts), first


@dataclass(frozen=True, slots=True)
class _Decoder:
    """Finds what is written to some base, in long words or anywhere, and says what it means.

    A text that hasn't got ``mark`` isn't looked at.
    """

    form: str
    pattern: re.Pattern[str]
    decode: Callable[[re.Match[str]], str]
    in_runs: bool = False
    mark: str = ""

    def __call__(self, view: View) -> View | None:
        if self.mark not in view.text:
            return None
        places = view.runs if self.in_runs else ((0, view.text),)
        return pieces_view(
            self.form,
            view,
            [
                (self.decode(part), at + part.start())
                for at, text in places
                for part in self.pattern.finditer(text)
            ],
        )


def _escapes(view: View) -> View | None:
    if "\\" not in view.text or _ESCAPE.search(view.text) is None:
        return None
    return View("escaped", _ESCAPE.sub(_unescaped, view.text), view.line_at)


def _percent(view: View) -> View | None:
    return pieces_view(
        "percent", view, [(unquote(run), start) for start, run in view.runs if _PERCENT.search(run)]
    )


def _entities(view: View) -> View | None:
    if view.text.count("&#") < 4:
        return None
    return View("entities", html.unescape(re.sub(r"&#(?:10|13|x0?[aAdD]);", " ", view.text)), view.line_at)


def _reversed(view: View) -> View | None:
    if view.form == "reversed" or not _is_turned_round(view):
        return None
    return View("reversed", view.text[::-1], lambda offset: view.line_at(len(view.text) - 1 - offset))


def _is_turned_round(view: View) -> bool:
    sample = view.sample
    return "YEK ETAVIRP" in view.text or (bool(sample) and any(hint in sample for hint in _REVERSED_HINTS))


def _reversed_base64(view: View) -> View | None:
    """Base 64 that was turned round has its padding in front."""
    if view.form == "reversed" or "==" not in view.sample:
        return None
    found = [
        (_from_base64(run[::-1].rstrip("=")), start)
        for start, run in view.runs
        if len(run) >= 27 and run[0] == "="
    ]
    return pieces_view("base64", view, found)


def _rot13(view: View) -> View | None:
    sample = view.sample
    if view.form == "rot13" or not sample or not any(hint in sample for hint in _ROT13_HINTS):
        return None
    return View("rot13", codecs.encode(view.text, "rot13"), view.line_at)


# Only source has literals and lines to put together.
_OF_SOURCE: tuple[Callable[[View], View | None], ...] = (
    glued,
    by_name,
    _wrapped_lines,
    _escapes,
    # Any text may be to the base 85, so only one that is decoded in the same place is taken for it.
    _Decoder("base85", _BASE85, lambda found: _from_base85(found[1]), mark="85"),
    # A literal with a sign in it that is taken out again: ``"g-h-p".replace("-", "")``.
    _Decoder("filled up", _FILLED, lambda found: found[2].replace(found[3], "")),
    # ``=67=68``, as mail has it.
    _Decoder(
        "quoted-printable", _EQUALS, lambda found: bytes.fromhex(found[0].replace("=", "")).decode("latin-1")
    ),
)
_OF_ANY: tuple[Callable[[View], View | None], ...] = (
    _Decoder("base64", _BASE64, lambda found: _from_base64(found[0]), in_runs=True),
    _Decoder("hex", _HEX, lambda found: _readable(bytes.fromhex(found[0])), in_runs=True),
    # ``67 68 70``, as a dump has it.
    _Decoder("hex", _HEX_PAIRS, lambda found: _readable(bytes.fromhex(re.sub(r"[^0-9A-Fa-f]", "", found[0])))),
    _Decoder("bytes", _BYTES, lambda found: _from_numbers(found[0]), mark=","),
    _percent, _entities, _reversed, _reversed_base64, _rot13,
)  # fmt: skip


def _from_base64(run: str) -> str:
    """Decode a run. It may stand behind other characters of the alphabet, so several beginnings are tried."""
    if run.isalpha() and (run.islower() or run.isupper()):
        return ""
    plain = run.replace("-", "+").replace("_", "/")
    for start in dict.fromkeys((0, 1, 2, 3, plain.find("/") + 1, plain.rfind("/") + 1)):
        part = plain[start : len(plain) - (len(plain) - start) % 4]
        data = _decoded(part) + _decoded_rest(plain[start + len(part) :])
        text = _readable(decompressed(data, _LONGEST_INNER) or data)
        if text:
            return text
    return ""


def _decoded(part: str) -> bytes:
    try:
        return base64.b64decode(part)
    except (ValueError, binascii.Error):
        return b""


def _decoded_rest(rest: str) -> bytes:
    return _decoded(rest + "=" * (4 - len(rest))) if len(rest) > 1 else b""


def _from_base85(run: str) -> str:
    for decode in (base64.b85decode, base64.a85decode):
        try:
            data = decode(run.replace("\\", ""))
        except (ValueError, binascii.Error):
            continue
        if text := _readable(decompressed(data, _LONGEST_INNER) or data):
            return text
    return ""


def _from_numbers(run: str) -> str:
    numbers = [int(number, 16) if number.startswith("0x") else int(number) for number in re.findall(_NUMBER, run)]
    return _readable(bytes(number for number in numbers if number < 256))


def _unescaped(found: re.Match[str]) -> str:
    number = int(found[1] or found[2], 16) if found[1] or found[2] else int(found[3], 8)
    return chr(number) if 32 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else " "


def _readable(data: bytes) -> str:
    """Bytes as text, or "" where they are no text."""
    if len(data) < 16:
        return ""
    if data[1:32:2].count(0) > 12:
        data = data[::2]
    head = data[:64]
    text = (
        head.isascii() and head.decode("ascii").replace("\n", "").replace("\r", "").replace("\t", "").isprintable()
    )
    return data.decode("latin-1") if text else ""
