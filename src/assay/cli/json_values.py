"""Values that JSON can hold."""

import math
from typing import Any


def without_nan(value: Any) -> Any:
    """The same value with null in place of every NaN and infinity, which JSON can't hold."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
