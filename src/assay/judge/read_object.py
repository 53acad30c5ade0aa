"""The JSON object in a model's answer, wherever it is, and what had to be repaired to read it.

Models write thoughts before it, prose around it, fences, and JSON that is nearly JSON. One key decides. An answer
can be used if that key can be read in exactly one way; whatever else is wrong is repaired or left out, and noted.
"""

import contextlib
import json
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any, Final, TypeVar

T = TypeVar("T")
# The ends of thoughts, as the templates of reasoning models write them, and their beginnings.
_THOUGHTS_END: Final = re.compile(
    r"</(?:think(?:ing)?|thought|reasoning)>|\[/THINK\]|\u25c1/think\u25b7|<\|channel\|>final\s*<\|message\|>"
)
_THOUGHTS_BEGIN: Final = re.compile(r"<(?:think(?:ing)?|thought|reasoning)>|\[THINK\]|\u25c1think\u25b7")
_OPENING: Final = re.compile(r'\{\s*"([^"\\]{0,60})')
_AROUND: Final = re.compile(r"```(?:json)?|\ufeff|\s", re.IGNORECASE)
# A comma that nothing follows; strings are passed over.
_TRAILING: Final = re.compile(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', re.DOTALL)
_NUMBER: Final = re.compile(r"(\d{1,9})(?:\.0+)?(?:\s*(?:/|out of|of)\s*(\d{1,9}))?")
# An answer comes last; a text of nothing but braces must not take long.
_MOST_STARTS: Final = 200
_DEEPEST: Final = 4
_LONGEST_NUMBER: Final = 30


class UnusableError(ValueError):
    """An answer that can't be used. The message has nothing of the answer in it."""


@dataclass(frozen=True, slots=True)
class FoundObject:
    """An object with what was repaired, one phrase each. Keys are in lower case with underscores."""

    fields: dict[str, Any]
    repaired: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An object with its place in the text, and whether it had to be mended; None if it is broken."""

    fields: dict[str, Any] | None
    begin: int
    end: int
    mended: bool = False


class _Twice:
    """The value of a key that an object has twice, with different values."""


TWICE: Final = _Twice()


def object_schema(properties: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of an object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def find_object(
    written: str,
    keys: Collection[str],
    longest: int,
    decisive: tuple[str, Callable[[Any], object]],
    is_copied: Callable[[str], bool] = lambda _: False,
) -> FoundObject:
    """The one object in an answer whose decisive key can be read. Raises ``UnusableError``, and nothing else.

    ``is_copied`` says of an object within prose whether it stands in the data: then the model only quotes it.
    """
    if len(written) > longest:
        raise UnusableError(f"it has more than {longest} characters")
    said, around = _behind_thoughts(written, list(_objects(written, keys)))
    whole = [one for one in said if one.fields is not None]
    if around:
        whole = [one for one in whole if not is_copied(written[one.begin : one.end])]
    if not whole or said[-1].fields is None:
        raise UnusableError("it is not a JSON object")
    inner = [_plain(one, fields, keys) for one in whole for fields in _unwrapped(one.fields, keys, _DEEPEST)]
    found = _decided(inner, *decisive)
    repaired = ["text around the object"] if around else []
    repaired += ["several objects that say the same"] if len(inner) > 1 else []
    fields = {name: None if value is TWICE else value for name, value in found.fields.items()}
    return FoundObject(fields, (*repaired, *found.repaired))


def _decided(inner: list[FoundObject], name: str, read: Callable[[Any], object]) -> FoundObject:
    """The last object with the decisive key, if all of them say the same."""
    found, values = [], []
    wrong = UnusableError(f"it must be an object with {name}")
    for one in inner:
        if (value := one.fields.get(name)) is None:
            continue
        try:
            values.append(read(value))
            found.append(one)
        except UnusableError as error:
            if len(one.fields) > 1:
                raise
            wrong = error
    if not found:
        raise wrong
    if any(value != values[0] for value in values):
        raise UnusableError(f"it has several objects, and their {name} differs")
    return found[-1]


def _objects(written: str, keys: Collection[str]) -> Iterator[_Candidate]:
    """All objects that are in no other one, in their order. A broken one hides what is within it."""
    end, open_at = 0, None
    starts = [found.start() for found in _OPENING.finditer(written)]
    for start in (*starts[:_MOST_STARTS], *starts[_MOST_STARTS:][-_MOST_STARTS:]):
        before = "" if open_at is None else written[open_at:start]
        if start < end or before.count("{") > before.count("}"):
            continue
        found = _object_at(written, start)
        if found is not None:
            end = found.end
            yield found
        elif (name := _OPENING.match(written, start)) is not None and _key(name[1]) in keys:
            open_at = start
            yield _Candidate(None, start, start)


def _object_at(written: str, start: int) -> _Candidate | None:
    """The object at a place; failing that, one with line breaks in its strings, or with a comma too many."""
    with contextlib.suppress(ValueError, RecursionError):
        fields, end = _STRICT.raw_decode(written, start)
        return _Candidate(fields, start, end)
    # Spaces in the place of commas: all places stay the same.
    with contextlib.suppress(ValueError, RecursionError):
        fields, end = _LENIENT.raw_decode(_TRAILING.sub(lambda found: found[1] or " ", written[start:]))
        return _Candidate(fields, start, start + end, mended=True)
    return None


def _behind_thoughts(written: str, every: list[_Candidate]) -> tuple[list[_Candidate], bool]:
    """The objects behind the thoughts, and whether there is prose around them."""
    if len(every) == 1 and not (written[: every[0].begin] + written[every[0].end :]).strip():
        return every, False
    end = max((at for at in _outside(_THOUGHTS_END, written, every)), default=0)
    if any(at > end for at in _outside(_THOUGHTS_BEGIN, written, every)):
        raise UnusableError("its thoughts have no end")
    said = [one for one in every if one.begin >= end]
    rest, at = [], end
    for one in said:
        rest.append(written[at : one.begin])
        at = one.end
    around = _AROUND.sub("", "".join((*rest, written[at:])))
    return said or every, bool(around)


def _outside(pattern: re.Pattern[str], written: str, every: list[_Candidate]) -> Iterator[int]:
    """The ends of all matches that are in no object."""
    for found in pattern.finditer(written):
        if not any(one.begin < found.start() < one.end for one in every):
            yield found.end()


def _unwrapped(value: Any, keys: Collection[str], deepest: int) -> Iterator[dict[str, Any]]:
    """An object with one of the keys, or such objects within one that has none, such as a tool call."""
    if isinstance(value, dict) and any(key in keys or _key(key) in keys for key in value):
        yield value
    elif deepest and isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _unwrapped(item, keys, deepest - 1)
    elif deepest and isinstance(value, str) and value.lstrip().startswith("{"):
        for one in _objects(value, keys):
            yield from _unwrapped(one.fields, keys, deepest - 1)


def _plain(one: _Candidate, fields: dict[str, Any], keys: Collection[str]) -> FoundObject:
    """The fields by their own names, and what became of the others."""
    repaired = ["JSON that was nearly JSON"] if one.mended else []
    repaired += ["an object within another"] if fields is not one.fields else []
    found: dict[str, Any] = {}
    for key, value in fields.items():
        name = key if key in keys else _key(key)
        if name not in keys:
            repaired.append("a key that nobody asked for")
        elif name in found or value is TWICE:
            repaired.append(f"{name} is given twice")
            found[name] = TWICE
        else:
            found[name] = value
            repaired += [f"{name} was spelled otherwise"] if name != key else []
    return FoundObject(found, tuple(dict.fromkeys(repaired)))


def _key(written: str) -> str:
    return re.sub(r"[\s-]+", "_", written.strip().casefold())


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        found[key] = TWICE if key in found and found[key] != value else value
    return found


def _whole(written: str) -> int | None:
    """A number; None if it has more digits than anything needs, which Python refuses to read."""
    return int(written) if len(written) <= _LONGEST_NUMBER else None


_STRICT, _LENIENT = (
    json.JSONDecoder(object_pairs_hook=_object, parse_constant=lambda _: None, parse_int=_whole, strict=strict)
    for strict in (True, False)
)


def text(value: Any, what: str, longest: int, *, may_be_empty: bool = False) -> str:
    """A text that can be written again. Without ``may_be_empty`` it has to say something."""
    if not isinstance(value, str) or not (value.strip() or may_be_empty):
        raise UnusableError(f"{what} must be a text{'' if may_be_empty else ' that is not empty'}")
    if len(value) > longest:
        raise UnusableError(f"{what} has more than {longest} characters")
    return value.encode(errors="backslashreplace").decode()


def true_or_false(what: str) -> Callable[[Any], bool]:
    """Reads a value that must be one of these."""

    def read(value: Any) -> bool:
        if not isinstance(value, bool):
            raise UnusableError(f"{what} must be true or false")
        return value

    return read


def whole_number(value: Any, what: str, least: int, most: int) -> int:
    """A whole number in a range: 4, and the forms that mean just that, such as 4.0, "4" and "4/5"."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value.strip())) and found[2] in (None, str(most)):
        value = int(found[1])
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise UnusableError(f"{what} must be a whole number from {least} to {most}")
    return value
