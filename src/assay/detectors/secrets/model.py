"""Results of a search for secrets. The secret itself is in no ``repr``."""

import hashlib
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Secret:
    """Something that looks like a secret.

    ``public`` is how many characters at the front are the same in every token of its kind (``ghp_``), so showing
    them gives nothing away. ``start`` is where it begins in the text that was searched.
    """

    rule: str
    value: str = field(repr=False)
    start: int
    public: int = 0

    @property
    def fingerprint(self) -> str:
        """Tells two secrets apart, and gives neither away."""
        return hashlib.sha256(self.value.encode("utf-8", "surrogatepass")).hexdigest()[:8]

    @property
    def mask(self) -> str:
        return f"{self.value[: self.public]}…({len(self.value)} characters)"
