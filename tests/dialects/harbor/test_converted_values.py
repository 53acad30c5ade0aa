"""Values of another type than their field: harbor takes them for it, so they are accepted, and they are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.task_config import converted_values, load_task_config

STEP = '[[steps]]\nname = "one"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[agent]\ntimeout_sec = true", "agent.timeout_sec should be a number, got true, which harbor converts"),
        ('[agent]\ntimeout_sec = "5"', 'agent.timeout_sec should be a number, got "5", which harbor converts'),
        ("[agent]\nuser = true", "agent.user should be a whole number, got true, which harbor converts"),
        ("[agent]\nuser = 1000.0", "agent.user should be a whole number, got 1000.0, which harbor converts"),
        (
            "[verifier]\ntimeout_sec = true",
            "verifier.timeout_sec should be a number, got true, which harbor converts",
        ),
        (
            "[environment]\ncpus = true",
            "environment.cpus should be a number, got true, which harbor converts",
        ),
        (
            '[environment]\nmemory_mb = "12"',
            'environment.memory_mb should be a whole number, got "12", which harbor converts',
        ),
        (
            "[environment]\nstorage_mb = true",
            "environment.storage_mb should be a whole number, got true, which harbor converts",
        ),
        (
            "[environment]\ngpus = false",
            "environment.gpus should be a whole number, got false, which harbor converts",
        ),
        (
            "[environment]\nbuild_timeout_sec = true",
            "environment.build_timeout_sec should be a number, got true, which harbor converts",
        ),
        (
            '[environment]\nallow_internet = "no"',
            'environment.allow_internet should be true or false, got "no", which harbor converts',
        ),
        (
            "[environment]\nallow_internet = 1",
            "environment.allow_internet should be true or false, got 1, which harbor converts",
        ),
        (f"{STEP}min_reward = true", "steps.0.min_reward should be a number, got true, which harbor converts"),
        (
            f"{STEP}min_reward = {{x = '1'}}",
            'steps.0.min_reward.x should be a number, got "1", which harbor converts',
        ),
        (
            f"{STEP}agent = {{timeout_sec = '9'}}",
            'steps.0.agent.timeout_sec should be a number, got "9", which harbor converts',
        ),
    ],
)
def test_what_is_accepted_for_another_type_is_named(text: str, said: str) -> None:
    load_task_config(text, "task.toml")
    assert converted_values(text) == [said]


@pytest.mark.parametrize(
    "text",
    [
        "",
        'version = "1.0"\nartifacts = ["a", {source = "b"}]\nmulti_step_reward_strategy = "mean"\n',
        "[agent]\ntimeout_sec = 5\nuser = 1000",
        '[agent]\ntimeout_sec = 5.5\nuser = "root"\nnetwork_mode = "public"',
        '[environment]\nmemory = "2G"\nos = "Linux"\nallow_internet = false\nenv = {A = "1"}',
        f"{STEP}min_reward = 1",
        f"{STEP}min_reward = {{x = 1, y = 0.5}}",
        "[metadata]\nday = 2026-01-01\nflag = true\nn = nan\ndeep = [[[1]]]\n",
    ],
)
def test_what_has_the_type_of_its_field_is_not(text: str) -> None:
    load_task_config(text, "task.toml")
    assert converted_values(text) == []


@pytest.mark.parametrize("text", ["not toml", "a = " + "[" * 10_000, "environment = 3", "agent = []"])
def test_a_file_that_can_not_be_loaded_has_none(text: str) -> None:
    assert converted_values(text) == []


@given(st.text(max_size=60) | st.text(alphabet='[]{}=".\n,ace nvirometgt1', max_size=40))
def test_no_text_makes_it_raise(text: str) -> None:
    converted_values(text)
