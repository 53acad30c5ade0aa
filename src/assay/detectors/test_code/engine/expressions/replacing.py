"""Functions of the code under test that a test has replaced by ones whose answers it gives itself."""

import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from assay.detectors.test_code.engine.expressions.parts import FUNCTIONS
from assay.detectors.test_code.tree import Node

if TYPE_CHECKING:
    from assay.detectors.test_code.engine.reading import Reading

_FAR = 200
_CALLED = re.compile(r"(?:await )?([\w.:]+)\(")


class Replacing:
    """The replacements in one file."""

    def __init__(self, reading: "Reading") -> None:
        self._reading = reading

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        """Where each function is replaced, by its name with what it belongs to."""
        found: dict[str, list[int]] = {}
        for pattern in self._reading.language.replacing:
            for match in pattern.finditer(self._reading.tree.text):
                name = ".".join(filter(None, match.groups()))
                found.setdefault(name, []).append(match.start())
        return found

    def asks_own(self, subject: str, used: Node) -> bool:
        """Whether a subject is a call of something that was replaced before, in the test or where it is set up."""
        if not self._reading.language.replacing or not self._places:
            return False
        called = _CALLED.match(subject)
        places = self._places.get(called[1].replace("::", "."), ()) if called is not None else ()
        around = [each for each in islice(used.ancestors(), _FAR) if each.part in FUNCTIONS] if places else []
        return any(
            any(each.start <= place < min(each.end, used.start) for each in around)
            or any(each.start <= place < each.end for each in self._reading.set_up)
            for place in places
        )
