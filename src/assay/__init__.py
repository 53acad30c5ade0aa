"""Assay turns what an AI agent did into a reward that you can trust.

``assay.score()``, ``run()``, ``report()``, ``compare()``, ``power()``, ``audit()`` and ``verify()`` do what the
commands of these names do (``assay.commands``). The other public faces are submodules, imported when they are
used: ``from assay import harbor``, or ``assay.harbor``. The errors that they raise are here, too.
"""

from assay.version import VERSION

# Read by type checkers. The module typing isn't imported, so that the command is soon able to stop in order.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from assay.commands import audit, compare, power, report, run, score, verify
    from assay.core.errors import AssayError, InputError, MeasurementError

__version__ = VERSION

_FACES = ("backends", "client", "commands", "criteria", "evaluation", "harbor", "rewards", "scorers")
_COMMANDS = ("audit", "compare", "power", "report", "run", "score", "verify")

__all__ = [
    "AssayError",
    "InputError",
    "MeasurementError",
    "__version__",
    "audit",
    "backends",
    "client",
    "commands",
    "compare",
    "criteria",
    "evaluation",
    "harbor",
    "power",
    "report",
    "rewards",
    "run",
    "score",
    "scorers",
    "verify",
]


def __getattr__(name: str) -> "Any":
    import importlib  # noqa: PLC0415 - as above

    if name in _FACES:
        return importlib.import_module(f"assay.{name}")
    if name in __all__:
        place = "commands" if name in _COMMANDS else "core.errors"
        return getattr(importlib.import_module(f"assay.{place}"), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
