"""Where a model is asked: the address, the protocol spoken there, and how a key is shown.

The address says which protocol it is: one that ends in ``/messages`` speaks Anthropic's Messages API, every other
one OpenAI's chat completions. One with ``?api-version=`` is Azure's, which wants the key in a header of its own.
"""

import ipaddress
from dataclasses import dataclass
from urllib.parse import urlsplit

MESSAGES_VERSION = "2023-06-01"


@dataclass(frozen=True, slots=True)
class Endpoint:
    """An address to post to. ``is_local`` is a model on this machine, which answers one question at a time."""

    url: str
    speaks_messages: bool = False
    is_azure: bool = False
    is_local: bool = False

    def headers(self, key: str | None) -> dict[str, str]:
        """The headers of a request, with the key if there is one."""
        found = {"Accept": "application/json", "Content-Type": "application/json"}
        if self.speaks_messages:
            found["anthropic-version"] = MESSAGES_VERSION
        if key is None:
            return found
        name = "x-api-key" if self.speaks_messages else "api-key" if self.is_azure else "Authorization"
        return found | {name: f"Bearer {key}" if name == "Authorization" else key}


def endpoint_at(url: str) -> Endpoint:
    """The endpoint at a base URL, or at the URL of its requests."""
    base, mark, query = url.partition("?")
    is_whole = base.endswith(("/messages", "/chat/completions"))
    return Endpoint(
        (base if is_whole else f"{base}/chat/completions") + mark + query,
        base.endswith("/messages"),
        query.startswith("api-version="),
        _is_local(urlsplit(base).hostname or ""),
    )


def _is_local(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
