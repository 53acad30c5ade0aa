"""Score the predictions of SWE-bench: a patch for each instance, each of them a run."""

import argparse
import copy
import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from assay.adapters.machine.scratch import temporary_folder
from assay.adapters.workspace.patched import PatchError
from assay.cli.coding.score import is_suspect
from assay.cli.output.table import render_table, show, some_of
from assay.core.errors import InputError, MeasurementError
from assay.dialects.scorers.report import ScorersReport
from assay.engine.jobs.trial_additions import gate_facts, gates_of
from assay.evidence.run import COUNTED, Cause, Decision, Facts, State, decide
from assay.formats.counting import counted

Score = Callable[[argparse.Namespace], ScorersReport]
_WHOLE = ("task", "branch", "pr", "diff", "keep", "agent_logs", "judge", "format", "instruction")


@dataclass(frozen=True, slots=True)
class Prediction:
    """What one model answered for one instance."""

    instance_id: str
    model_name_or_path: str
    model_patch: str


def score_predictions(args: argparse.Namespace, score: Score) -> int:
    """Score each prediction, print a row for each, and return the exit code."""
    given = next((name for name in _WHOLE if getattr(args, name)), None)
    if given is not None:
        raise InputError(f"--{given.replace('_', '-')} is for a single run: leave it out for {args.workspace}")
    predictions = list(read_predictions(args.workspace))
    missing = [one.instance_id for one in predictions if not os.path.isdir(_place(args, one) or ".")]
    if missing:
        must = f"{args.repositories} must have a repository named like each instance"
        raise InputError(f"{must}, but has none for {some_of(missing)}")
    answers = [(one, *_answer(args, one, score)) for one in predictions]
    counts = Counter(decision.state for _, decision, _ in answers)
    if args.json:
        runs = [_row(*one) for one in answers]
        print(json.dumps({"runs": runs, "counts": {**counts}, "total": len(runs)}, indent=2))
    else:
        cells = [
            [one.instance_id, one.model_name_or_path, said.state, _suspicion(it), _why(said, it)]
            for one, said, it in answers
        ]
        show(render_table(["instance", "model", "state", "suspect", ""], cells))
        said = ", ".join(f"{count} {state.replace('_', ' ')}" for state, count in counts.items())
        print(f"\n{counted(len(answers), 'run')}: {said}")
    if any(is_suspect(report, args.fail_on_suspicion) for _, _, report in answers):
        return 1
    if any(state in COUNTED and state is not State.PASSED for state in counts):
        return 1
    return 4 if State.BROKEN in counts else 0 if counts[State.PASSED] == len(answers) else 2


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


def _place(args: argparse.Namespace, prediction: Prediction) -> str | None:
    return None if args.repositories is None else os.path.join(args.repositories, prediction.instance_id)


def _answer(
    args: argparse.Namespace, prediction: Prediction, score: Score
) -> tuple[Decision, ScorersReport | None]:
    """What a run came to. No patch, or one that doesn't apply, is the agent's output and not usable."""
    if not prediction.model_patch.strip():
        return decide(Facts(unusable=True, reason="the patch is empty", cause=Cause.AGENT)), None
    one = copy.copy(args)
    with temporary_folder(0o711) as folder:
        one.workspace, one.start = f"{folder}/model.patch", _place(args, prediction)
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
