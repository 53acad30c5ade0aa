"""The commands on both databases."""

from pathlib import Path

import pytest

from assay.cli.main import main
from tests.builders import REPO

EXAMPLES = REPO / "examples" / "clinical" / "scheduling"


@pytest.mark.parametrize(("name", "code"), [("passing", 0), ("partial", 1), ("failing", 1)])
def test_load_and_verify(
    where: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    """The store is named by the environment; a second load replaces what the first one left."""
    monkeypatch.setenv("ASSAY_STORE", where)
    playground = tmp_path / "playground.yaml"
    playground.write_text("{id: a, run_start: '2025-06-02T12:00:00Z', fhir: {folder: fhir}}")
    for state in ("passing", name):
        assert main(["playground", "load", str(playground), "--from", str(EXAMPLES / state), "--replace"]) == 0
    assert main(["verify", str(EXAMPLES / "criteria.yaml"), "--playground", str(playground)]) == code
