"""Score the predictions of SWE-bench: a patch for each instance, each of them a run."""

import copy
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.workspace.patched import PatchError
from assay.cli.options.common import Options
from assay.cli.output.table import render_table, some_of
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.jobs.trial_additions import gate_facts, gates_of
from assay.evidence.run import COUNTED, Cause, Decision, Facts, State, decide
from assay.formats.counting import counted

Score = Callable[[Options], ScorersReport]
_WHOLE = ("task", "branch", "pr", "diff", "keep", "agent_logs", "judge", "format", "instruction")


@dataclass(frozen=True, slots=True)
class Prediction:
    """One model's answer to one instance."""

    instance_id: str
    model_name_or_path: str
    model_patch: str


@dataclass(frozen=True, slots=True)
class ScoredPredictions:
    """Predictions, each with what it came to and its report, which one that isn't usable lacks."""

    answers: Sequence[tuple[Prediction, Decision, ScorersReport | None]]

    @property
    def counts(self) -> Counter[State]:
        return Counter(decision.state for _, decision, _ in self.answers)

    @property
    def code(self) -> int:
        """The exit code."""
        counts = self.counts
        if any(state in COUNTED and state is not State.PASSED for state in counts):
            return 1
        return 4 if State.BROKEN in counts else 0 if counts[State.PASSED] == len(self.answers) else 2

    def as_json(self) -> dict[str, Any]:
        runs = [_row(*one) for one in self.answers]
        return {"runs": runs, "counts": {**self.counts}, "total": len(runs)}

    def as_text(self) -> str:
        """A row for each."""
        cells = [
            [one.instance_id, one.model_name_or_path, said.state, _suspicion(it), _why(said, it)]
            for one, said, it in self.answers
        ]
        said = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in self.counts.items())
        table = render_table(["instance", "model", "state", "suspect", ""], cells)
        return f"{table}\n\n{counted(len(cells), 'run')}: {said}"


def score_predictions(args: Options, score: Score) -> ScoredPredictions:
    """Score each prediction."""
    given = next((name for name in _WHOLE if getattr(args, name)), None)
    if given is not None:
        raise InputError(f"--{given.replace('_', '-')} is for a single run: leave it out for {args.workspace}")
    predictions = [
        one
        for one in read_predictions(args.workspace)
        if args.shard is None or args.shard.has(f"/{one.model_name_or_path}/{one.instance_id}")
    ]
    missing = [one.instance_id for one in predictions if not os.path.isdir(_place(args, one) or ".")]
    if missing:
        must = f"{args.repositories} must have a repository named like each instance"
        raise InputError(f"{must}, but has none for {some_of(missing)}")
    return ScoredPredictions([(one, *_answer(args, one, score)) for one in predictions])


def read_predictions(path: str) -> Iterator[Prediction]:
    """The predictions of a file: JSON lines, or one JSON list or object. Raises ``InputError`` for a bad one."""
    try:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if path.endswith(".jsonl"):
            lines = [
                (f"{path} line {at}", json.loads(line)) for at, line in enumerate(text.splitlines(), 1) if line
            ]
        else:
            whole = json.loads(text)
            values = whole.values() if isinstance(whole, dict) else whole if isinstance(whole, list) else [whole]
            lines = [(f"{path} entry {at}", one) for at, one in enumerate(values, 1)]
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} must hold predictions as JSON: {error}") from error
    if not lines:
        raise InputError(f"{path} must hold at least one prediction, but is empty")
    seen: dict[tuple[str, str], str] = {}
    for where, one in lines:
        found = _prediction(where, one)
        key = (found.instance_id, found.model_name_or_path)
        if key in seen:
            raise InputError(
                f"{where} must be the only answer of {key[1]} to {key[0]}, but {seen[key]} is one, too"
            )
        seen[key] = where
        yield found


def _prediction(where: str, found: Any) -> Prediction:
    if not isinstance(found, dict):
        raise InputError(f"{where} must be an object with instance_id, model_name_or_path and model_patch")
    values = [found.get(name) for name in ("instance_id", "model_name_or_path")]
    for name, value in zip(("instance_id", "model_name_or_path"), values, strict=True):
        if not isinstance(value, str) or not value.strip():
            raise InputError(f"{where}: {name} must be a text, got {json.dumps(value)[:100]}")
    if "/" in str(values[0]) or str(values[0]).strip(".") == "":
        raise InputError(f"{where}: instance_id must be a name without '/', got {values[0]!r}")
    patch = found.get("model_patch", False)
    if patch is not None and not isinstance(patch, str):
        raise InputError(f"{where}: model_patch must be a patch as text or null, got {json.dumps(patch)[:100]}")
    return Prediction(str(values[0]), str(values[1]), patch or "")


def _place(args: Options, prediction: Prediction) -> str | None:
    return None if args.repositories is None else os.path.join(args.repositories, prediction.instance_id)


def _answer(args: Options, prediction: Prediction, score: Score) -> tuple[Decision, ScorersReport | None]:
    """The result of a run. No patch, or one that doesn't apply, is the agent's output and not usable."""
    if not prediction.model_patch.strip():
        return decide(Facts(unusable=True, reason="the patch is empty", cause=Cause.AGENT)), None
    one = copy.copy(args)
    with temporary_folder(0o711) as folder:
        vars(one).update(workspace=f"{folder}/model.patch", start=_place(args, prediction))
        with open(one.workspace, "w", encoding="utf-8", errors="surrogatepass", newline="") as file:
            file.write(prediction.model_patch)
        try:
            report = score(one)
        except PatchError as error:
            said = str(error).replace(one.workspace, "model_patch")
            return decide(Facts(unusable=True, reason=said, cause=Cause.AGENT)), None
        except MeasurementError as error:
            return decide(Facts(unusable=True, reason=str(error), cause=Cause.MACHINE)), None
    return decide(gate_facts(gates_of(report))), report


def _row(prediction: Prediction, decision: Decision, report: ScorersReport | None) -> dict[str, Any]:
    return {
        "instance_id": prediction.instance_id,
        "model_name_or_path": prediction.model_name_or_path,
        "state": decision.state,
        "score": decision.score,
        "reason": decision.reason,
        "report": None if report is None else report.model_dump(mode="json"),
    }


def _suspicion(report: ScorersReport | None) -> str:
    return "" if report is None or report.suspicion is None else f"{report.suspicion.score:.2f}"


def _why(decision: Decision, report: ScorersReport | None) -> str:
    overall = None if report is None else report.overall
    return decision.reason or "" if overall is None else overall.headline
