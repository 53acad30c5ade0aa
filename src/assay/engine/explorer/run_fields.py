"""The fields of every run in the explorer. Filters, columns and their reference follow from this one list."""

from dataclasses import dataclass
from enum import Enum
from typing import Final

from assay.evidence.run import State


class Holds(Enum):
    """The type of a field, and so of its filter."""

    TEXT = "text"
    NUMBER = "number"
    TIME = "time"
    FLAG = "flag"


@dataclass(frozen=True, slots=True)
class ExplorerField:
    """A column of the explorer. One that is ``grouped`` has few enough values to group runs by."""

    name: str
    holds: Holds
    meaning: str
    grouped: bool = False


FIELDS: Final = (
    ExplorerField("kind", Holds.TEXT, "trial (of a job), coding or task_run (of the criteria API)", grouped=True),
    ExplorerField("job", Holds.TEXT, "the job, or the id of the benchmark run", grouped=True),
    ExplorerField("name", Holds.TEXT, "the name of the trial or run, or the id of the task run"),
    ExplorerField("task", Holds.TEXT, "the task", grouped=True),
    ExplorerField("agent", Holds.TEXT, "the agent", grouped=True),
    ExplorerField("model", Holds.TEXT, "the agent's model", grouped=True),
    ExplorerField("dataset", Holds.TEXT, "the dataset or benchmark", grouped=True),
    ExplorerField("state", Holds.TEXT, f"what it came to: {', '.join(State)}", grouped=True),
    ExplorerField("checks", Holds.TEXT, "the gate of the scorers: PASS, FAIL or N/A", grouped=True),
    ExplorerField("judge", Holds.TEXT, "PASS, FAIL, PENDING, NOT APPLICABLE or unparseable", grouped=True),
    ExplorerField(
        "run_status", Holds.TEXT, "the run badge: completed, failed, cancelled or timed_out", grouped=True
    ),
    ExplorerField("run_metrics_passed", Holds.FLAG, "whether the metrics of the run are within their limits"),
    ExplorerField("validity", Holds.TEXT, "valid, unparseable, schema_invalid or not_completed", grouped=True),
    ExplorerField("failure_mode", Holds.TEXT, "how it failed, in the words of the judge", grouped=True),
    ExplorerField("reason", Holds.TEXT, "why: a code, or the names of the checks that failed", grouped=True),
    ExplorerField(
        "cause", Holds.TEXT, "who is to blame for an unusable answer: agent, verifier or machine", grouped=True
    ),
    ExplorerField("score", Holds.NUMBER, "the score; a run that is unusable has 0, one that is broken has none"),
    ExplorerField(
        "suspicion", Holds.NUMBER, "how sure a monitor is that the agent worked around its task, 0 to 1"
    ),
    ExplorerField("duration_sec", Holds.NUMBER, "how many seconds it took"),
    ExplorerField("cost_usd", Holds.NUMBER, "what it cost in US dollars"),
    ExplorerField("tokens", Holds.NUMBER, "how many tokens went in and out"),
    ExplorerField("began_at", Holds.TIME, "when it began; when it was added, if it doesn't say"),
    ExplorerField("reviewers", Holds.NUMBER, "how many annotations it has"),
    ExplorerField("gates_disagree", Holds.FLAG, "whether scorers and judge say different things"),
    ExplorerField("reviewer_disagrees", Holds.FLAG, "whether a reviewer says something else than the state"),
)
# The order in which runs are added: what a list is sorted by unless something else is asked for.
CREATED: Final = "created_at"
BY_NAME: Final = {field.name: field for field in FIELDS}
GROUPED: Final = tuple(field.name for field in FIELDS if field.grouped)
ALIASES: Final = {
    "cost": "cost_usd",
    "duration": "duration_sec",
    "time": "began_at",
    "run": "run_status",
    "monitor": "suspicion",
}
"""Shorter names, as columns are headed by them."""
