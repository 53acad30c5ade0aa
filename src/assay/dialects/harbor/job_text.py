"""The text of a job's result.json, byte for byte as harbor writes it.

Indented by four, no newline at the end, NaN and infinity as null, floats in pydantic's spelling (0.00001, 1e-7),
the keys of reward_stats in Python's (1e-07), strings in plain UTF-8.
"""

import dataclasses
import json
from collections.abc import Iterator, Mapping, Sequence

import msgspec
from pydantic_core import to_json

from assay.dialects.harbor.job_stats import EvalStats, JobResult, JobStats
from assay.dialects.harbor.plan import UNKNOWN, HarborVersion

_STEP = "    "


def job_text(result: JobResult, version: HarborVersion = UNKNOWN) -> str:
    """The whole text of result.json as this version of harbor writes it."""
    return _render(_legacy_fields(result, version) if version.legacy_counts else result_fields(result), "")


def result_fields(result: JobResult) -> dict[str, object]:
    """The fields of result.json in harbor's order."""
    return {**_fields(result), "stats": _stats_fields(result.stats)}


def _legacy_fields(result: JobResult, version: HarborVersion) -> dict[str, object]:
    """The fields up to harbor 0.5. While a job runs, there is an empty list of trials too."""
    evals = {key: _fields(group) for key, group in result.stats.evals.items()}
    for group in evals.values():
        if not version.has_pass_at_k:
            del group["pass_at_k"]
    counts = {"n_trials": result.stats.n_completed_trials, "n_errors": result.stats.n_errored_trials}
    fields = {**_fields(result), "stats": {**counts, "evals": evals}}
    del fields["updated_at"]
    return fields if result.finished_at is not None else fields | {"trial_results": []}


def _stats_fields(stats: JobStats) -> dict[str, object]:
    fields = {**_fields(stats), "evals": {key: _fields(group) for key, group in stats.evals.items()}}
    del fields["usage"]
    return fields | msgspec.structs.asdict(stats.usage)


def _fields(value: JobResult | JobStats | EvalStats) -> dict[str, object]:
    """The fields of a value under their own names, which are harbor's, in their order."""
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


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
