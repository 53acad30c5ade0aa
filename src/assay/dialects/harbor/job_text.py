"""The text of a job's result.json, byte for byte as harbor writes it.

Indented by four, no newline at the end, NaN and infinity as null, floats in pydantic's spelling (0.00001, 1e-7),
the keys of reward_stats in Python's (1e-07), strings in plain UTF-8.
"""

import dataclasses
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec
from pydantic_core import to_json

from assay.dialects.harbor.job_stats import EvalStats, JobResult, JobStats
from assay.dialects.harbor.plan import UNKNOWN, HarborVersion

_STEP = "    "


def job_text(result: JobResult, version: HarborVersion = UNKNOWN) -> str:
    """The whole text of result.json as this version of harbor writes it."""
    return "".join(job_texts(result, version))


def job_texts(result: JobResult, version: HarborVersion = UNKNOWN) -> Iterator[str]:
    """The same in parts: a job names every trial here."""
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


def _render(value: object, pad: str) -> Iterator[str]:
    if isinstance(value, str):
        yield _string(value)
    elif isinstance(value, Mapping):
        yield from _block("{", "}", ((f"{_string(str(key))}: ", one) for key, one in value.items()), pad)
    elif not isinstance(value, Sequence):
        yield to_json(value, inf_nan_mode="null").decode()
    elif value and all(type(item) is str for item in value):
        yield f"[\n{pad}{_STEP}{_strings(value, pad + _STEP)}\n{pad}]"
    else:
        yield from _block("[", "]", (("", one) for one in value), pad)


def _block(opening: str, closing: str, items: Iterable[tuple[str, object]], pad: str) -> Iterator[str]:
    before = opening
    for name, value in items:
        yield f"{before}\n{pad}{_STEP}{name}"
        yield from _render(value, pad + _STEP)
        before = ","
    yield opening + closing if before == opening else f"\n{pad}{closing}"


def _string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _strings(texts: Sequence[object], pad: str) -> str:
    """Many strings at once, one per line: a job names every trial here."""
    return json.dumps(texts, ensure_ascii=False, separators=(f",\n{pad}", ": "))[1:-1]
