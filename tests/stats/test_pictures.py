"""Pictures as SVG text."""

from xml.etree import ElementTree

import pytest

from assay.stats.interval import CantSay, Interval
from assay.stats.pictures import MOST_ROWS, Point, curve, differences, forest

SVG = "{http://www.w3.org/2000/svg}"
NONE = CantSay("none")


def point(name: str, value: float, half: float | None = None) -> Point:
    return Point(name, value, NONE if half is None else Interval(value - half, value + half, 0.95, "made"))


def drawn(text: str, tag: str) -> list[ElementTree.Element]:
    return list(ElementTree.fromstring(text).iter(f"{SVG}{tag}"))  # noqa: S314 - our own


def test_a_curve_has_a_band_where_intervals_are_known() -> None:
    text = curve("pass@k", [point("k=1", 0.5, 0.2), point("k=2", 0.7, 0.1), point("k=3", 0.9)])
    [band] = drawn(text, "polygon")
    assert len(band.attrib["points"].split()) == 4
    [line] = drawn(text, "polyline")
    heights = [float(place.split(",")[1]) for place in line.attrib["points"].split()]
    assert heights == sorted(heights, reverse=True)
    assert drawn(curve("bare", [point("k=1", 0.5)]), "polygon") == []


def test_a_forest_shows_each_agent_with_its_interval() -> None:
    text = forest("agents", [point("a", 0.4, 0.1), point("b", 0.6, 0.1), point("c", 0.5)])
    assert [one.text for one in drawn(text, "text")][-3:] == ["a", "b", "c"]
    assert len([line for line in drawn(text, "line") if line.attrib["stroke-width"] == "2"]) == 2


def test_a_forest_around_a_value_marks_what_lies_off_it() -> None:
    text = forest(
        "differences", [point("up", 0.5, 0.1), point("down", -0.5, 0.1), point("open", 0, 0.2)], around=0
    )
    assert len({one.attrib["fill"] for one in drawn(text, "circle")}) == 3


def test_bars_go_left_and_right_of_0() -> None:
    better, worse = drawn(differences("by task", [point("a", 0.5), point("b", -0.5)]), "rect")
    assert float(worse.attrib["x"]) < float(better.attrib["x"])
    assert better.attrib["fill"] != worse.attrib["fill"]


@pytest.mark.parametrize("draw", [curve, forest, differences])
def test_nothing_to_draw_is_still_a_picture(draw: object) -> None:
    assert callable(draw)
    ElementTree.fromstring(draw("empty", []))  # noqa: S314 - our own


def test_too_many_rows_are_left_out_and_counted() -> None:
    text = differences("many", [point(f"t{n}", 0.1) for n in range(MOST_ROWS + 5)])
    assert len(drawn(text, "rect")) == MOST_ROWS
    assert "5 more aren't drawn" in [one.text for one in drawn(text, "text")]


def test_names_are_text_and_nothing_else() -> None:
    text = forest("</title><script>", [point('"><script>alert(1)</script>\x00\x1b', 0.5, 0.1)])
    assert drawn(text, "script") == []
    assert "\x00" not in text


def test_colours_are_those_of_the_page() -> None:
    text = forest("agents", [point("a", 0.4, 0.1)])
    assert ' color="#768390"' in text
    assert 'fill="currentColor"' in text
    assert "style" not in text
