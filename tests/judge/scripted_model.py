"""A model that gives the answers it was told to."""

from collections.abc import Callable

from assay.core.errors import MeasurementError
from assay.judge.model import ModelQuestion, Reply

Said = str | Reply | None | Callable[[str], str]


class ScriptedModel:
    """These answers one after the other, the last one for all that follows; None is a failure of the endpoint."""

    def __init__(self, *answers: Said, model: str = "m") -> None:
        self.model = model
        self.answers = list(answers)
        self.asked: list[ModelQuestion] = []

    def ask(self, request: ModelQuestion) -> Reply:
        self.asked.append(request)
        said = self.answers[min(len(self.asked), len(self.answers)) - 1]
        if said is None:
            raise MeasurementError(f"the judge {self.model}: it can't be reached")
        if isinstance(said, Reply):
            return said
        text = said if isinstance(said, str) else said(request.prompt.text)
        return Reply(text, canary=request.prompt.canary)
