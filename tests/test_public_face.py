"""What the public modules offer: a name comes or goes only on purpose."""

import doctest

import pytest

import assay
from assay import core, criteria, evaluation, harbor, scorers

HARBOR = [
    "FINAL",
    "MAX",
    "MEAN",
    "METRICS",
    "MIN",
    "REASON_CODES",
    "RETRYABLE",
    "SUM",
    "BenchmarkOutcome",
    "EvalStats",
    "Job",
    "JobResult",
    "JobStats",
    "Metric",
    "ParsedOutcome",
    "Problem",
    "Profile",
    "RewardError",
    "RewardFileEmptyError",
    "RewardFileNotFoundError",
    "RewardFileRefusedError",
    "RewardNestingError",
    "RewardReading",
    "RewardValidationError",
    "Rewards",
    "Step",
    "Strategy",
    "Trial",
    "TrialRewards",
    "Usage",
    "UsageSum",
    "VerifierOutputParseError",
    "dump_verifier_result",
    "eligible_k",
    "job_stats",
    "job_text",
    "metrics_for",
    "normalise_reason",
    "outcome_of",
    "parse_outcome",
    "pass_at_k",
    "pass_at_k_of_group",
    "read_job",
    "read_rewards",
    "reason_of_exception",
    "stops_after",
    "trial_rewards",
    "validate_rewards",
]

CRITERIA = [
    "AxisScore",
    "Completion",
    "CriteriaFile",
    "CriteriaFinding",
    "Criterion",
    "CriterionRun",
    "EmptySandbox",
    "Event",
    "FhirSource",
    "FileSource",
    "Judge",
    "Loaded",
    "NoOpinion",
    "Opinion",
    "Question",
    "SandboxState",
    "StateRow",
    "StoredFile",
    "Turn",
    "Verdict",
    "assertion_types",
    "complete",
    "json_schemas",
    "lint",
    "load",
    "load_criteria",
    "verdict_of",
    "verify",
]
SCORERS = [
    "ArchiveSeed",
    "EmptySeed",
    "GitSeed",
    "Judge",
    "JudgeState",
    "Overall",
    "OverallVerdict",
    "Provenance",
    "Row",
    "RowVerdict",
    "Run",
    "RunStatus",
    "Scenario",
    "Scorer",
    "ScorersReport",
    "Seeded",
    "Setup",
    "WorkspaceSummary",
    "json_schemas",
    "load_scenario",
    "load_seeded",
    "required_by_default",
    "score",
    "score_against",
    "scorer_types",
    "seed",
    "unpack_workspace",
]


def test_the_names_of_assay_harbor() -> None:
    assert sorted(harbor.__all__) == sorted(HARBOR)


def test_the_names_of_assay_scorers() -> None:
    assert scorers.__all__ == SCORERS


def test_the_names_of_assay_criteria() -> None:
    assert criteria.__all__ == CRITERIA


@pytest.mark.parametrize(
    "module", [assay, core, harbor, evaluation, scorers, criteria], ids=lambda module: module.__name__
)
def test_every_public_name_is_there_once(module: object) -> None:
    names: list[str] = module.__all__  # type: ignore[attr-defined]
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_examples_in_the_docstring_are_true() -> None:
    failed, tried = doctest.testmod(harbor)
    assert (failed, tried > 0) == (0, True)


def test_the_version_is_a_version() -> None:
    assert [part.isdigit() for part in assay.__version__.split(".")] == [True] * 3
