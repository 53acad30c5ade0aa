"""Literals of high entropy that are given to something named like a secret: ``api_key = "…"``."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterator

from assay.detectors.secrets.model import Secret
from assay.detectors.secrets.placeholders import is_high_entropy

_WORD = re.compile(
    r"passw(?:or)?d|passphrase|secret|token|api[_-]?key|access[_-]?key|auth[_-]?key|account[_-]?key|encryption[_-]?key|"
    r"signing[_-]?key|app[_-]?key|admin[_-]?key|master[_-]?key|shared[_-]?key|service[_-]?key|private[_-]?key|credential|authorization|bearer|\bpwd|_pat\b",
    re.IGNORECASE,
)
# Without a flag that keeps it from jumping to the next place at which it could begin.
_LOWER_WORD = re.compile(_WORD.pattern)
_STEMS = ("pass", "secret", "token", "key", "credential", "authorization", "bearer", "pwd", "_pat")
_BEFORE, _AFTER = 80, 400
# A name, what gives it a value, and the value: quoted anywhere, bare in files of settings.
_QUOTED = re.compile(
    r"(?<![\w.-])(?P<name>[A-Za-z_][\w.-]{0,100})(?P<close>\\?[\"'])?\]?"
    r"(?:[ \t]{0,8}:[ \t]{0,4}[A-Za-z_.&]{1,40})?[ \t]{0,40}(?:=>|:=|===?|=|:|,|\()[ \t\n]{0,40}"
    r"[brfuL@&]{0,2}\\?(?P<quote>[\"'`])(?P<value>[^\"'`\n]{8,400}?)\\?(?P=quote)"
)
_BARE = re.compile(
    r"(?<![\w.])(?P<name>[A-Za-z_][\w.-]{0,100})[ \t]{0,40}(?:=>|=|:|[ \t])[ \t]{0,40}"
    r"(?!-)(?P<value>[^\s\"'`,;#<>(){}$]{12,400})(?=[\s;]|$)"
)
# The whole rest of a line, which may have signs in it that would end a word elsewhere.
_LINE = re.compile(
    r"(?m)^[ \t]{0,40}(?:-[ ]|export[ ]|ENV[ ])?(?P<name>[A-Za-z_][\w.-]{0,100})[ \t]{0,8}[:=][ \t]{0,8}(?P<value>[^\s\"'`]{12,128})[ \t]{0,8}$"
)
_ELEMENT = re.compile(r"<(?P<name>[A-Za-z_][\w.-]{0,60})>(?P<value>[^\s<>]{12,400})</")
_ATTRIBUTES = re.compile(
    r"(?:key|name)=[\"'](?P<name>[\w.:-]{1,80})[\"'][ \t]{1,8}value=[\"'](?P<value>[^\"'\n]{12,400})[\"']",
    re.IGNORECASE,
)
# A name that ends with one of these names something about a secret, not the secret.
_ABOUT = re.compile(
    r"(?:hash|digest|checksum|sha\d*|id|ids|name|names|url|uri|path|file|dir|type|kind|class|pattern|regex|prefix|suffix|"
    r"length|size|count|limit|ttl|expiry|expires|header|field|column|label|title|text|message|msg|hint|help|doc|error|"
    r"policy|format|version|status|color|placeholder|provider|issuer|audience|scope|algorithm|alg|env|var|param|public|"
    r"integrity|hashers?|encoder|backend|validators?|strategy|mode|method|engine|driver|cipher|csrf|xsrf|izer|ized|s?_count|budget|usage)$|"
    # And one with these words in it names a place in a list.
    r"(?:page|next|cursor|continuation|pagination|resume|sync|csrf|xsrf)[_-]?token",
    re.IGNORECASE,
)
_BARE_FILES = re.compile(
    r"(?:^|/)(?:\.env[^/]*|[^/]*\.env|\.npmrc|\.yarnrc|\.pypirc|\.netrc|_netrc|\.s3cfg|\.envrc|credentials|dockerfile[^/]*|makefile|"
    r"[^/]*\.(?:ini|cfg|conf|cnf|properties|ya?ml|sh|bash|zsh|toml|tfvars|mk|txt|config|service|env\.\w+))$",
    re.IGNORECASE,
)
_LOCK_FILES = re.compile(
    r"(?:^|/)(?:[^/]*[.-]lock(?:\.json|\.ya?ml|file)?|[^/]*lock\.(?:json|ya?ml)|go\.sum|npm-shrinkwrap\.json|"
    r"yarn\.lock|flake\.lock|requirements[^/]*\.txt)$",
    re.IGNORECASE,
)


def assigned_secrets(text: str, path: str) -> Iterator[Secret]:
    """Random literals behind a telling name. Bare words count in files of settings only."""
    patterns = [_QUOTED, _ELEMENT, _ATTRIBUTES]
    if _BARE_FILES.search(path) and not _LOCK_FILES.search(path):
        patterns += [_BARE, _LINE]
    seen: set[int] = set()
    for start, end in _windows(text):
        for pattern in patterns:
            for found in pattern.finditer(text, start, end):
                if found.start("value") not in seen and _is_secret(found["name"], found["value"]):
                    seen.add(found.start("value"))
                    yield Secret("assigned_secret", found["value"], found.start("value"))


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """The surroundings of every telling word, each part of the text at most once."""
    start = end = -1
    for found in _words(text):
        low, high = max(0, found.start() - _BEFORE), found.end() + _AFTER
        if low > end:
            if end > 0:
                yield start, end
            start = low
        end = high
    if end > 0:
        yield start, end


def _words(text: str) -> Iterator[re.Match[str]]:
    lowered = text.lower()
    if any(stem in lowered for stem in _STEMS):
        yield from _LOWER_WORD.finditer(lowered) if len(lowered) == len(text) else _WORD.finditer(text)


def _is_secret(name: str, value: str) -> bool:
    return bool(_WORD.search(name)) and not _ABOUT.search(name) and is_high_entropy(value)
