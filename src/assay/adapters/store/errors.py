"""The two errors of a store. It raises no others: what is kept by which rules is decided by the use cases."""

from assay.core.errors import InputError, MeasurementError


class StoreError(MeasurementError):
    """The database can't be used, or was made by another version of Assay."""


class StoreRefusalError(InputError):
    """The store can't take what it was given: an address, a file, a key that is taken, a foreign cursor."""
