"""Turn views into HTML. All text is escaped, and characters that can't be seen are shown as what they are."""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from assay.dialects.scorers.report import EXPLANATIONS
from assay.evidence.run import MEANINGS, State
from assay.formats.counting import counted
from assay.version import VERSION
from assay.web.assets import asset, asset_path
from assay.web.markdown import markdown
from assay.web.visible_text import lines, visible

MARKS = {
    State.PASSED: "✓",
    State.PARTIAL: "◐",
    State.FAILED: "✗",
    State.UNUSABLE: "?",
    State.BROKEN: "!",
    State.SCORED: "#",
    State.NOT_JUDGED: "-",
    State.RUNNING: "…",
    State.PENDING: "·",
    State.CANCELLED: "/",
}
"""A mark besides the colour, for everybody who can't tell the colours apart."""
NOTHING = "\N{EN DASH}"
"""Instead of a number that there is none of."""
_WORD = re.compile(r"[^A-Za-z]+")


def style() -> str:
    """The stylesheet of all pages."""
    found = asset("style.css")
    return "" if found is None else found.content.decode()


def render(template: str, **values: Any) -> str:
    """A page."""
    return _ENVIRONMENT.get_template(template).render(values)


def picture(svg: str) -> Markup:
    """A picture that Assay drew itself; it escapes the names in it."""
    return Markup(svg)  # noqa: S704


def json_text(value: object, indent: int | None = None) -> str:
    """A value as JSON that people read: names and signs of all languages as they are. The page escapes it."""
    return json.dumps(value, ensure_ascii=False, indent=indent, default=str)


def number(value: object, digits: int = 4) -> str:
    """A number to some digits, without zeros at its end, and with commas. None is a dash."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return NOTHING if value is None else str(value)
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def duration(seconds: float | None) -> str:
    """A time as people say it: 0.04 s, 12.5 s, 3 min 20 s, 2 h 5 min."""
    if seconds is None:
        return NOTHING
    if seconds < 60:
        return f"{number(seconds, 1 if seconds >= 1 else 2)} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def money(value: float | None) -> str:
    """US dollars; small amounts to four digits."""
    if value is None:
        return NOTHING
    return f"${value:,.2f}" if abs(value) >= 1 or not value else f"${number(value)}"


def moment(value: object) -> str:
    """A time to the second in UTC, as far as it can be read; else the text."""
    if value is None:
        return NOTHING
    try:
        found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
    except ValueError:
        return visible(value)
    return found.strftime("%Y-%m-%d %H:%M:%S")


def _items(values: Mapping[str, object]) -> list[tuple[str, str]]:
    """Names and values as text, of which the first hundred are shown."""
    return [(visible(name), visible(value)) for name, value in list(values.items())[:100]]


def kind(state: object) -> str:
    """A word as the name of a class in the stylesheet."""
    return "is-" + _WORD.sub("-", str(state).strip()).strip("-").lower()


_ENVIRONMENT = Environment(
    loader=PackageLoader("assay.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {
    "counted": lambda number, noun: counted(number, noun).replace(str(number), f"{number:,}"),
    "duration": duration,
    "json_text": json_text,
    "kind": kind,
    "lines": lines,
    "markdown": markdown,
    "money": money,
    "moment": moment,
    "number": number,
    "visible": visible,
    "visible_items": _items,
}
_ENVIRONMENT.globals |= {
    "marks": MARKS,
    "meanings": MEANINGS,
    "explanations": EXPLANATIONS,
    "version": VERSION,
    "asset_path": asset_path,
}
