"""The files that pages load: a stylesheet, a script, and htmx. Their addresses change with their content."""

import gzip
import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

_KINDS = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
NAMES = ("style.css", "assay.js", "htmx.min.js", "icon.svg")


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent, and packed for those who take that. ``version`` is the beginning of its hash."""

    name: str
    content: bytes
    media_type: str
    version: str
    packed: bytes


@cache
def asset(name: str) -> Asset | None:
    """A file by its name; None if there is none of that name."""
    if name not in NAMES:
        return None
    content = files("assay.web").joinpath("static", name).read_bytes()
    version = hashlib.sha256(content).hexdigest()[:12]
    return Asset(name, content, _KINDS[name[name.rindex(".") :]], version, gzip.compress(content, mtime=0))


def asset_path(name: str) -> str:
    """Where a page finds a file, below the base."""
    found = asset(name)
    if found is None:
        raise KeyError(name)
    return f"assets/{name}?v={found.version}"


def caching(found: Asset, version: str) -> str:
    """How long a browser may keep a file: for good if it asked for this very content."""
    return "public, max-age=31536000, immutable" if version == found.version else "no-cache"
