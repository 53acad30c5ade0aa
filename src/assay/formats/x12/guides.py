"""Loop tables of the known transaction sets, and which of them a transaction set is read by."""

from collections.abc import Iterator
from importlib.resources import files

from assay.formats.x12.guide import Guide, read_guide
from assay.formats.x12.model import TransactionSet, X12Segment


def _read_guides(text: str) -> Iterator[Guide]:
    """The guides of a file. A table may begin with the lines of another one, which its first line names."""
    tables: dict[str, str] = {}
    for part in text.split("\n[")[1:]:
        first, _, body = part.partition("\n")
        name, _, rest = first.partition("]")
        lines = [line for line in body.splitlines() if line and not line.startswith("#")]
        version, _, above = rest.strip().partition(" ")
        tables[name] = "\n".join(lines)
        if version:
            yield read_guide(name, version, f"{tables.get(above, '')}\n{tables[name]}")


_BY_NAME = {
    guide.name: guide for guide in _read_guides((files(__package__) / "guides.txt").read_text(encoding="utf-8"))
}
GUIDES = tuple(_BY_NAME.values())
_CLAIMS = {"SV1": _BY_NAME["837P"], "SV2": _BY_NAME["837I"], "SV3": _BY_NAME["837D"]}


def version_of(transaction_set: TransactionSet, group: X12Segment | None) -> str:
    """The guide that a set says it follows: ST03, or GS08 where that is missing."""
    return transaction_set.header.text(3) or (group.text(8) if group else "")


def guide_for(transaction_set: TransactionSet, version: str) -> Guide | None:
    """The table for a set, or None if there is none."""
    name = transaction_set.header.text(1)
    first = transaction_set.segments[1] if len(transaction_set.segments) > 1 else None
    begins = first if first is not None and first.id == "BHT" else None
    if name == "277":
        return _BY_NAME["277CA"] if _acknowledges(version, begins) else _BY_NAME["277"]
    if name == "278":
        responds = begins is not None and begins.text(2) == "11"
        return _BY_NAME["278 response" if responds else "278 request"]
    if name == "837":
        return _claim(transaction_set, version)
    return _BY_NAME.get(name)


def _claim(transaction_set: TransactionSet, version: str) -> Guide:
    """By the version, or by the segment that its services have."""
    for guide in _CLAIMS.values():
        if version.startswith(guide.version[:10]):
            return guide
    services = (_CLAIMS[one.id] for one in transaction_set.segments if one.id in _CLAIMS)
    return next(services, _BY_NAME["837P"])


def follows(version: str, guide: Guide) -> bool:
    """Whether a version is that of a guide, with or without its errata."""
    return not version or version.startswith(guide.version[:10])


def _acknowledges(version: str, begins: X12Segment | None) -> bool:
    """A 277 acknowledges claims by its version, or by its structure code where it names no guide."""
    if "X2" in version:
        return version.startswith("005010X214")
    return begins is not None and begins.text(1) == "0085"
