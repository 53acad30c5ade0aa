"""The fields that may be written at a place."""

from typing import Any

import pytest

from assay.dialects.criteria.models import CriteriaFile
from assay.dialects.criteria.playground_file import PlaygroundFile
from assay.engine.schema_errors import names_at


@pytest.mark.parametrize(
    ("root", "place", "names"),
    [
        (PlaygroundFile, ["fhir"], ["url", "folder", "token_env", "google"]),
        (CriteriaFile, [], ["criteria", "data"]),
        (CriteriaFile, ["criteria", 3, "label"], []),
        (CriteriaFile, ["nothing", "here"], []),
    ],
)
def test_names_at_a_place(root: Any, place: list[int | str], names: list[str]) -> None:
    assert names_at(root, place) == names
