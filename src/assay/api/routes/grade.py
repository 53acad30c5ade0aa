"""Grade outputs at once, for training loops in another language."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from concurrent.futures import Future
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from assay.api.answers import ApiAnswer
from assay.api.record_stream import NDJSON
from assay.api.routing import ApiCall, Routes
from assay.core.errors import AssayError
from assay.engine.explorer.run_export import render_json
from assay.evidence.run import Cause, State
from assay.formats.strict_model import Name, StrictModel
from assay.rewards.graded import GradedOutput, broken
from assay.rewards.outputs import Answer, Diff, Output

routes = Routes()
OUTPUT_BYTES = 64 * 1024 * 1024
MOST_OUTPUTS = 1000


class OutputToGrade(StrictModel):
    """The output of an agent: an answer in words, a unified diff, or files by name (null removes one)."""

    answer: str | None = None
    diff: str | None = None
    files: dict[str, str | None] | None = None

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if sum(one is not None for one in (self.answer, self.diff, self.files)) != 1:
            raise ValueError("an output must have one of answer, diff and files")
        return self

    @property
    def output(self) -> Output:
        if self.answer is not None:
            return Answer(self.answer)
        return Diff(self.diff) if self.diff is not None else dict(self.files or {})


class OutputsToGrade(StrictModel):
    """Outputs, and the task that they are graded by. After ``deadline_sec``, one has no reward.

    With ``record``, the whole grading comes along.
    """

    task: Name
    outputs: Annotated[list[OutputToGrade], Field(min_length=1, max_length=MOST_OUTPUTS)]
    deadline_sec: Annotated[float, Field(gt=0)] | None = None
    record: bool = False


class OutputGrade(StrictModel):
    """A graded output, by its place in the request, from 0.

    ``reward`` is null where the verifier or the machine failed, and after a deadline. ``parts`` are numbers for a
    log; ``flags`` has what each detector found.
    """

    number: int
    reward: float | None
    state: State
    reason: str | None
    cause: Cause | None
    message: str | None
    parts: dict[str, float]
    flags: dict[str, str]
    record: dict[str, Any] | None


@routes.post("/grade", OutputGrade, body=OutputsToGrade, also=(404, 409), most_bytes=OUTPUT_BYTES, media=NDJSON)
def grade_outputs(call: ApiCall) -> Any:
    """Grade outputs by a task of this server, and answer each in a line of JSON as soon as it is graded.

    Nothing is kept. Gradings that are still running end if the caller hangs up.
    """
    asked: OutputsToGrade = call.body
    outputs = [one.output for one in asked.outputs]
    begun = call.service.graders.submit(asked.task, outputs, asked.deadline_sec)
    return ApiAnswer(200, b"", media_type=NDJSON, chunks=_lines(begun, asked.record))


async def _lines(begun: Mapping[Future[GradedOutput], int], record: bool) -> AsyncIterator[bytes]:
    waiting = {asyncio.wrap_future(future): number for future, number in begun.items()}
    try:
        while waiting:
            done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for one in done:
                yield render_json(_shown(waiting.pop(one), one, record)) + b"\n"
    finally:
        for one in waiting:
            one.cancel()


def _shown(number: int, graded: "asyncio.Future[GradedOutput]", record: bool) -> dict[str, Any]:
    try:
        found = graded.result()
    except AssayError as error:
        found = broken(str(error))
    return {
        "number": number,
        "reward": found.reward,
        "state": found.state,
        "reason": found.reason,
        "cause": found.cause,
        "message": found.message,
        "parts": dict(found.parts),
        "flags": dict(found.flags),
        "record": found.record.model_dump(mode="json") if record and found.record is not None else None,
    }
