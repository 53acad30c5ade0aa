"""LLM judge: a note for the judge. It answers nothing itself."""

import pytest

from assay.checks.llm_judge import LlmJudge
from assay.core.outcome import NotApplicable
from tests.checks.fake_workspace import FakeWorkspace, edited


@pytest.mark.parametrize("workspace", [FakeWorkspace(), edited("a", "1", "2"), FakeWorkspace(cut=("x",))])
def test_it_is_never_applicable(workspace: FakeWorkspace) -> None:
    assert LlmJudge("Is it readable?").run(workspace) == NotApplicable("for the judge")


@pytest.mark.parametrize("rubric", ["", " \n"])
def test_a_note_has_a_text(rubric: str) -> None:
    with pytest.raises(ValueError, match="rubric must have some text, got"):
        LlmJudge(rubric)
