"""The answers of ``assay.score()`` and its siblings: each prints as its command prints it."""

import importlib
import importlib.util
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Literal, cast


@dataclass(frozen=True, repr=False, eq=False)
class Result:
    """The answer of a command. ``exit_code`` is the one that the command would end with."""

    exit_code: int
    _content: dict[str, Any]
    _rows: list[dict[str, Any]]
    _text: str

    def to_dict(self) -> dict[str, Any]:
        """Everything, as with ``--json``."""
        return cast("dict[str, Any]", _plain(self._content))

    def rows(self) -> list[dict[str, Any]]:
        """The rows of the main table, all with the same columns: a name and a plain value for each."""
        rows = [_flat(row) for row in _plain(self._rows)]
        names = list(dict.fromkeys(name for row in rows for name in row))
        # Where a part has a value in some rows, the whole is empty in the others.
        whole = {name for name in names if any(other.startswith(f"{name}.") for other in names)}
        return [{name: row.get(name) for name in names if name not in whole} for row in rows]

    def to_frame(self) -> Any:
        """The rows as a data frame of pandas or polars, whichever is imported or installed; else as a list."""
        names = ("pandas", "polars")
        there = [name for name in names if sys.modules.get(name) is not None]
        there += [name for name in names if importlib.util.find_spec(name) is not None]
        if not there:
            return self.rows()
        frame: Any = importlib.import_module(there[0]).DataFrame
        # Polars looks at the first rows only, unless it is told not to.
        return frame(self.rows(), **({"infer_schema_length": None} if there[0] == "polars" else {}))

    def __repr__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        return f"<pre>{escape(self._text)}</pre>"


class ScoreResult(Result):
    """A scored run, with a row for each scorer; or predictions, with a row for each."""

    @property
    def verdict(self) -> str | None:
        """``PASS``, ``FAIL`` or ``N/A``; None for a run without a workspace, and for predictions."""
        overall = self._content.get("overall")
        return None if overall is None else str(overall["verdict"])


class ReportResult(Result):
    """The report of one or more jobs, with a row for each group, task or trial."""

    @property
    def means(self) -> dict[str, float | None]:
        """The mean of each group, by the names of its job and itself."""
        return {
            f"{job['job']}/{name}": group["mean"]
            for job in self._content["jobs"]
            for name, group in job["evals"].items()
        }


@dataclass(frozen=True, repr=False, eq=False)
class RunResult(ReportResult):
    """A job that was run, and its report. ``folder`` is where it is."""

    folder: str


class CompareResult(Result):
    """A comparison, with a row for each pair of agents."""

    @property
    def decision(self) -> Literal["worse", "not worse", "undecided"] | None:
        """The answer to ``fail_if_worse_than``; None without it."""
        gate = self._content["gate"]
        return None if gate is None else gate["decision"]


class PowerResult(Result):
    """The plan of a study, with a row for each number of attempts."""


class AuditResult(Result):
    """The audit of one or more jobs, with a row for each field; or a row for each repeated grading."""

    @property
    def consistent(self) -> bool:
        """Whether everything follows from the trials, or no verifier contradicted itself."""
        return self.exit_code == 0


class VerifyResult(Result):
    """A completed run, with a row for each criterion."""

    @property
    def verdict(self) -> str:
        """``pass``, ``partial`` or ``fail``."""
        return str(self._content["verdict"])

    @property
    def score(self) -> float:
        """The score, from 0 to 1."""
        return float(self._content["score"])


def _plain(value: Any) -> Any:
    """A copy as a reader of the JSON gets it."""
    return json.loads(json.dumps(value))


def _flat(row: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """A row without nesting: parts of a value get its name in front, and lists become JSON."""
    cells: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            cells |= _flat(value, f"{prefix}{name}.")
        else:
            cells[f"{prefix}{name}"] = json.dumps(value) if isinstance(value, list | tuple) else value
    return cells
