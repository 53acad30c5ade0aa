"""Tokens that are known by their shape, and keys that are known by what surrounds them."""

import re
import zlib
from bisect import bisect_left
from collections.abc import Iterator
from itertools import islice
from urllib.parse import unquote

from assay.detectors.secrets.model import Secret
from assay.detectors.secrets.placeholders import (
    entropy,
    is_documented,
    is_emulator_host,
    is_placeholder,
    is_sample_jwt,
    is_weak,
    is_words,
)
from assay.detectors.secrets.rules import RULES, TokenRule
from assay.detectors.secrets.view import View

_GLUED_GITHUB = re.compile(r"gh[pousr]_[A-Za-z0-9]{36}(?![A-Za-z0-9])")
_PEM = re.compile(r"-----BEGIN ([A-Z0-9 ]{0,40})PRIVATE KEY( BLOCK)?-----")
_PEM_BODY_LIMIT = 20_000
_PEM_NOISE = re.compile(r"\\r|\\n|[\s\"'+,\\]|[A-Z][A-Za-z-]{2,20}: [^\n\\]{0,80}")
# A sequence that begins with version 0 and the name of an algorithm, or with an RSA modulus; or a curve's key.
_DER = re.compile(
    rb"\x30(?:[\x40-\x7f]|\x81.|\x82..)\x02\x01(?:\x00(?:\x30[\x05-\x1f]\x06[\x03-\x0b]|\x02(?:\x81.|\x82..)\x00)|\x01\x04[\x1c-\x42])",
    re.DOTALL,
)
_PUTTY = re.compile(r"PuTTY-User-Key-File-\d")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=])[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=])")
_AWS_CONTEXT = re.compile(r"aws|secret_?access|(?<![A-Za-z0-9])A[KS]IA[A-Z0-9]{16}", re.IGNORECASE)
_NEAR = 240
# The number of an account to the base 64, the time, and a signature. Digits have few forms to that base.
_DISCORD = re.compile(
    r"(?<![A-Za-z0-9_-])(?:[MNO][DTjz][AEIMQUYcgk][w-z0-5]){5,6}[A-Za-z0-9]{0,4}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}"
    r"(?![A-Za-z0-9_-])"
)
_LOGIN = re.compile(r"://[^\s/@\"'<>]{0,200}@")
_URL = re.compile(
    r"(?<![A-Za-z0-9+.-])([a-z][a-z0-9+.]{1,24})://([^\s:/@\"'<>{}]{0,64}):([^\s/@,\"'<>]{1,128})@([A-Za-z0-9_.\[\]-]{1,253})"
)


def known_secrets(view: View) -> Iterator[Secret]:
    """Every token of the table, private keys, AWS secret keys and URLs with a password."""
    sample = view.sample
    if sample:
        for rule in RULES:
            if any(hint in sample for hint in rule.hints):
                yield from _tokens(rule, view.text)
        yield from _glued_tokens(view)
        yield from _aws_secret_keys(view)
        yield from _discord_tokens(view)
    yield from private_keys(view.text)
    yield from _urls(view.text)


def der_key(data: bytes) -> Secret | None:
    """A private key as a file of its own, in the form without any letters: PKCS #8, PKCS #1 or SEC 1."""
    found = _DER.match(data)
    return Secret("private_key", data[found.end() :][:200].hex(), 0) if found and len(data) < 20_000 else None


def private_keys(text: str) -> Iterator[Secret]:
    """A private key's header with enough behind it to be a key. The header alone is code that looks for one."""
    if "PRIVATE KEY" not in text and "PuTTY" not in text:
        return
    for found in _PEM.finditer(text):
        # A key ends where the next line of dashes begins, so no part of a text is looked at twice.
        end = text.find("-----", found.end(), found.end() + _PEM_BODY_LIMIT)
        window = text[found.end() : end if end >= 0 else found.end() + _PEM_BODY_LIMIT]
        body = _PEM_NOISE.sub("", window)
        run = re.match(r"[A-Za-z0-9+/=]*", body)
        key = run[0] if run else ""
        if len(key) >= 40 and entropy(key[:400]) > 3.5 and not is_placeholder(key[:80]):
            yield Secret("private_key", key, found.start())
    for found in islice(_PUTTY.finditer(text), 20):
        key = text[found.end() : found.end() + _PEM_BODY_LIMIT].partition("Private-Lines:")[2][:400].strip()
        if len(key) >= 40:
            yield Secret("private_key", key, found.start())


def _tokens(rule: TokenRule, text: str) -> Iterator[Secret]:
    for found in rule.pattern.finditer(text):
        value = found[rule.group]
        if _is_known_shape(rule.name, value):
            yield Secret(rule.name, value, found.start(rule.group), rule.public)


def _is_known_shape(name: str, value: str) -> bool:
    if is_documented(value):
        return False
    return not is_sample_jwt(value) if name == "json_web_token" else entropy(value) > 2.8


def _glued_tokens(view: View) -> Iterator[Secret]:
    """A token right behind other letters counts where its check digits are right."""
    if any(hint in view.sample for hint in ("ghp_", "gho_", "ghu_", "ghs_", "ghr_")):
        for found in _GLUED_GITHUB.finditer(view.text):
            glued = found.start() > 0 and view.text[found.start() - 1].isalnum()
            if glued and has_checksum(found[0]):
                yield Secret("github_token", found[0], found.start(), 4)


def _aws_secret_keys(view: View) -> Iterator[Secret]:
    """Forty characters to the base 64 near a word of AWS or an access key's id. Forty hex digits are a commit."""
    if not _AWS_SECRET.search(view.sample):
        return
    places = [found.start() for found in _AWS_CONTEXT.finditer(view.text)]
    for found in _AWS_SECRET.finditer(view.text):
        at = bisect_left(places, found.start() - _NEAR)
        near = at < len(places) and places[at] <= found.end() + _NEAR
        if near and _is_random_base64(found[0]) and not is_documented(found[0]):
            yield Secret("aws_secret_access_key", found[0], found.start())


def _discord_tokens(view: View) -> Iterator[Secret]:
    if _DISCORD.search(view.sample):
        yield from (Secret("discord_token", found[0], found.start()) for found in _DISCORD.finditer(view.text))


def _is_random_base64(value: str) -> bool:
    kinds = (any(c.isupper() for c in value), any(c.islower() for c in value), any(c.isdigit() for c in value))
    return all(kinds) and entropy(value) >= 4.2 and not re.search(r"[a-z]{8}", value) and not is_words(value)


def _urls(text: str) -> Iterator[Secret]:
    if _LOGIN.search(text) is None:
        return
    for found in _URL.finditer(text):
        scheme, user, password, host = found.groups()
        if _is_real_login(scheme, unquote(user), unquote(password), host):
            yield Secret("url_with_password", password, found.start(3))


def _is_real_login(scheme: str, user: str, password: str, host: str) -> bool:
    if password == user or is_placeholder_password(password) or scheme in ("data", "file"):
        return False
    strong = len(password) >= 12 and entropy(password) >= 3.2 and not is_weak(password)
    if is_emulator_host(host):
        return strong and "example." not in host
    return strong or ("." in host and len(password) >= 6 and not is_weak_word(password))


def is_placeholder_password(password: str) -> bool:
    return (
        len(password) < 6
        or "{" in password
        or "$" in password[:1]
        or bool(re.search(r"x{3}|\*{2}|\.{3}|example|%s", password, re.IGNORECASE))
    )


def is_weak_word(password: str) -> bool:
    """The words that examples use in place of a password."""
    return (
        re.fullmatch(
            r"pass(word|wd)?\d{0,3}|secret|postgres|mysql|root|admin|user|guest|changeme|token|your.*|test(ing)?|my.*pass.*",
            password,
            re.IGNORECASE,
        )
        is not None
    )


_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def checksum(random_part: str) -> str:
    """The six characters that end a token with this random part."""
    rest, found = zlib.crc32(random_part.encode()), ""
    while rest:
        rest, digit = divmod(rest, 62)
        found = _DIGITS[digit] + found
    return found.rjust(6, "0")


def has_checksum(token: str) -> bool:
    """Whether a token such as ``ghp_…`` ends with the right check digits."""
    body = token.partition("_")[2]
    return len(body) == 36 and body.isascii() and checksum(body[:30]) == body[30:]
