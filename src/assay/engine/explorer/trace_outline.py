"""The outline of a trace: each step in a line, and which of them went wrong.

Few records say that a tool failed, so the text of an answer is looked at, too: this finds places to look at, and
decides nothing.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from assay.evidence.coding_run import Speaker, ToolResult, TrajectoryStep

MOST_ROWS: Final = 150
LONGEST_LINE: Final = 160
LOOKED_AT: Final = 2000
_ERROR: Final = re.compile(
    r"^Traceback \(most recent call last\)"
    r"|^(?:[\w.]{1,80}\.)?[A-Z]\w{0,80}(?:Error|Exception)\b"
    r"|\b(?:exit(?:ed)?(?: with)?(?: code| status)?|returncode)[:=]? ?[1-9]\d{0,2}\b"
    r"|: command not found\b|: No such file or directory\b"
    r"|\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?)\b",
    re.MULTILINE,
)


# Looking for words is much faster, and most answers have none of them.
_WORDS: Final = ("Traceback", "Error", "Exception", "exit", "returncode", "not found", "No such", "fail")


@dataclass(frozen=True, slots=True)
class OutlineRow:
    """A step in a line: its number, a word for what it is, how it begins or what failed, and whether it did."""

    number: int
    word: str
    line: str
    is_turn: bool
    is_error: bool


def is_error(result: ToolResult) -> bool:
    """Whether an answer is an error, or reads like one."""
    return result.failed or _ERROR.search(_looked_at(result)) is not None


def _looked_at(result: ToolResult) -> str:
    """The beginning and the end of an answer that may read like an error; nothing of one that doesn't."""
    text = result.text
    ends = text if len(text) <= 2 * LOOKED_AT else f"{text[:LOOKED_AT]}\n{text[-LOOKED_AT:]}"
    return ends if any(word in ends for word in _WORDS) else ""


def _error_line(step: TrajectoryStep) -> str:
    """The last line that reads like an error."""
    looked = "\n".join(map(_looked_at, step.results))
    found = [*_ERROR.finditer(looked)]
    start = looked.rfind("\n", 0, found[-1].start()) + 1 if found else 0
    return looked[start:].partition("\n")[0].strip() if found else ""


def has_error(step: TrajectoryStep) -> bool:
    return any(map(is_error, step.results))


def outline_of(steps: Sequence[TrajectoryStep]) -> tuple[OutlineRow, ...]:
    """All steps, or of a long trace what was asked, what went wrong, the last one, and some between them."""
    wrong = {step.number for step in steps if has_error(step)}
    every = -(-len(steps) // MOST_ROWS) if steps else 1
    shown = [
        step
        for at, step in enumerate(steps, start=1)
        if at % every == 0 or at == len(steps) or step.number in wrong or step.speaker is Speaker.USER
    ]
    return tuple(_row(step, step.number in wrong) for step in shown[: 2 * MOST_ROWS])


def _row(step: TrajectoryStep, wrong: bool) -> OutlineRow:
    word = ", ".join(dict.fromkeys(one.name for one in step.calls)) or step.speaker.value
    line = _error_line(step)[:LONGEST_LINE] if wrong else ""
    return OutlineRow(step.number, word, line or first_line(step), step.speaker is Speaker.USER, wrong)


def first_line(step: TrajectoryStep) -> str:
    """The line that says most about a step: what was said, else what was called, else what came back."""
    said = [step.text, *(value for call in step.calls for _, value in arguments_of(call.arguments))]
    said += [step.reasoning, *(one.text for one in step.results)]
    begins = (text.lstrip("#>*- \t\n")[: 2 * LONGEST_LINE].partition("\n")[0] for text in said)
    return next((line for line in begins if line), "")[:LONGEST_LINE]


def arguments_of(written: str) -> list[tuple[str, str]]:
    """The arguments of a call by name, each as the text that it is; "" names what isn't an object."""
    try:
        found = json.loads(written)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        return [("", written)] if written else []
    return [
        (name, one if isinstance(one, str) else json.dumps(one, ensure_ascii=False)) for name, one in found.items()
    ]
