"""The commands on both databases."""

import pytest

from assay.cli.main import main
from tests.builders import REPO

pytestmark = pytest.mark.xdist_group("postgres")

EXAMPLES = REPO / "examples" / "criteria"


@pytest.mark.parametrize(("name", "code"), [("passing", 0), ("partial", 1), ("failing", 1)])
def test_record_and_check(where: str, monkeypatch: pytest.MonkeyPatch, name: str, code: int) -> None:
    """The store is named by the environment."""
    monkeypatch.setenv("ASSAY_STORE", where)
    records = str(EXAMPLES / f"{name}.jsonl")
    assert main(["criteria", "record", records, "--sandbox", name, "--run-start", "2026-03-01T12:00:00Z"]) == 0
    assert main(["criteria", "check", str(EXAMPLES / "scheduling.yaml"), "--sandbox", name]) == code
