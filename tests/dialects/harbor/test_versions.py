"""Which harbor wrote a job, from lock.json or from the shape of its result."""

from typing import Any

import pytest

from assay.dialects.harbor.plan import UNKNOWN, HarborVersion, stated_version, version_of_record
from assay.dialects.harbor.rewards import Profile


def of_number(number: str) -> HarborVersion:
    found = stated_version({"version": number})
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("number", "title"),
    [
        ("0.6.0", "harbor 0.6.0 (harbor-0.6)"),
        ("0.7.0", "harbor 0.7.0 (harbor-0.13.1)"),
        ("0.13.1", "harbor-0.13.1"),
        ("0.13.2", "harbor 0.13.2 (harbor-0.13.1)"),
        ("0.22.0", "harbor 0.22.0 (harbor-0.13.1)"),
        ("0.23.0", "harbor 0.23.0 (harbor-0.24)"),
        ("0.24.0.dev1+g12", "harbor 0.24.0.dev1+g12 (harbor-0.24)"),
        ("1.0", "harbor 1.0 (harbor-0.24)"),
    ],
)
def test_the_title_names_the_version_and_the_profile(number: str, title: str) -> None:
    assert of_number(number).title == title


@pytest.mark.parametrize(("number", "counts"), [("0.21.0", False), ("0.22.0", True), ("0.24.0", True)])
def test_since_0_22_each_dataset_that_a_trial_names_has_metrics(number: str, counts: bool) -> None:
    assert of_number(number).every_source_counts is counts


@pytest.mark.parametrize("harbor", [None, 3, [], {}, {"version": None}, {"version": 7}, {"version": "new"}])
def test_without_a_version_the_default_is_0_13_1(harbor: Any) -> None:
    assert stated_version(harbor) is None
    assert version_of_record({"stats": {"n_completed_trials": 1, "n_trials": 1}}) is UNKNOWN
    assert UNKNOWN.title == "harbor-0.13.1"


@pytest.mark.parametrize(
    ("stats", "number", "has_pass_at_k"),
    [
        ({"n_trials": 1, "evals": {"a__b": {"metrics": []}}}, "0.1 to 0.3", False),
        ({"n_trials": 1}, "0.1 to 0.3", False),
        ({"n_trials": 1, "evals": {"a__b": {"pass_at_k": {}}}}, "0.4 or 0.5", True),
        ({"n_trials": 1, "evals": {"a__b": None}}, "0.1 to 0.3", False),
    ],
)
def test_old_records_are_known_by_their_counts(stats: Any, number: str, has_pass_at_k: bool) -> None:
    found = version_of_record({"stats": stats})
    assert (found.number, found.profile, found.legacy_counts) == (number, Profile.HARBOR_0_6, True)
    assert found.has_pass_at_k is has_pass_at_k
    assert found.dashed_keys is not has_pass_at_k


@pytest.mark.parametrize("recorded", [None, {}, {"stats": None}, {"stats": []}])
def test_a_record_without_statistics_tells_nothing(recorded: Any) -> None:
    assert version_of_record(recorded) is UNKNOWN
