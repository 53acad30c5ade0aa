"""Compare headers with trailers: control numbers and counts."""

import re

from assay.formats.x12.findings import Findings, Kind, quoted
from assay.formats.x12.model import Group, Interchange, Segment, TransactionSet

# More digits than any count has; a longer text is none.
_COUNT = re.compile(r"[0-9]{1,10}")


def check_set(closed: TransactionSet, group: Segment | None, interchange: int, findings: Findings) -> None:
    """ST02 against SE02, SE01 against the segments from ST to SE, and ST03 against GS08."""

    def say(kind: Kind, message: str, segment: int) -> None:
        findings.add(kind, message, interchange, closed.number, segment)

    header, trailer, length = closed.header, closed.trailer, len(closed.segments)
    if trailer is None:
        say(Kind.MISSING_TRAILER, f"the transaction set {quoted(header.text(2))} has no SE", length)
    else:
        # ST02 is text, in which a leading zero counts.
        if header.text(2) != trailer.text(2):
            say(Kind.CONTROL_NUMBER, _differ("ST02", header.text(2), "SE02", trailer.text(2)), length)
        if problem := _count_problem("SE01", trailer.text(1), length, "segments from ST to SE"):
            say(Kind.COUNT, problem, length)
    version = group.text(8) if group else ""
    if header.text(3) and version and header.text(3) != version:
        say(Kind.VERSION, _differ("ST03", header.text(3), "GS08", version), 1)


def check_group(closed: Group, interchange: int, findings: Findings) -> None:
    """GS06 against GE02, GE01 against the sets, and the sets' control numbers against each other."""

    def say(kind: Kind, message: str, segment: Segment | None) -> None:
        findings.add(kind, message, interchange, segment=segment.number if segment else None)

    header, trailer = closed.header, closed.trailer
    _check_unique([one.header for one in closed.sets], "ST02", 2, interchange, findings)
    if trailer is None:
        if header is not None:
            say(Kind.MISSING_TRAILER, f"the group {quoted(header.text(6))} has no GE", header)
        return
    if header is not None and not _same_number(header.text(6), trailer.text(2)):
        say(Kind.CONTROL_NUMBER, _differ("GS06", header.text(6), "GE02", trailer.text(2)), trailer)
    if problem := _count_problem("GE01", trailer.text(1), len(closed.sets), "transaction sets"):
        say(Kind.COUNT, problem, trailer)


def check_interchange(interchange: Interchange, findings: Findings) -> None:
    """ISA13 against IEA02, IEA01 against the groups, and the groups' control numbers against each other."""

    def say(kind: Kind, message: str, segment: Segment) -> None:
        findings.add(kind, message, interchange.number, segment=segment.number)

    headers = [group.header for group in interchange.groups if group.header is not None]
    _check_unique(headers, "GS06", 6, interchange.number, findings)
    header, trailer = interchange.header, interchange.trailer
    if trailer is None:
        return
    if not _same_number(header.text(13), trailer.text(2)):
        say(Kind.CONTROL_NUMBER, _differ("ISA13", header.text(13), "IEA02", trailer.text(2)), trailer)
    if problem := _count_problem("IEA01", trailer.text(1), len(headers), "functional groups"):
        say(Kind.COUNT, problem, trailer)


def _check_unique(headers: list[Segment], name: str, position: int, interchange: int, findings: Findings) -> None:
    seen: set[str] = set()
    for header in headers:
        control = header.text(position)
        if control in seen:
            message = f"{name} {quoted(control)} is the control number of an earlier one too"
            findings.add(Kind.DUPLICATE_CONTROL_NUMBER, message, interchange, segment=header.number)
        seen.add(control)


def _count_problem(name: str, declared: str, actual: int, what: str) -> str | None:
    if not _COUNT.fullmatch(declared):
        return f"{name} is {quoted(declared)}; it must be the number of {what}, which is {actual}"
    if int(declared) != actual:
        return f"{name} is {int(declared)}, but the number of {what} is {actual}"
    return None


def _same_number(one: str, other: str) -> bool:
    """Control numbers of groups and interchanges are numbers: leading zeros don't count."""
    if _COUNT.fullmatch(one) and _COUNT.fullmatch(other):
        return int(one) == int(other)
    return one == other


def _differ(name: str, value: str, other_name: str, other: str) -> str:
    return f"{name} is {quoted(value)}, but {other_name} is {quoted(other)}"
