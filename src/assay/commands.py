"""The commands that score, run and read, as functions: the same options, the same defaults, the same answers.

They are attributes of ``assay``, too. An option has its name on the command line, with ``_`` for ``-``; those that
only say how to print or what to write for other programs are left out. A result prints as the command prints it.
Errors are ``assay.InputError`` and ``assay.MeasurementError``; a verdict is never one.

>>> import assay
>>> slug = "examples/coding/slug"
>>> scored = assay.score(f"{slug}/cheating", scenario=f"{slug}/scenario.yaml", baseline=f"{slug}/project")
>>> scored.verdict, scored.exit_code
('FAIL', 1)
>>> [row["name"] for row in scored.rows() if row["required"] and row["verdict"] == "FAIL"]
['no_new_skips', 'assertions_not_weakened']
>>> assay.power(difference=0.1, variances=(0.05, 0.2)).rows()[0]["tasks"]
199
"""

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Literal, TypeAlias, TypedDict, Unpack

from assay.cli.options.from_python import PythonOptions
from assay.core.errors import InputError
from assay.results import (
    AuditResult,
    CompareResult,
    PowerResult,
    ReportResult,
    Result,
    RunResult,
    ScoreResult,
    VerifyResult,
)

Path: TypeAlias = str | os.PathLike[str]


class JudgeSettings(TypedDict, total=False):
    """The options of a judge, for ``judge=True``."""

    judge_url: str
    judge_model: str | Sequence[str]
    judge_key_file: Path
    judge_samples: int
    judge_guard: bool
    judge_prompt: str
    judge_record: Path
    judge_replay: Path
    judge_price: tuple[float, float]
    judge_tokens: int
    judge_cost: float
    judge_calibration: Path
    judge_monitor: bool
    judge_timeout: float
    judge_temperature: float | Literal["none"]
    judge_max_tokens: int | Literal["none"]
    judge_seed: int
    judge_characters: int
    judge_at_once: int


def score(
    workspace: Path | None = None,
    *,
    task: Path | None = None,
    scenario: Path | None = None,
    baseline: Path | None = None,
    run_status: str = "completed",
    no_workspace: bool = False,
    instruction: str | None = None,
    branch: str | None = None,
    pr: int | None = None,
    main: str | None = None,
    repositories: Path | None = None,
    shard: str | None = None,
    tests: str | None = None,
    quick: bool = False,
    thorough: bool = False,
    strict: bool = False,
    fail_on_suspicion: float | None = None,
    diff: Path | None = None,
    judge: bool = False,
    require_judge: bool = False,
    agent_logs: Path | None = None,
    no_run_cache: bool = False,
    keep: Path | None = None,
    isolation: str = "auto",
    **judge_settings: Unpack[JudgeSettings],
) -> ScoreResult:
    """Score a coding run as ``assay score`` does: inside a git repository, nothing needs to be given."""
    options = PythonOptions("score", locals(), JudgeSettings.__annotations__, format=[], start=None)
    from assay.cli.coding.score import exit_code, score  # noqa: PLC0415 - each function imports what it needs
    from assay.cli.output.score_table import render  # noqa: PLC0415
    from assay.dialects.scorers.report import ScorersReport  # noqa: PLC0415

    for one, other in (("quick", "thorough"), ("branch", "pr")):
        if getattr(options, one) and getattr(options, other):
            raise InputError(f"pass {one} or {other}, got both")
    found = score(options)
    if not isinstance(found, ScorersReport):
        content = found.as_json()
        plain = [{name: one[name] for name in one if name != "report"} for one in content["runs"]]
        return ScoreResult(exit_code(found, options), content, plain, found.as_text())
    rows = [
        row.model_dump(mode="json", include={"name", "type", "required", "verdict", "score", "detail"})
        for row in found.scorers
    ]
    return ScoreResult(
        exit_code(found, options), found.model_dump(mode="json"), rows, render(found, everything=False)
    )


def run(
    *tasks: Path,
    agent: str,
    agent_name: str | None = None,
    model: str | None = None,
    agent_env: str | Sequence[str] = (),
    agent_env_file: Path | None = None,
    model_endpoint: str | None = None,
    model_key_env: str | None = None,
    model_requests: int | None = None,
    allow_models: str | Sequence[str] = (),
    model_tokens: int | None = None,
    model_cost: float | None = None,
    model_price: tuple[float, float] | tuple[float, float, float] | None = None,
    model_price_file: Path | None = None,
    n_attempts: int = 1,
    n_concurrent: int = 4,
    max_retries: int = 0,
    jobs_dir: Path = "jobs",
    job_name: str | None = None,
    on: Literal["ray"] | None = None,
    include: str | Sequence[str] = (),
    exclude: str | Sequence[str] = (),
    limit: int | None = None,
    isolation: str = "auto",
    no_image: bool = False,
    network: Literal["public", "none"] | None = None,
    verifier_network: bool = False,
    allow_unknown_fields: bool = False,
    verifier_environment: Literal["separate", "shared"] | None = None,
    profile: str | None = None,
    schema_forbids_reward: bool = False,
    no_control: bool = False,
    judge: bool = False,
    no_run_cache: bool = False,
    view: bool = False,
    quiet: bool = False,
    **judge_settings: Unpack[JudgeSettings],
) -> RunResult:
    """Run an agent on tasks as ``assay run`` does, and report. It shows its progress unless ``quiet``."""
    options = PythonOptions("run", locals(), JudgeSettings.__annotations__)
    from assay.cli.report import is_answered, report_of  # noqa: PLC0415
    from assay.cli.run import run_tasks  # noqa: PLC0415

    ran = run_tasks(options, ("assay.run", *options.tasks))
    if not ran.finished:
        raise KeyboardInterrupt
    report = report_of(ran.setting.folder)
    code = 0 if is_answered(report) and not ran.refused else 1
    return RunResult(code, *_report_parts([report], None), ran.setting.folder)


def report(
    *jobs: Path,
    key: str | None = None,
    threshold: float = 1.0,
    k: Sequence[int] = (),
    grading: Literal["first", "latest"] = "first",
    by: Literal["task", "trial"] | None = None,
    metric_script: Path | None = None,
) -> ReportResult:
    """Summarize jobs as ``assay report`` does."""
    options = PythonOptions("report", locals())
    from assay.cli.report import report_of  # noqa: PLC0415
    from assay.engine.jobs.job_runs import JobQuestion  # noqa: PLC0415

    question = JobQuestion(key=key, threshold=options.threshold, k=options.k, grading=grading, by=by)
    reports = [report_of(path, options.metric_script, question) for path in options.jobs]
    return ReportResult(0, *_report_parts(reports, by))


def _report_parts(reports: Sequence[Any], by: str | None) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    from assay.cli.output.report import as_text, as_values  # noqa: PLC0415

    content = as_values(reports)
    if by is not None:
        rows = [{"job": job["job"], **row} for job in content["jobs"] for row in job[f"{by}s"]]
    else:
        rows = [
            {
                "job": job["job"],
                "group": name,
                "mean": group["mean"],
                **{end: group["intervals"] and group["intervals"]["mean"][end] for end in ("low", "high")},
                "n": group["n"],
                "tasks": group["tasks"],
                **group["counts"],
            }
            for job in content["jobs"]
            for name, group in job["evals"].items()
        ]
    return content, rows, as_text(reports, markdown=False)


def compare(
    *jobs: Path,
    key: str | None = None,
    grading: Literal["first", "latest"] = "first",
    threshold: float | None = None,
    group: str | Sequence[str] = (),
    anyway: bool = False,
    fail_if_worse_than: float | None = None,
) -> CompareResult:
    """Compare agents on the tasks that they have in common, as ``assay compare`` does."""
    options = PythonOptions("compare", locals())
    from assay.cli.compare import EXIT_CODES, as_text, as_values, compare_jobs  # noqa: PLC0415

    found, gate = compare_jobs(options)
    content = as_values(found, gate)
    rows = [{name: value for name, value in pair.items() if name != "tasks"} for pair in content["pairs"]]
    code = 0 if gate is None else EXIT_CODES[gate.decision]
    return CompareResult(code, content, rows, as_text(found, gate, markdown=False))


def power(
    *pilot: Path,
    difference: float,
    power: float = 0.8,
    attempts: Sequence[int] = (1, 2, 4, 8, 16),
    variances: tuple[float, float] | None = None,
    correlation: float = 0.5,
    task_cost: float = 0.0,
    trial_cost: float | None = None,
    key: str | None = None,
    threshold: float | None = None,
    anyway: bool = False,
) -> PowerResult:
    """Work out how many tasks and attempts show a difference, as ``assay power`` does."""
    options = PythonOptions("power", locals())
    from assay.cli.power import as_text, as_values, plan  # noqa: PLC0415

    found = plan(options)
    content = as_values(found)
    return PowerResult(0, content, content["designs"], as_text(found))


def audit(
    *jobs: Path,
    metric_script: Path | None = None,
    repeat: int | None = None,
    tasks: Path | None = None,
    again: str | None = None,
    shard: str | None = None,
    isolation: str = "auto",
) -> AuditResult:
    """Check that a job's result follows from its trials, as ``assay audit`` does; or repeat its verifiers."""
    options = PythonOptions("audit", locals())
    from assay.cli.audit import as_json, as_text, audits_of  # noqa: PLC0415
    from assay.cli.audit import repeat as grade_again  # noqa: PLC0415

    if repeat is not None:
        repeated = list(grade_again(options))
        rows = [asdict(one) for one in repeated]
        text = "\n".join(one.as_text() for one in repeated)
        return AuditResult(0 if all(one.steady for one in repeated) else 1, {"repeated": rows}, rows, text)
    audits = audits_of(options)
    content = {"audits": [as_json(one) for one in audits]}
    rows = [{"job": one["job"], **row} for one in content["audits"] for row in one["findings"]]
    text = "\n\n".join(as_text(one, quiet=False) for one in audits)
    return AuditResult(0 if all(one.consistent for one in audits) else 1, content, rows, text)


def verify(criteria: Path, *, playground: Path | None = None, server: str | None = None) -> VerifyResult:
    """Hold criteria against what a run left in a playground, as ``assay verify`` does."""
    options = PythonOptions("verify", locals())
    from assay.cli.output.table import without_nan  # noqa: PLC0415
    from assay.cli.output.verify_text import lines  # noqa: PLC0415
    from assay.cli.verify import complete  # noqa: PLC0415

    done = complete(options)
    content = without_nan(done.answer())
    rows = [
        {name: value for name, value in one.items() if name != "evidence"} for one in content["criterion_runs"]
    ]
    return VerifyResult(0 if done.verdict.value == "pass" else 1, content, rows, "\n".join(lines(done)))


__all__ = [
    "AuditResult",
    "CompareResult",
    "JudgeSettings",
    "PowerResult",
    "ReportResult",
    "Result",
    "RunResult",
    "ScoreResult",
    "VerifyResult",
    "audit",
    "compare",
    "power",
    "report",
    "run",
    "score",
    "verify",
]
