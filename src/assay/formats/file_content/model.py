"""What a file is to those who look for values in it."""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from assay.formats.field_rules.values import Plain

Finder: TypeAlias = Callable[[str], Sequence[Plain]]
MAX_VALUES = 4_000_000
