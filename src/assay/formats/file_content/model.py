"""What a file is to those who look for values in it."""

from collections.abc import Callable
from typing import TypeAlias

from assay.formats.field_rules.values import Found

Finder: TypeAlias = Callable[[str], list[Found]]
MAX_VALUES = 4_000_000
