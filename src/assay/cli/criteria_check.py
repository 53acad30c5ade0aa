"""``assay criteria check``: the verdict on a sandbox, with the reasons."""

import argparse
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from assay.adapters.criteria_file import load_criteria, load_data
from assay.adapters.store.opening import open_store
from assay.adapters.store.sandbox import Sandbox
from assay.cli.json_values import without_nan
from assay.cli.table import clean, render_table
from assay.dialects.criteria.models import Completion, CriterionRun, Verdict
from assay.engine.criteria import complete
from assay.evidence.sandbox_state import FhirSource, FileSource

TOKEN = "ASSAY_FHIR_TOKEN"  # noqa: S105 - the name of a variable, not a token


def check_file(args: argparse.Namespace) -> int:
    file = load_criteria(args.file)
    more = load_data(args.data) if args.data is not None else {}
    with open_store(args.store) as store:
        from assay.adapters.store.stored_sandbox import StoredSandbox  # noqa: PLC0415 - it needs the database

        sandbox = store.sandbox(args.sandbox)
        with _fhir(sandbox) as fhir, _files(sandbox) as files:
            data = {**sandbox.data, **file.data, **more}
            done = complete(file.criteria, data, StoredSandbox(store, sandbox, fhir, files))
    print(json.dumps(without_nan(_wire(done)), indent=2) if args.json else "\n".join(_lines(done)))
    return 0 if done.verdict is Verdict.PASS else 1


@contextmanager
def _fhir(sandbox: Sandbox) -> Iterator[FhirSource | None]:
    """The sandbox's FHIR server, if it has one. Its token is in the environment, where no other user sees it."""
    if sandbox.fhir_base is None:
        yield None
        return
    from assay.adapters.bearer_tokens import from_environment  # noqa: PLC0415 - only who has a server needs them
    from assay.adapters.fhir import FhirServer  # noqa: PLC0415

    with FhirServer(sandbox.fhir_base, from_environment(TOKEN) if os.environ.get(TOKEN) else None) as server:
        yield server


@contextmanager
def _files(sandbox: Sandbox) -> Iterator[FileSource | None]:
    """The place of the sandbox's files, if it has one. A folder needs no closing, a server does."""
    if sandbox.file_source is None:
        yield None
        return
    from assay.adapters.files.file_source import file_source  # noqa: PLC0415 - only who has files needs it

    source = file_source(sandbox.file_source)
    try:
        yield source
    finally:
        getattr(source, "close", lambda: None)()


def _wire(done: Completion) -> dict[str, Any]:
    said = done.model_dump(mode="json")
    return {**{key: said[key] for key in ("verdict", "score", "axes")}, "criteria": said["criterion_runs"]}


def _lines(done: Completion) -> Iterator[str]:
    yield f"{done.verdict.value.upper()}  score {done.score:.4f}"
    if len(done.axes) > 1:
        yield ""
        axes = [[clean(name), f"{axis.score:.4f}", f"{axis.weight:g}"] for name, axis in done.axes.items()]
        yield render_table(["axis", "score", "weight"], axes, right=True)
    yield ""
    yield render_table(["", "score", "criterion", "details"], [_row(run) for run in done.criterion_runs])


def _row(run: CriterionRun) -> list[str]:
    return ["ok" if run.passed else "--", f"{run.score:.2f}", clean(run.label), clean(run.details)]
