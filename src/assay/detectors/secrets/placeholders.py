"""Lookalikes of secrets: placeholders, documented examples, hashes, identifiers, look-ups."""

import base64
import binascii
import json
import math
import re
from collections import Counter

# Keys that vendors print in their own documentation, and a storage emulator's fixed key.
_DOCUMENTED = (
    "AKIAIOSFODNN7EXAMPLE",
    "AKIAI44QH8DHBEXAMPLE",
    "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==",
    "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
    "QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
    # What the documents on OAuth and HTTP show.
    "2YotnFZFEjr1zCsicMWpAA",
    "tGzv3JOkF0XG5Qx2TlKWIA",
    "SplxlOBeZQQYbYS6WxSbIA",
    "7Fjfp0ZBr1KtDRbnfVdmIw",
    "czZCaGRSa3F0MzpnWDFmQmF0M2JW",
    "ad180jjd733klru7",
)

_WORDS = re.compile(
    r"example|changeme|change[-_]me|placeholder|redacted|dummy|your[-_]|[-_]here\b|insert[-_]|replace[-_]?me|"
    r"not[-_]?a[-_]?real|notreal|\bfake|[-_]fake|sample|x{5}|\*{3}|\.{3}|…|0{8}|deadbeef|lorem|todo",
    re.IGNORECASE,
)
# In a password that somebody made up, these words say that it guards nothing; in a token they are chance.
_WEAK_WORDS = re.compile(
    r"passw|passphrase|secret|token|test|admin|qwert|letmein|welcome|hunter2|mock|stub|foobar|hello|world|demo|"
    r"fixture|invalid|wrong|expired|correct|default|string|value|1234|abcd|none|null|undefined",
    re.IGNORECASE,
)
_LEET = str.maketrans("013457@$!", "oleastasi")
_REFERENCE = re.compile(
    r"\$\{|\$\(|^\$[A-Za-z_]|\{\{|<[^<>]{1,60}>|%\(|%s|\{\w{0,40}\}|#\{|process\.env|os\.environ|getenv|"
    r"ENV\[|secrets\.|vault:|ref\+|!ref|arn:aws|ssm:|op://|sm://|secretKeyRef",
    re.IGNORECASE,
)
_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_HASH = re.compile(
    r"(?:sha(?:1|224|256|384|512)|md5|h1|blake2b)[-:=$][A-Za-z0-9+/=_-]+|\$2[aby]\$.*|\$argon2.*|pbkdf2.*"
)
_NOT_LITERAL = re.compile(r"[\s\[\](){}<>|^*\\`;]|://|\.\w{1,5}$|^[./~@]|::|->|^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}")


def entropy(text: str) -> float:
    """Shannon's entropy, in bits a character."""
    return -sum(n / len(text) * math.log2(n / len(text)) for n in Counter(text).values()) if text else 0.0


def is_documented(value: str) -> bool:
    """A key out of somebody's documentation, or one with a placeholder's words in it."""
    return any(example in value for example in _DOCUMENTED) or is_placeholder(value)


def is_placeholder(value: str) -> bool:
    """Whether a value of a known shape says itself that it is none: one character repeated, or such a word."""
    body = value[4:64] if len(value) > 12 else value
    return _WORDS.search(value) is not None or _REFERENCE.search(value) is not None or len(set(body)) < 6


def is_weak(value: str) -> bool:
    """Whether a value that a person would type guards nothing: a placeholder, or words such as ``password``, to
    the base 64 too.
    """
    readings = (value, value.translate(_LEET), _from_base64(value))
    return is_placeholder(value) or any(_WEAK_WORDS.search(text) for text in readings)


def is_sample_jwt(token: str) -> bool:
    """The tokens that jwt.io, RFC 7519 and a much used library show, whoever signed them."""
    claims = _json_part(token.split(".")[1])
    john = claims.get("name") == "John Doe" or str(claims.get("sub", "")).startswith("1234567890")
    return (
        john or claims == {"some": "payload"} or (claims.get("iss") == "joe" and claims.get("exp") == 1300819380)
    )


def is_high_entropy(value: str) -> bool:
    """Whether a literal is as random as generated keys are, and neither a hash, an identifier, words nor code."""
    if len(value) > 400 or is_documented(value) or is_weak(value) or _is_of_another_kind(value):
        return False
    has_digit, has_letter = any(c.isdigit() for c in value), any(c.isalpha() for c in value)
    if not (has_digit and has_letter) or is_words(value):
        return False
    if len(value) >= 16:
        return entropy(value) >= (3.0 if re.fullmatch(r"[0-9a-f]+|[0-9A-F]+", value) else 3.4)
    return len(value) >= 12 and entropy(value) >= 3.2 and _classes(value) >= 3


def _is_of_another_kind(value: str) -> bool:
    """Code, a path, a hash, a UUID, or a web token, for which there is a rule of its own."""
    token = value.startswith("eyJ") and value.count(".") == 2
    return bool(token or _NOT_LITERAL.search(value) or _HASH.match(value) or _UUID.fullmatch(value))


def is_emulator_host(host: str) -> bool:
    """Whether a host is this machine or one that can't exist."""
    name = host.lower().rsplit(":", 1)[0].strip("[]")
    local = ("localhost", "127.0.0.1", "0.0.0.0", "::1", "host", "hostname", "server", "example")  # noqa: S104
    return name in local or name.endswith((".example", ".test", ".invalid", ".localhost")) or "example." in name


def _classes(value: str) -> int:
    tests = (str.isupper, str.islower, str.isdigit, lambda c: not c.isalnum())
    return sum(any(test(c) for c in value) for test in tests)


def is_words(value: str) -> bool:
    """``user-profile-2``, ``getAccessToken2``: words with a number are a name, not a key."""
    parts = [part for part in re.split(r"[^A-Za-z0-9]+|(?<=[a-z])(?=[A-Z])", value) if part]
    wordy = sum(len(part) for part in parts if re.fullmatch(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}|[a-z]{3,}\d{1,4}", part))
    return wordy >= 0.7 * sum(len(part) for part in parts)


def _from_base64(value: str) -> str:
    """The value's base 64 text; "" where it isn't text."""
    try:
        text = base64.b64decode(value, validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        return ""
    return text if text.isprintable() else ""


def _json_part(text: str) -> dict[str, object]:
    try:
        found = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    except (ValueError, binascii.Error, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
