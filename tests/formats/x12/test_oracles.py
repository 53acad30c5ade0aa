"""Two published readers say the same of every sample that they can read. See tests/data/x12/README.md."""

import json
from collections import Counter
from typing import Any

import pytest

from assay.formats.x12.tokenize import tokenize
from tests.builders import DATA
from tests.formats.x12.messages import only_set, written

X12 = DATA / "x12"
PYX12: dict[str, dict[str, Any]] = json.loads((X12 / "oracles" / "pyx12.json").read_text())
LINUXFORHEALTH: dict[str, dict[str, Any]] = json.loads((X12 / "oracles" / "linuxforhealth.json").read_text())


def text_of(name: str) -> str:
    return (X12 / "samples" / name).read_text()


def test_every_sample_has_an_answer() -> None:
    names = {path.name for path in (X12 / "samples").iterdir()}
    assert set(LINUXFORHEALTH) == names
    placed = set(PYX12) | {name for name, answer in LINUXFORHEALTH.items() if "loops" in answer}
    assert {name for name in names - placed if not name.endswith(".278")} == set()


@pytest.mark.parametrize("name", LINUXFORHEALTH)
def test_every_element(name: str) -> None:
    (interchange,) = tokenize(text_of(name)).interchanges
    assert [[segment.id, *segment.elements] for segment in interchange.segments] == LINUXFORHEALTH[name][
        "segments"
    ]


@pytest.mark.parametrize("name", [name for name, answer in LINUXFORHEALTH.items() if "loops" in answer])
def test_every_loop_as_linuxforhealth_has_it(name: str) -> None:
    ours = Counter((placed.loop.id, written(placed.segment)) for placed in only_set(text_of(name)).segments)
    assert ours == Counter((loop, text) for loop, text in LINUXFORHEALTH[name]["loops"])


@pytest.mark.parametrize("name", PYX12)
def test_every_loop_as_pyx12_has_it(name: str) -> None:
    text = text_of(name)
    for old, new in PYX12[name]["edits"]:
        text = text.replace(old, new)
    ours = [[placed.loop.id, written(placed.segment)] for placed in only_set(text).segments]
    assert ours == PYX12[name]["loops"]
