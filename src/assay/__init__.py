"""Assay turns what an AI agent did into a reward that you can trust.

The public faces are submodules, imported when they are used: ``from assay import harbor``, or ``assay.harbor``.
The errors that they raise are here, too.
"""

import importlib
from typing import TYPE_CHECKING, Any

from assay.version import VERSION

if TYPE_CHECKING:
    from assay.core.errors import AssayError, InputError, MeasurementError

__version__ = VERSION

_FACES = ("client", "criteria", "evaluation", "harbor", "rewards", "scorers")

__all__ = [
    "AssayError",
    "InputError",
    "MeasurementError",
    "__version__",
    "client",
    "criteria",
    "evaluation",
    "harbor",
    "rewards",
    "scorers",
]


def __getattr__(name: str) -> Any:
    if name in _FACES:
        return importlib.import_module(f"assay.{name}")
    if name in __all__:
        return getattr(importlib.import_module("assay.core.errors"), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
