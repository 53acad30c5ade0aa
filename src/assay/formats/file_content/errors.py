"""What these formats raise."""

from assay.core.errors import AssayError


class UnreadableError(AssayError):
    """The file is not what its format says. The message says why, and quotes no value."""
