"""The text of a job's result.json, byte for byte as harbor writes it.

Indented by four, no newline at the end, NaN and infinity as null, floats in pydantic's spelling (0.00001, 1e-7),
the keys of reward_stats in Python's (1e-07), strings in plain UTF-8.
"""

import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic_core import to_json

from assay.dialects.harbor.job_stats import EvalStats, JobResult, JobStats
from assay.dialects.harbor.plan import UNKNOWN, HarborVersion

_STEP = "    "


def job_text(result: JobResult, version: HarborVersion = UNKNOWN) -> str:
    """The whole text of result.json as this version of harbor writes it."""
    return _render(_legacy_fields(result, version) if version.legacy_counts else result_fields(result), "")


def result_fields(result: JobResult) -> dict[str, object]:
    """The fields of result.json in harbor's order."""
    return {
        "id": result.id,
        "started_at": result.started_at,
        "updated_at": result.updated_at,
        "finished_at": result.finished_at,
        "n_total_trials": result.n_total_trials,
        "stats": _stats_fields(result.stats),
    }


def _legacy_fields(result: JobResult, version: HarborVersion) -> dict[str, object]:
    """The fields up to harbor 0.5. While a job runs, there is an empty list of trials too."""
    evals = {key: _eval_fields(group) for key, group in result.stats.evals.items()}
    for fields in evals.values():
        if not version.has_pass_at_k:
            del fields["pass_at_k"]
    fields = {
        "id": result.id,
        "started_at": result.started_at,
        "finished_at": result.finished_at,
        "n_total_trials": result.n_total_trials,
        "stats": {
            "n_trials": result.stats.n_completed_trials,
            "n_errors": result.stats.n_errored_trials,
            "evals": evals,
        },
    }
    return fields if result.finished_at is not None else fields | {"trial_results": []}


def _stats_fields(stats: JobStats) -> dict[str, object]:
    return {
        "n_completed_trials": stats.n_completed_trials,
        "n_errored_trials": stats.n_errored_trials,
        "n_running_trials": stats.n_running_trials,
        "n_pending_trials": stats.n_pending_trials,
        "n_cancelled_trials": stats.n_cancelled_trials,
        "n_retries": stats.n_retries,
        "evals": {key: _eval_fields(group) for key, group in stats.evals.items()},
        "n_input_tokens": stats.usage.n_input_tokens,
        "n_cache_tokens": stats.usage.n_cache_tokens,
        "n_output_tokens": stats.usage.n_output_tokens,
        "cost_usd": stats.usage.cost_usd,
    }


def _eval_fields(group: EvalStats) -> dict[str, object]:
    return {
        "n_trials": group.n_trials,
        "n_errors": group.n_errors,
        "metrics": group.metrics,
        "pass_at_k": group.pass_at_k,
        "reward_stats": group.reward_stats,
        "exception_stats": group.exception_stats,
    }


def _render(value: object, pad: str) -> str:
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, Mapping):
        return _block("{", "}", (f"{_string(str(k))}: {_render(v, pad + _STEP)}" for k, v in value.items()), pad)
    if isinstance(value, Sequence):
        if value and all(type(item) is str for item in value):
            return _block("[", "]", iter([_strings(value, pad + _STEP)]), pad)
        return _block("[", "]", (_render(item, pad + _STEP) for item in value), pad)
    return to_json(value, inf_nan_mode="null").decode()


def _block(opening: str, closing: str, items: Iterator[str], pad: str) -> str:
    inner = f",\n{pad}{_STEP}".join(items)
    return f"{opening}\n{pad}{_STEP}{inner}\n{pad}{closing}" if inner else opening + closing


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _strings(texts: Sequence[object], pad: str) -> str:
    """Many strings at once, one per line: a job names every trial here."""
    return json.dumps(texts, ensure_ascii=False, separators=(f",\n{pad}", ": "))[1:-1]
