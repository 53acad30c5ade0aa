"""The service's refusals, beside input that can't be used."""

from assay.core.errors import InputError


class NotFoundError(InputError):
    """There is nothing with that id, or nothing that the caller may know of: the two look alike."""


class ConflictError(InputError):
    """The request doesn't fit the present state, such as completing a run that was cancelled."""


class OutdatedError(ConflictError):
    """It was changed since the caller looked at it."""


class BusyError(ConflictError):
    """Somebody else is at it. Asking again a little later will do."""
