"""Why an assertion is not supported, and where in it the reason is."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from pydantic import ValidationError

from assay.engine.criteria import check_class, check_of
from assay.engine.criteria_places import Place, Remark
from assay.engine.criterion_entries import DISCRIMINATOR
from assay.engine.mistakes import sentence

LISTS: Final = ("fields", "assertions")
HARMLESS: Final = ("id", "MSH-1", "ISA01", "content")
"""A path for each language."""


def why_unsupported(
    error: ValueError, assertion: dict[str, Any], place: Place, data: Mapping[str, Any]
) -> Iterator[Remark]:
    """Every reason that can be told apart; a check itself stops at the first."""
    if isinstance(error.__cause__, ValidationError):
        reasons, kind = error.__cause__.errors(include_url=False), check_class(assertion[DISCRIMINATOR])
        placed: dict[Place, list[str]] = {}
        for one in reasons:
            why, written = sentence(one, kind), _written(one["loc"], assertion)
            where = (*written, *_named_at(why, written, assertion))
            # A sentence that begins with the field's name need not say it twice.
            placed.setdefault(where, []).append(why.removeprefix(f"{where[-1]} ") if where else why)
        if () not in placed:
            yield from (Remark("unsupported", (*place, *loc), ", or ".join(why)) for loc, why in placed.items())
            return
        error = ValueError(placed[()][0])
    guilty = dict(_guilty_rules(assertion, data))
    for inner, why in guilty.items():
        yield Remark("unsupported", (*place, *inner), why)
    if not guilty:
        yield Remark("unsupported", (*place, *(_named_in(str(error), assertion) or ())), str(error))


def _named_at(why: str, place: Place, part: Any) -> Place:
    """The place of the value that a message about a rule quotes, within the rule."""
    for key in place:
        part = part.get(key) if isinstance(part, dict) else part[int(key)] if isinstance(part, list) else None
    return (_named_in(why, part) or ()) if place and isinstance(part, dict) else ()


def _written(loc: Place, part: Any) -> Place:
    """The place as far as it is in what was written, and one name more if that is missing.

    Where there are several ways to write something, the rest says which of them did not fit.
    """
    for at, key in enumerate(loc):
        if isinstance(part, dict) and key not in part:
            return loc[: at + 1]
        if not isinstance(part, dict) and not (isinstance(part, list) and isinstance(key, int)):
            return loc[:at]
        part = part[key]  # type: ignore[index] # A list has numbers as keys.
    return loc


def _guilty_rules(assertion: dict[str, Any], data: Mapping[str, Any]) -> Iterator[tuple[Place, str]]:
    """The rules that are wrong on their own. Where all are, for the same reason, the reason may be another one."""
    for name in LISTS:
        rules = assertion.get(name)
        if not isinstance(rules, list) or not rules:
            continue
        alone = [_complaint({**assertion, name: [rule]}, data) for rule in rules]
        if len(set(alone)) == 1 and not _is_right_without(assertion, name, data):
            continue
        for at, (rule, why) in enumerate(zip(rules, alone, strict=True)):
            if why is not None:
                yield (name, at, *(_named_in(why, rule) or ())), why


def _is_right_without(assertion: dict[str, Any], name: str, data: Mapping[str, Any]) -> bool:
    """Whether an assertion is supported with a rule that nobody can object to in place of its own."""
    harmless = ({"path": path, "operator": "exists"} for path in HARMLESS)
    return any(_complaint({**assertion, name: [rule]}, data) is None for rule in harmless)


def _complaint(assertion: dict[str, Any], data: Mapping[str, Any]) -> str | None:
    try:
        check_of(assertion, data)
    except ValueError as error:
        return str(error)
    return None


def _named_in(message: str, part: Any, place: Place = ()) -> Place | None:
    """The place of the value or the field that a message quotes."""
    if isinstance(part, str):
        return place if part and repr(part) in message else None
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in inner:
        found = _named_in(message, value, (*place, key))
        if found is None and isinstance(key, str) and repr(key) in message:
            found = (*place, key)
        if found is not None:
            return found
    return None
