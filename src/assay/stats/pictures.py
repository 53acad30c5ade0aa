"""Pictures of statistics as SVG: curves, lines over steps, differences by task, a forest of intervals, bars.

Plain text without styles or scripts, so that it may stand in a page under a strict policy. Lines and words have
the ``currentColor``, a grey that reads on light and on dark unless the page sets another.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape

from assay.stats.interval import CantSay, Interval

WIDTH = 720
ROW = 22
MOST_ROWS = 60
GREY, UP, DOWN = "#768390", "#2f7fd6", "#cf5b3c"
_COLOURS = (UP, DOWN, "#3f9142", "#8957c9", "#b58900", GREY)

_LEFT, _RIGHT, _TOP, _BOTTOM = 220, 40, 56, 40
_NAME_LENGTH = 30
_STEPS = [digit * size for size in (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1000.0) for digit in (1, 2, 5)]


@dataclass(frozen=True, slots=True)
class Point:
    """A value with a name and, if it has one, its interval."""

    name: str
    value: float
    interval: Interval | CantSay


def curve(title: str, points: Sequence[Point]) -> str:
    """A curve between 0 and 1 over k = 1, 2, 3 and so on, with its band where intervals are known."""
    height, left = 320, 60
    inner = height - _TOP - _BOTTOM
    step = (WIDTH - left - _RIGHT) / max(1, len(points) - 1)

    def x(place: int) -> float:
        return left + place * step

    def y(value: float) -> float:
        return _TOP + (1 - value) * inner

    parts = [_level(left, y(tick / 4), f"{tick / 4:.2f}") for tick in range(5)]
    known = [(i, one.interval) for i, one in enumerate(points) if isinstance(one.interval, Interval)]
    if known:
        edge = [f"{x(i):.1f},{y(found.high):.1f}" for i, found in known]
        edge += [f"{x(i):.1f},{y(found.low):.1f}" for i, found in reversed(known)]
        parts.append(f'<polygon points="{" ".join(edge)}" fill="{UP}" fill-opacity="0.2"/>')
    line = " ".join(f"{x(i):.1f},{y(one.value):.1f}" for i, one in enumerate(points))
    parts.append(f'<polyline points="{line}" fill="none" stroke="{UP}" stroke-width="2"/>')
    every = max(1, len(points) // 20)
    for i, one in enumerate(points):
        parts.append(f'<circle cx="{x(i):.1f}" cy="{y(one.value):.1f}" r="3" fill="{UP}"/>')
        if i % every == 0:
            parts.append(_text(x(i), height - 16, one.name, "middle"))
    said = ", ".join(f"{one.name} {one.value:.2f}" for one in points[:20])
    return _picture(title, said, height, parts)


def lines(title: str, series: Mapping[str, Mapping[int, float]]) -> str:
    """Several lines between 0 and 1 over the same steps, each with its name beside its end."""
    height, left, right = 320, 60, 220
    inner = height - _TOP - _BOTTOM
    steps = sorted({step for one in series.values() for step in one}) or [0]
    scale = (WIDTH - left - right) / max(1, steps[-1] - steps[0])
    parts = []
    for tick in range(5):
        y = _TOP + (1 - tick / 4) * inner
        parts.append(_line(left, y, WIDTH - right, y, "currentColor", faint=True))
        parts.append(_text(left - 8, y + 4, f"{tick / 4:.2f}", "end"))
    for place, (name, values) in enumerate(series.items()):
        colour = _COLOURS[place % len(_COLOURS)]
        at = [(left + (step - steps[0]) * scale, _TOP + (1 - value) * inner) for step, value in values.items()]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in at)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        y = _TOP + 8 + place * 18
        parts.append(_line(WIDTH - right + 10, y, WIDTH - right + 26, y, colour, width=2))
        parts.append(_text(WIDTH - right + 32, y + 4, name, "start"))
    for step in steps[:: max(1, len(steps) // 10)]:
        parts.append(_text(left + (step - steps[0]) * scale, height - 16, str(step), "middle"))
    said = ", ".join(f"{name} {list(values.values())[-1]:.2f}" for name, values in series.items() if values)
    return _picture(title, f"at the end: {said}", height, parts)


def forest(title: str, points: Sequence[Point], *, around: float | None = None, axis: str = "") -> str:
    """One row for each value with its interval. ``around`` is a value to be compared with, such as 0."""
    shown = points[:MOST_ROWS]
    ends = [end for one in shown for end in _ends(one)] + ([] if around is None else [around])
    scale = _Scale(ends)
    height = _TOP + ROW * len(shown) + _BOTTOM
    parts = [*scale.axis(height), *_axis_title(axis, height)]
    if around is not None:
        parts.append(_line(scale.x(around), _TOP - 8, scale.x(around), height - _BOTTOM, "currentColor"))
    for row, one in enumerate(shown):
        parts += _row(one, scale, _TOP + ROW * row + ROW / 2, _colour(one, around))
    said = "; ".join(
        f"{one.name} {one.value:+.2f}" if around == 0 else f"{one.name} {one.value:.2f}" for one in shown
    )
    return _picture(title, said, height, [*parts, *_left_out(len(points), height)])


def differences(title: str, points: Sequence[Point], axis: str = "") -> str:
    """A bar for each task's difference, from 0 to the left or to the right, the largest first."""
    shown = points[:MOST_ROWS]
    scale = _Scale([0.0, *(one.value for one in shown)])
    height = _TOP + ROW * len(shown) + _BOTTOM
    parts = [*scale.axis(height), *_axis_title(axis, height)]
    for row, one in enumerate(shown):
        y = _TOP + ROW * row
        low, high = sorted((scale.x(0), scale.x(one.value)))
        colour = UP if one.value > 0 else DOWN
        parts.append(_text(_LEFT - 10, y + 15, _short(one.name), "end"))
        size = f'width="{max(high - low, 1):.1f}" height="{ROW - 8}"'
        parts.append(f'<rect x="{low:.1f}" y="{y + 4}" {size} fill="{colour}"/>')
    parts.append(_line(scale.x(0), _TOP - 8, scale.x(0), height - _BOTTOM, "currentColor"))
    said = "; ".join(f"{one.name} {one.value:+.2f}" for one in shown)
    return _picture(title, said, height, [*parts, *_left_out(len(points), height)])


def bars(title: str, points: Sequence[Point]) -> str:
    """A bar from 0 to 1 for each value, with the value behind it."""
    shown, left, right = points[:MOST_ROWS], 160, 90
    whole, height = WIDTH - left - right, _TOP + ROW * len(points[:MOST_ROWS]) + 12
    parts = []
    for row, one in enumerate(shown):
        y, length = _TOP + ROW * row - 8, min(max(one.value, 0.0), 1.0) * whole
        place = f'x="{left}" y="{y + 4}" height="{ROW - 8}" rx="3"'
        parts.append(_text(left - 10, y + 15, _short(one.name, 22), "end"))
        parts.append(f'<rect {place} width="{whole}" fill="{GREY}" fill-opacity="0.18"/>')
        parts.append(f'<rect {place} width="{length:.1f}" fill="{UP}"/>')
        parts.append(_text(WIDTH - right + 12, y + 15, f"{one.value:.4f}".rstrip("0").rstrip("."), "start"))
    said = "; ".join(f"{one.name} {one.value:.4f}" for one in shown)
    return _picture(title, said, height, [*parts, *_left_out(len(points), height)])


class _Scale:
    """Places numbers between the margins of the picture."""

    def __init__(self, values: Sequence[float]) -> None:
        low, high = min(values, default=0.0), max(values, default=1.0)
        pad = (high - low) * 0.05 or 0.5
        self._low, self._high = low - pad, high + pad

    def x(self, value: float) -> float:
        share = (value - self._low) / (self._high - self._low)
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def axis(self, height: float) -> Iterator[str]:
        for value in self._ticks():
            yield _line(self.x(value), _TOP - 8, self.x(value), height - _BOTTOM, "currentColor", faint=True)
            yield _text(self.x(value), height - 16, f"{value:g}", "middle")

    def _ticks(self) -> list[float]:
        """Up to seven round numbers."""
        span = self._high - self._low
        step = next((one for one in _STEPS if span / one <= 6), span / 4)
        first, last = math.ceil(self._low / step), math.floor(self._high / step)
        return [round(number * step, 6) for number in range(first, last + 1)]


def _row(one: Point, scale: _Scale, y: float, colour: str) -> Iterator[str]:
    yield _text(_LEFT - 10, y + 4, _short(one.name), "end")
    if isinstance(one.interval, Interval):
        yield _line(scale.x(one.interval.low), y, scale.x(one.interval.high), y, colour, width=2)
    yield f'<circle cx="{scale.x(one.value):.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _colour(one: Point, around: float | None) -> str:
    if around is None or not isinstance(one.interval, Interval) or one.interval.low <= around <= one.interval.high:
        return UP if around is None else "currentColor"
    return UP if one.value > around else DOWN


def _ends(one: Point) -> list[float]:
    return [one.value, *([one.interval.low, one.interval.high] if isinstance(one.interval, Interval) else [])]


def _axis_title(text: str, height: float) -> list[str]:
    return [_text(_LEFT, height - 2, text, "start")] if text else []


def _left_out(points: int, height: float) -> list[str]:
    more = points - MOST_ROWS
    return [_text(WIDTH - _RIGHT, height - 2, f"{more} more aren't drawn", "end")] if more > 0 else []


def _picture(title: str, said: str, height: float, parts: Sequence[str]) -> str:
    """The whole picture, with a title and a description for those who don't see it."""
    label = _clean(title)
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:g}" class="assay-picture"'
            f' role="img" aria-label="{escape(label)}" color="{GREY}" font-family="sans-serif" font-size="12">',
            f"<title>{escape(label)}</title>",
            f"<desc>{escape(_clean(said))}</desc>",
            _text(20, 24, label, "start", size=15),
            *parts,
            "</svg>\n",
        ]
    )


def _level(left: float, y: float, text: str) -> str:
    return _line(left, y, WIDTH - _RIGHT, y, "currentColor", faint=True) + _text(left - 8, y + 4, text, "end")


def _line(x1: float, y1: float, x2: float, y2: float, colour: str, *, width: int = 1, faint: bool = False) -> str:
    place = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
    opacity = 0.3 if faint else 1
    return f'<line {place} stroke="{colour}" stroke-width="{width}" stroke-opacity="{opacity}"/>'


def _text(x: float, y: float, text: str, anchor: str, *, size: int = 12) -> str:
    place = f'x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="{size}"'
    return f'<text {place} fill="currentColor">{escape(_clean(text))}</text>'


def _short(name: str, longest: int = _NAME_LENGTH) -> str:
    return name if len(name) <= longest else f"{name[: longest - 1]}…"


def _clean(text: str) -> str:
    """Names may come from an agent; XML can't hold all of their characters."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
