"""Read the folder of one run for its page. What an agent could have written is read safely and up to a limit."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.adapters.agent_record import read_agent_record
from assay.adapters.run_scoring import turns_of_trial
from assay.adapters.safe_read import read_below
from assay.adapters.scored_runs import agent_folder, load_coding_run, read_scored
from assay.core.errors import InputError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.history import History
from assay.evidence.coding_run import AgentRecord
from assay.evidence.files import Content

OUTPUT_LIMIT = 8 * 2**20
SHOWN_OUTPUT = 64 * 1024
SHOWN_DIFF = 512 * 1024
_VERIFIER_OUTPUTS = ("test-stdout.txt", "test-stderr.txt")


@dataclass(frozen=True, slots=True)
class Text:
    """A text, and how much of it is left out at its beginning."""

    text: str
    cut: int = 0


@dataclass(frozen=True, slots=True)
class RunView:
    """Everything that the page of a run shows. ``remarks`` says what could not be read."""

    name: str
    agent: Sequence[AgentRecord] = ()
    verifier: Text | None = None
    scored: ScorersReport | None = None
    diff: Text | None = None
    history: History | None = None
    remarks: Sequence[str] = field(default_factory=list)


def read_run(folder: str, history: History | None) -> RunView:
    """The run in a folder. A file that can't be used is a remark, never an error."""
    remarks: list[str] = []
    scored, diff = _scored(folder, remarks)
    return RunView(
        name=os.path.basename(os.path.abspath(folder)),
        agent=[read_agent_record(agent_folder(folder, turn)) for turn in turns_of_trial(folder)],
        verifier=_verifier(folder),
        scored=scored,
        diff=diff,
        history=history,
        remarks=remarks,
    )


def _scored(folder: str, remarks: list[str]) -> tuple[ScorersReport | None, Text | None]:
    try:
        records = read_scored(folder)
        if not records:
            return None, None
        diff = load_coding_run(folder).diff
    except InputError as error:
        remarks.append(str(error))
        return None, None
    return records[-1].report, None if diff is None else _head(diff.text)


def _verifier(folder: str) -> Text | None:
    for name in _VERIFIER_OUTPUTS:
        found = read_below(folder, ("verifier", name), OUTPUT_LIMIT)
        if isinstance(found, Content) and found.data.strip():
            text = found.data.decode(errors="replace")
            return Text(text[-SHOWN_OUTPUT:], max(0, len(text) - SHOWN_OUTPUT))
    return None


def _head(text: str) -> Text:
    return Text(text[:SHOWN_DIFF], max(0, len(text) - SHOWN_DIFF))
