"""What can be wrong with FHIRPath."""

from assay.core.errors import AssayError


class FhirPathError(AssayError):
    """An expression can't be evaluated on a resource, such as ``single()`` where there are two."""


class FhirPathSyntaxError(FhirPathError, ValueError):
    """A text isn't FHIRPath. A ``ValueError`` too: it is refused when a criterion is loaded."""
