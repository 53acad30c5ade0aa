"""Count tokens in the answers of language models: OpenAI's chat completions and responses, Anthropic's messages.

An answer is one JSON object or a stream of events. A server wrote it, so nothing in it is sure to be there.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

LARGEST = 32 * 2**20


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one answer. ``input`` includes those read from a cache and those written to it."""

    input: int
    output: int
    cached: int | None = None
    written: int | None = None


def tokens_of(usage: object) -> Tokens | None:
    """The tokens in a ``usage`` object; None if it states none."""
    if not isinstance(usage, dict):
        return None
    if (found := _count(usage.get("prompt_tokens"))) is not None:
        cached = _detail(usage, "prompt_tokens_details")
        return Tokens(found, _count(usage.get("completion_tokens")) or 0, cached)
    fresh, output = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    if fresh is None and output is None:
        return None
    if "input_tokens_details" in usage:
        return Tokens(fresh or 0, output or 0, _detail(usage, "input_tokens_details"))
    # Anthropic counts what concerns the cache apart.
    read, written = _count(usage.get("cache_read_input_tokens")), _count(usage.get("cache_creation_input_tokens"))
    return Tokens((fresh or 0) + (read or 0) + (written or 0), output or 0, read, written)


class AnswerCounter:
    """Reads an answer as it passes by. ``feed`` returns what is to be passed on.

    With ``hide``, the event that only states the usage is left out: the agent didn't ask for it. ``model`` is the
    model that answers, by its own word.
    """

    def __init__(self, content_type: str, *, hide: bool = False) -> None:
        self._stream = content_type.partition(";")[0].strip().lower() == "text/event-stream"
        self._hide = hide and self._stream
        self._rest = b""
        self._whole: list[bytes] = []
        self._size = 0
        self._too_large = False
        self._usage: dict[str, Any] = {}
        self._event: list[bytes] = []
        self.model: str | None = None

    def feed(self, chunk: bytes) -> bytes:
        """Look at a piece of the answer."""
        if self._too_large:
            return chunk
        if not self._stream:
            self._size += len(chunk)
            self._too_large = self._size > LARGEST
            self._whole.append(chunk)
            if self._too_large:
                self._whole.clear()
            return chunk
        self._rest += chunk
        if len(self._rest) > LARGEST:
            self._too_large = True
            held, self._rest = b"".join(self._event) + self._rest, b""
            return held if self._hide else chunk
        *lines, self._rest = self._rest.splitlines(keepends=True) or [b""]
        if self._rest.endswith(b"\n"):
            lines.append(self._rest)
            self._rest = b""
        passed = b"".join([self._line(line) for line in lines])
        return passed if self._hide else chunk

    def end(self) -> tuple[bytes, Tokens | None]:
        """The rest to pass on, and the tokens; None if the answer didn't state them."""
        held = b"".join(self._event) + self._rest if self._hide else b""
        if not self._stream:
            answer = _object(b"".join(self._whole))
            self._note_model(answer)
            return held, tokens_of(answer.get("usage"))
        self._look(self._rest)
        return held, tokens_of(self._usage)

    def _line(self, line: bytes) -> bytes:
        """One line of a stream: nothing while an event is held back, then all of it, or nothing at all."""
        only_usage = self._look(line)
        if not self._hide:
            return b""
        self._event.append(b"" if only_usage else line)
        if line.strip():
            return b""
        whole, self._event = b"".join(self._event), []
        return whole if whole.strip() else b""

    def _look(self, line: bytes) -> bool:
        """Take the usage out of a line. Returns whether the line has nothing else."""
        if not line.startswith(b"data:"):
            return False
        names_model = self.model is None and b'"model"' in line
        if b'"usage"' not in line and not names_model:
            return False
        event = _object(line[5:])
        self._note_model(event)
        usage = event.get("usage")
        for inner in ("response", "message"):  # The events of responses and of messages wrap the whole answer.
            holder = event.get(inner)
            usage = holder.get("usage") if isinstance(holder, dict) and usage is None else usage
        if not isinstance(usage, dict):
            return False
        # Later events state totals so far, and may leave out what was said before.
        self._usage |= {name: value for name, value in usage.items() if value is not None}
        return event.get("choices") == []

    def _note_model(self, event: Mapping[str, Any]) -> None:
        for holder in (event, event.get("response"), event.get("message")):
            name = holder.get("model") if isinstance(holder, Mapping) else None
            if isinstance(name, str) and self.model is None:
                self.model = name


def _object(text: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _detail(usage: Mapping[str, Any], name: str) -> int | None:
    details = usage.get(name)
    return _count(details.get("cached_tokens")) if isinstance(details, dict) else None


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None
