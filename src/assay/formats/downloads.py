"""Commands that need the network."""

import re
from typing import Final

LOOPBACK: Final = re.compile(r"\blocalhost\b|\b127\.\d+\.\d+\.\d+|::1\b|\b0\.0\.0\.0\b|\.sock\b")
FETCH: Final = re.compile(r"\b(curl|wget)\b.{0,1000}https?://(?!localhost\b|127\.|\[::1\])")

_DOWNLOADS: Final = re.compile(
    r"\b(?:apt(?:-get)?\s+(?:-\S+\s+){0,20}(?:update|install)|(?:apk|dnf|yum)\s+(?:add|install)|pip3?\s+install|uvx"
    r"|uv\s+(?:add|pip|run|sync|tool)|npm\s+(?:add|ci|i|install)|npx|git\s+clone|gem\s+install"
    r"|cargo\s+(?:fetch|install)|go\s+(?:get|install))\b"
)
_OFFLINE: Final = re.compile(r"--no-index|--offline|--no-deps\s+\S*/|^(?:echo|printf)\b")
_REMOTE: Final = re.compile(
    r"(?:\S*/)?(?:(?:curl|wget|aria2c|ssh|scp|sftp|ftp|telnet|nc|ncat|netcat|dig|nslookup|ping|lynx|w3m)"
    r"\s+(?:-\S+\s+){0,20}[^-\s]|git\s+(?:-[Cc]\s+\S+\s+|-\S+\s+){0,5}(?:fetch|pull|push|ls-remote)\b"
    r"|(?:yarn|pnpm|bun)\s+(?:add|install)\b|(?:docker|podman)\s+(?:pull|push)\b|brew\s+install\b)"
)


def downloads(command: str) -> bool:
    """Whether a command needs the network, pinned or not."""
    return _OFFLINE.search(command) is None and bool(_DOWNLOADS.search(command) or FETCH.search(command))


def goes_out(command: str) -> bool:
    """Whether one simple command asks another machine for something. Loopback addresses aren't another machine."""
    reaches = _REMOTE.match(command) is not None and LOOPBACK.search(command) is None
    return reaches or (downloads(command) and LOOPBACK.search(command) is None)
