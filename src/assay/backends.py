"""The public interface for backends that others bring, by the entry point ``assay.backends``.

>>> from assay.backends import SessionEnd
>>> SessionEnd(exit_code=0, output=b"done").output_cut
False
"""

from assay.adapters.sandbox.backend_kit import BrokenPromise, check_backend
from assay.engine.backend import Backend, LostFilesError, Session, SessionCommand, SessionEnd, SessionNeeds
from assay.evidence.coding_run import Printed

__all__ = [
    "Backend",
    "BrokenPromise",
    "LostFilesError",
    "Printed",
    "Session",
    "SessionCommand",
    "SessionEnd",
    "SessionNeeds",
    "check_backend",
]
