"""Values of another type than their field: harbor takes them for it, so they are accepted, and they are named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.harbor.converted_values import converted_values
from assay.dialects.harbor.task_config import load_task_config

STEP = '[[steps]]\nname = "one"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[agent]\ntimeout_sec = true", "agent.timeout_sec is true, and it is taken for a number"),
        ('[agent]\ntimeout_sec = "5"', 'agent.timeout_sec is "5", and it is taken for a number'),
        ("[agent]\nuser = true", "agent.user is true, and it is taken for a whole number"),
        ("[agent]\nuser = 1000.0", "agent.user is 1000.0, and it is taken for a whole number"),
        ("[verifier]\ntimeout_sec = true", "verifier.timeout_sec is true, and it is taken for a number"),
        ("[environment]\ncpus = true", "environment.cpus is true, and it is taken for a whole number"),
        ("[environment]\ncpus = 2.0", "environment.cpus is 2.0, and it is taken for a whole number"),
        ('[environment]\nmemory_mb = "12"', 'environment.memory_mb is "12", and it is taken for a whole number'),
        ("[environment]\nstorage_mb = true", "environment.storage_mb is true, and it is taken for a whole number"),
        ("[environment]\ngpus = false", "environment.gpus is false, and it is taken for a whole number"),
        (
            "[environment]\nbuild_timeout_sec = true",
            "environment.build_timeout_sec is true, and it is taken for a number",
        ),
        (
            '[environment]\nallow_internet = "no"',
            'environment.allow_internet is "no", and it is taken for true or false',
        ),
        (
            "[environment]\nallow_internet = 1",
            "environment.allow_internet is 1, and it is taken for true or false",
        ),
        (f"{STEP}min_reward = true", "steps.0.min_reward is true, and it is taken for a number"),
        (f"{STEP}min_reward = {{x = '1'}}", 'steps.0.min_reward.x is "1", and it is taken for a number'),
        (f"{STEP}agent = {{timeout_sec = '9'}}", 'steps.0.agent.timeout_sec is "9", and it is taken for a number'),
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
