"""Runs recorded answers of the real harbor against Assay's public functions.

``python -m tests.conformance FOLDER`` reads every ``*.jsonl`` file in the folder and ends with the line
``N passed, M failed``. A row is recognised by its shape, so files may have any name. The format is described
in ``tests/data/vectors/harbor/README.md``.
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from assay import harbor

Row = dict[str, Any]


def main(folder: str) -> int:
    files = sorted(Path(folder).glob("*.jsonl"))
    if not files:
        print(f"conformance: {folder} holds no .jsonl files", file=sys.stderr)
        return 2
    passed = failed = 0
    for file in files:
        for row in rows_of(file):
            difference = check(row)
            passed += difference is None
            failed += difference is not None
            if difference is not None:
                print(f"{file.name}: {row.get('name')}: {difference}")
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


def rows_of(file: Path) -> Iterator[Row]:
    with file.open(encoding="utf-8", errors="surrogatepass") as lines:
        for line in lines:
            if line.strip():
                yield json.loads(line)


def check(row: Row) -> str | None:
    """What differs from the recorded answer; None where nothing does."""
    try:
        got = _answer_of(row)(row)
    except Exception as error:  # noqa: BLE001 - a crash is a failed row, and the others go on
        got = {"ok": False, "exception": type(error).__name__, "message": str(error)}
    want = row["expect"]
    if isinstance(want, dict) and not want.get("ok", True):
        got = {key: value for key, value in got.items() if key in want} if isinstance(got, dict) else got
        want = {key: value for key, value in want.items() if key != "mro"}
    return _difference(_comparable(want), _comparable(got), "")


def _difference(want: Any, got: Any, where: str) -> str | None:
    """The first place at which two answers differ."""
    if isinstance(want, dict) and isinstance(got, dict) and set(want) == set(got):
        parts = ((f"{where}.{key}", want[key], got[key]) for key in want)
    elif isinstance(want, list) and isinstance(got, list) and len(want) == len(got):
        parts = ((f"{where}[{i}]", w, g) for i, (w, g) in enumerate(zip(want, got, strict=True)))
    else:
        return None if want == got else f"{where or 'answer'}: expected {str(want)[:300]}, got {str(got)[:300]}"
    return next((found for place, w, g in parts if (found := _difference(w, g, place))), None)


def _answer_of(row: Row) -> Callable[[Row], Any]:
    for key, answer in (
        ("files", _parse),
        ("job", _stats),
        ("trial", _multi_step),
        ("min_trials", lambda row: harbor.eligible_k(row["min_trials"])),
        ("k", lambda row: repr(harbor.pass_at_k(row["n"], row["c"], row["k"]))),
    ):
        if key in row:
            return answer
    raise ValueError(f"a row of an unknown kind, with the keys {', '.join(row)}")


def _comparable(value: Any) -> Any:
    """The address of pydantic's manual names pydantic's version, which is not harbor's business."""
    if isinstance(value, str):
        return re.sub(r"errors\.pydantic\.dev/[\d.]+/", "errors.pydantic.dev/<version>/", value)
    if isinstance(value, dict):
        return {key: _comparable(item) for key, item in value.items()}
    return value


def typed(value: Any) -> list[str]:
    """A number with its type and its repr: equality of floats would let 1 pass for 1.0."""
    return [type(value).__name__, repr(value)]


def _typed_rewards(rewards: Any) -> Any:
    return None if rewards is None else {key: typed(value) for key, value in rewards.items()}


def _parse(row: Row) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        verifier = Path(folder)
        _write_reward_files(verifier, row["files"])
        try:
            rewards = harbor.read_rewards(verifier).rewards
        except harbor.RewardError as error:
            return {
                "ok": False,
                "exception": error.exception_type,
                "message": str(error).replace(folder, "<V>"),
                "cause": _cause(error),
            }
        return {"ok": True, "rewards": _typed_rewards(rewards), "json": _dumped(rewards)}


def _cause(error: harbor.RewardError) -> str | None:
    """The cause that harbor chains; where harbor lets an exception through as it is, there is none."""
    chained = isinstance(error, harbor.VerifierOutputParseError)
    return type(error.__cause__).__name__ if chained else None


def _dumped(rewards: Any) -> str:
    return harbor.dump_verifier_result(rewards)


def _write_reward_files(verifier: Path, files: Row) -> None:
    for key, name in (("txt", "reward.txt"), ("json", "reward.json")):
        path = verifier / name
        if key in files:
            content = files[key]
            raw = (
                bytes.fromhex(content["hex"])
                if isinstance(content, dict)
                else content.encode("utf-8", "surrogatepass")
            )
            path.write_bytes(raw)
        if files.get(f"{key}_dir"):
            path.mkdir()
        if files.get(f"{key}_dangling_symlink"):
            path.symlink_to(verifier / "nowhere")


def _stats(row: Row) -> Any:
    job = row["job"] if isinstance(row["job"], dict) else {"trials": row["job"]}
    trials = [_trial(t, 1_000_000 + i) for i, t in enumerate(job.get("existing", []))]
    trials += [_trial(t, i) for i, t in enumerate(job["trials"])]
    n_total = job.get("n_total_trials", len(trials))
    metrics = harbor.metrics_for(job.get("datasets") or [trial.dataset for trial in trials])
    metrics |= {name: [harbor.METRICS[m] for m in chosen] for name, chosen in job.get("metrics", {}).items()}
    stats = harbor.job_stats(trials, metrics, n_total=n_total)
    result = harbor.JobResult("<id>", "<time>", "<time>", "<time>", n_total, stats)
    return {"ok": True, "result_json": harbor.job_text(result), "exact": _exact(stats)}


def _exact(stats: harbor.JobStats) -> Row:
    return {
        key: {
            "metrics": [{k: typed(v) for k, v in metric.items()} for metric in group.metrics],
            "pass_at_k": {str(k): repr(v) for k, v in group.pass_at_k.items()},
            "reward_stats": {
                name: [[typed(value), names] for value, names in buckets.items()]
                for name, buckets in group.reward_stats.items()
            },
        }
        for key, group in stats.evals.items()
    }


def _trial(raw: Row, index: int) -> harbor.Trial:
    exists = raw.get("verifier_result") != "none" and (
        raw.get("verifier_result") == "null" or raw.get("rewards") is not None
    )
    rewards = harbor.validate_rewards(raw.get("rewards")) if raw.get("verifier_result") is None else None
    return harbor.Trial(
        name=raw.get("trial_name") or f"{raw['task_name'][:32]}__{index:07d}",
        task=raw["task_name"],
        agent=raw["agent"],
        model=raw.get("model"),
        dataset=raw.get("dataset") or raw.get("source") or "adhoc",
        rewards=rewards,
        verified=exists,
        exception_type=raw.get("exception"),
        usage=_usage(raw),
    )


def _usage(raw: Row) -> harbor.Usage | None:
    """A trial's own tokens and cost, or the sum over its steps."""
    if raw.get("tokens") is None and raw.get("cost_usd") is None:
        used = harbor.UsageSum()
        for step in raw.get("steps") or []:
            used.add(_usage(step) or harbor.Usage())
        return used.total()
    tokens = raw.get("tokens") or [None, None, None]
    if isinstance(tokens, dict):
        kinds = ("input", "cache", "output")
        tokens = [tokens.get(kind, tokens.get(f"n_{kind}_tokens")) for kind in kinds]
    cost = raw.get("cost_usd")
    return harbor.Usage(tokens[0], tokens[1], tokens[2], None if cost is None else float(cost))


def _multi_step(row: Row) -> Any:
    trial = row["trial"]
    ran: list[harbor.Step] = []
    stopped: int | None = None
    for index, raw in enumerate(trial["steps"]):
        ran.append(_step(raw))
        if harbor.stops_after(ran[-1], raw.get("min_reward")):
            stopped = index
            break
    strategy = harbor.Strategy(trial["strategy"]) if trial.get("strategy") else None
    result = harbor.trial_rewards(ran, strategy)
    verifier_result = None if result is None else {"rewards": _typed_rewards(result.rewards)}
    return {"ok": True, "stopped_after_step": stopped, "verifier_result": verifier_result}


def _step(raw: Row) -> harbor.Step:
    if raw.get("verifier_result") == "null":
        return harbor.Step(verified=True, rewards=None, exception_type=raw.get("exception"))
    absent = raw.get("rewards") is None or raw.get("verifier_result") == "none"
    rewards = None if absent else harbor.validate_rewards(raw["rewards"])
    return harbor.Step(verified=not absent, rewards=rewards, exception_type=raw.get("exception"))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) == 2 else "usage: python -m tests.conformance FOLDER")
