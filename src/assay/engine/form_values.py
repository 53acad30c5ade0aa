"""What was entered into a form, as the value that it stands for, and back.

Nothing is refused here: what can't be read as the field's type stays text, and the declaration then says what it
must be. A field that was left empty is left out, so that its default holds.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from assay.engine.forms import Control, Form, FormField

ON: Final = "on"
_WHOLE: Final = re.compile(r"[+-]?[0-9]{1,18}")
_DECIMAL: Final = re.compile(r"[+-]?[0-9]{1,18}(?:\.[0-9]{1,18})?(?:[eE][+-]?[0-9]{1,3})?")


def value_of(form: Form, entered: Mapping[str, str]) -> dict[str, Any]:
    """The value that was entered, with its parts in their places."""
    found: dict[str, Any] = {}
    for one in form.fields:
        if one.only_for is not None and entered.get(one.only_for[0], "") != one.only_for[1]:
            continue
        value = _value(one, entered.get(one.name, ""))
        if value is not None and value != one.default:
            _put(found, one.name.split("."), value)
    return found


def entered_as(form: Form, value: Mapping[str, Any]) -> dict[str, str]:
    """What a form shows for a value: the text of every field, the default where there is none."""
    shown: dict[str, str] = {}
    for one in form.fields:
        inside = _get(value, one.name.split("."))
        applies = one.only_for is None or _get(value, one.only_for[0].split(".")) == one.only_for[1]
        shown[one.name] = _text(one, one.default if inside is None or not applies else inside)
    return shown


def not_in(form: Form, value: Mapping[str, Any]) -> dict[str, Any]:
    """The parts of a value that the form has no field for, so that saving it doesn't lose them."""
    known = {one.name.partition(".")[0] for one in form.fields}
    return {name: one for name, one in value.items() if name not in known}


def _value(one: FormField, text: str) -> Any:
    match one.control:
        case Control.TOGGLE:
            return text == ON
        case Control.LINES:
            return _lines(text) or None
        case Control.WHOLE_NUMBER if _WHOLE.fullmatch(text.strip()):
            return int(text)
        case Control.NUMBER if _DECIMAL.fullmatch(text.strip()):
            return float(text)
        case Control.JSON if text.strip():
            return _from_json(text)
    return text.replace("\r\n", "\n") if text.strip() else None


def _lines(text: str) -> list[str]:
    """A text on each line. Those that have line breaks themselves are written as a list in JSON."""
    if text.lstrip().startswith("["):
        listed = _from_json(text)
        if isinstance(listed, list) and all(isinstance(one, str) for one in listed):
            return listed
    return [line.strip() for line in text.splitlines() if line.strip()]


def _from_json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _text(one: FormField, value: Any) -> str:
    match one.control:
        case Control.TOGGLE:
            return ON if value is True else ""
        case Control.LINES if isinstance(value, Sequence) and not isinstance(value, str):
            texts = [str(each) for each in value]
            several = any("\n" in each for each in texts)
            return json.dumps(texts, indent=2, ensure_ascii=False) if several else "\n".join(texts)
        case Control.JSON:
            return "" if value is None else json.dumps(value, indent=2, ensure_ascii=False)
    return "" if value is None else str(value)


def _put(into: dict[str, Any], place: Sequence[str], value: Any) -> None:
    for part in place[:-1]:
        into = into.setdefault(part, {})
    into[place[-1]] = value


def _get(value: Any, place: Sequence[str]) -> Any:
    for part in place:
        if not isinstance(value, Mapping):
            return None
        value = value.get(part)
    return value
