"""Turn views into HTML. All text is escaped, and characters that can't be seen are shown as what they are."""

from collections.abc import Iterable
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from assay.formats.counting import counted
from assay.version import VERSION

MARKS = {"passed": "✓", "failed": "✗", "unusable": "?", "broken": "!"}
"""A mark besides the colour, for everybody who can't tell the colours apart."""


def style() -> str:
    """The stylesheet of all pages."""
    return files("assay.web").joinpath("style.css").read_text(encoding="utf-8")


def render(template: str, **values: Any) -> str:
    """A page."""
    return _ENVIRONMENT.get_template(template).render(version=VERSION, marks=MARKS, **values)


def picture(svg: str) -> Markup:
    """A picture that Assay drew itself; it escapes the names in it."""
    return Markup(svg)  # noqa: S704


def visible(text: object) -> str:
    """A text on one line in which nothing is hidden: no control characters, nothing that turns the direction."""
    return "".join(_shown(one) for one in str(text))


def _shown(one: str) -> str:
    return one if one.isprintable() else one.encode("unicode_escape", "replace").decode()


def _lines(text: object) -> str:
    """A text of several lines, each of them visible."""
    return "\n".join(visible(line) for line in str(text).splitlines())


def _number(value: object, digits: int = 4) -> str:
    """A number to some digits, without zeros at its end."""
    if value is None or isinstance(value, bool) or not isinstance(value, int | float):
        return "none" if value is None else str(value)
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _diff(text: str) -> Markup:
    return Markup("\n").join(_diff_lines(text.splitlines()))


def _diff_lines(lines: Iterable[str]) -> Iterable[Markup]:
    kinds = {"+": "added", "-": "removed", "@": "place", "d": "place"}
    for line in lines:
        shown = escape(visible(line))
        kind = kinds.get(line[:1])
        yield shown if kind is None else Markup('<span class="{}">{}</span>').format(kind, shown)


_ENVIRONMENT = Environment(
    loader=PackageLoader("assay.web"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_ENVIRONMENT.filters |= {
    "counted": counted,
    "diff": _diff,
    "lines": _lines,
    "number": _number,
    "visible": visible,
}
