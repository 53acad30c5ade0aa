"""Which loop table a transaction set is read by."""

from assay.formats.x12.guide import Guide
from assay.formats.x12.guides import (
    acknowledgment,
    attachment,
    claim,
    claim_status,
    eligibility,
    payment,
    services_review,
)
from assay.formats.x12.model import Segment, TransactionSet

GUIDES = (
    eligibility.INQUIRY,
    eligibility.RESPONSE,
    claim_status.REQUEST,
    claim_status.RESPONSE,
    claim_status.ACKNOWLEDGMENT,
    services_review.REQUEST,
    services_review.RESPONSE,
    payment.PAYMENT,
    claim.PROFESSIONAL,
    claim.INSTITUTIONAL,
    claim.DENTAL,
    attachment.INFORMATION,
    acknowledgment.FUNCTIONAL,
    acknowledgment.IMPLEMENTATION,
)

_CLAIMS = {"SV1": claim.PROFESSIONAL, "SV2": claim.INSTITUTIONAL, "SV3": claim.DENTAL}
_BY_SET = {guide.name: guide for guide in GUIDES}


def version_of(transaction_set: TransactionSet, group: Segment | None) -> str:
    """The guide that a set says it follows: ST03, or GS08 where that is missing."""
    return transaction_set.header.text(3) or (group.text(8) if group else "")


def guide_for(transaction_set: TransactionSet, version: str) -> Guide | None:
    """The table for a set, or None if there is none."""
    name = transaction_set.header.text(1)
    first = transaction_set.segments[1] if len(transaction_set.segments) > 1 else None
    begins = first if first is not None and first.id == "BHT" else None
    if name == "277":
        return claim_status.ACKNOWLEDGMENT if _acknowledges(version, begins) else claim_status.RESPONSE
    if name == "278":
        responds = begins is not None and begins.text(2) == "11"
        return services_review.RESPONSE if responds else services_review.REQUEST
    if name == "837":
        return _claim(transaction_set, version)
    return _BY_SET.get(name)


def _claim(transaction_set: TransactionSet, version: str) -> Guide:
    """By the version, or by the segment that its services have."""
    for guide in _CLAIMS.values():
        if version.startswith(guide.version[:10]):
            return guide
    services = (_CLAIMS[one.id] for one in transaction_set.segments if one.id in _CLAIMS)
    return next(services, claim.PROFESSIONAL)


def follows(version: str, guide: Guide) -> bool:
    """Whether a version is that of a guide, with or without its errata."""
    return not version or version.startswith(guide.version[:10])


def _acknowledges(version: str, begins: Segment | None) -> bool:
    """A 277 acknowledges claims by its version, or by its structure code where it names no guide."""
    if "X2" in version:
        return version.startswith("005010X214")
    return begins is not None and begins.text(1) == "0085"
