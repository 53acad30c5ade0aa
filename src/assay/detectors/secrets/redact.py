"""Text with every trace of given secrets taken out."""

from dataclasses import dataclass, field
from functools import cached_property

from assay.detectors.secrets.model import Secret

_TRACE = 6


@dataclass(frozen=True)
class Redaction:
    """Hides what shares six characters or more with a secret's private part, either way round.

    ``names`` are texts that have a secret in a disguise; they are hidden whole.
    """

    secrets: tuple[Secret, ...] = field(repr=False)
    names: frozenset[str] = field(default=frozenset(), repr=False)

    def of(self, text: str) -> str:
        for name in self.names:
            text = text.replace(name, f"…({len(name)} characters)")
        hidden = bytearray(len(text))
        for at in range(len(text) - _TRACE + 1):
            if text[at : at + _TRACE] in self._traces:
                hidden[at : at + _TRACE] = b"\1" * _TRACE
        return "".join(_shown(text, hidden)) if any(hidden) else text

    @cached_property
    def _traces(self) -> frozenset[str]:
        private = [secret.value[secret.public :] for secret in self.secrets]
        return frozenset(
            part[at : at + _TRACE]
            for value in private
            for part in (value, value[::-1])
            for at in range(len(part) - _TRACE + 1)
        )


def _shown(text: str, hidden: bytearray) -> list[str]:
    """The characters that are not hidden, with one mark for each run of hidden ones."""
    return [
        "…" if hidden[at] else text[at] for at in range(len(text)) if not (hidden[at] and at and hidden[at - 1])
    ]
