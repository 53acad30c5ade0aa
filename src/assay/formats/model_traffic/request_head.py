"""The head of an HTTP request that an agent wrote, read strictly: what could be read in two ways is refused."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

LARGEST_HEAD = 32 * 1024
END = b"\r\n\r\n"
_LINE = re.compile(r"(GET|POST) (/[!-~]*) HTTP/1\.1")
_FIELD = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):([\t -~\x80-\xff]*+)")
_MOST_FIELDS = 100


class RefusedRequestError(Exception):
    """A request that isn't passed on: the status of the answer, and why."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(why)
        self.status = status


@dataclass(frozen=True, slots=True)
class RequestHead:
    """A request without its body. The names of headers are in lower case."""

    method: str
    path: str
    query: str
    headers: Mapping[str, str]
    length: int


def parse_head(data: bytes) -> RequestHead:
    """The head in some bytes, without the empty line at its end. Raises ``RefusedRequestError``."""
    line, *rest = data.decode("latin-1").split("\r\n")
    found = _LINE.fullmatch(line)
    if found is None:
        raise RefusedRequestError(
            400, "a request must be GET or POST of a path such as /v1/chat/completions by HTTP/1.1"
        )
    path, _, query = found[2].partition("?")
    if "//" in path or {"%", "\\", "#"} & set(path) or {".", ".."} & set(path.split("/")):
        raise RefusedRequestError(400, "the path of a request must be plain, without '..', '//', '%' or '\\'")
    headers = _headers(rest)
    return RequestHead(found[1], path, query, headers, _length(headers))


def _headers(lines: list[str]) -> dict[str, str]:
    headers: dict[str, str] = {}
    if len(lines) > _MOST_FIELDS:
        raise RefusedRequestError(431, f"a request must have at most {_MOST_FIELDS} headers")
    for line in lines:
        found = _FIELD.fullmatch(line)
        if found is None:
            raise RefusedRequestError(
                400, "a header of a request must be one line with a name, a colon and a value"
            )
        name = found[1].lower()
        if name in headers and name in ("content-length", "content-type", "host", "transfer-encoding"):
            raise RefusedRequestError(400, f"a request must have {name} only once")
        headers[name] = found[2].strip(" \t")
    return headers


def _length(headers: Mapping[str, str]) -> int:
    if "transfer-encoding" in headers:
        raise RefusedRequestError(411, "a request must have a content-length, and no transfer-encoding")
    if "content-encoding" in headers:
        raise RefusedRequestError(415, "the body of a request must not be compressed")
    written = headers.get("content-length", "0")
    if not (written.isascii() and written.isdecimal() and len(written) < 16):
        raise RefusedRequestError(400, "the content-length of a request must be a whole number")
    return int(written)
