"""task.toml: every field of harbor 0.13.1, and the refusal, by name, of what is not supported or not known."""

import math
import tomllib
from typing import Any

import pytest
from pydantic import BaseModel

from assay.core.errors import InputError
from assay.dialects.harbor.rewards import Strategy
from assay.dialects.harbor.task_config import (
    AgentConfig,
    ArtifactConfig,
    Author,
    EnvironmentConfig,
    Healthcheck,
    NetworkMode,
    PackageInfo,
    SolutionConfig,
    StepConfig,
    StepVerifierConfig,
    TaskConfig,
    VerifierConfig,
    load_task_config,
)
from assay.dialects.harbor.task_support import unknown_deciding_field, unknown_fields, why_unsupported

EVERYTHING = """
schema_version = "1.3"
source = "https://example.org/tasks"
multi_step_reward_strategy = "final"
artifacts = ["/app/report.txt", {source = "/app/logs", destination = "logs", exclude = ["*.tmp"]}]

[task]
name = "org/voltage-drop"
description = "A circuit"
authors = [{name = "Ada", email = "ada@example.org"}, {name = "Alan"}]
keywords = ["electrical", "json"]

[metadata]
anything = {at = ["all", 1]}

[verifier]
timeout_sec = 12.5
env = {KEY = "${HOST_KEY:-none}"}
user = "root"
network_mode = "no-network"
environment_mode = "separate"

[agent]
timeout_sec = 60
user = 1000
network_mode = "public"

[environment]
build_timeout_sec = 30.0
docker_image = "debian:12"
os = "Linux"
cpus = 2
memory_mb = 2048
storage_mb = 10240
gpus = 0
mcp_servers = []
env = {A = "1"}
workdir = "/app"
network_mode = "public"

[solution]
env = {ORACLE = "yes"}

[[steps]]
name = "write"
min_reward = 0.5
artifacts = ["/app/one.txt"]
agent = {timeout_sec = 5}
verifier = {timeout_sec = 6, env = {B = "2"}}

[[steps]]
name = "extend.2_x-y"
min_reward = {reward = 1.0, style = 0.25}
"""


def load(text: str) -> TaskConfig:
    return load_task_config(text, "tasks/t/task.toml")


def refusal(text: str) -> str:
    with pytest.raises(InputError) as refused:
        load(text)
    said = str(refused.value)
    assert said.startswith("tasks/t/task.toml")
    assert "\n" not in said
    return said.removeprefix("tasks/t/task.toml").removeprefix(": ")


def test_every_field_at_once() -> None:
    found = load(EVERYTHING)
    assert found.schema_version == "1.3"
    assert found.source == "https://example.org/tasks"
    assert found.multi_step_reward_strategy is Strategy.FINAL
    assert found.artifacts == [
        "/app/report.txt",
        ArtifactConfig(source="/app/logs", destination="logs", exclude=["*.tmp"]),
    ]
    assert found.task == PackageInfo(
        name="org/voltage-drop",
        description="A circuit",
        authors=[Author(name="Ada", email="ada@example.org"), Author(name="Alan")],
        keywords=["electrical", "json"],
    )
    assert found.metadata == {"anything": {"at": ["all", 1]}}
    assert found.verifier == VerifierConfig(
        timeout_sec=12.5,
        env={"KEY": "${HOST_KEY:-none}"},
        user="root",
        network_mode=NetworkMode.NO_NETWORK,
        environment_mode="separate",
    )
    assert found.agent == AgentConfig(timeout_sec=60.0, user=1000, network_mode=NetworkMode.PUBLIC)
    assert found.environment == EnvironmentConfig(
        build_timeout_sec=30.0,
        docker_image="debian:12",
        os="linux",
        cpus=2,
        memory_mb=2048,
        storage_mb=10240,
        gpus=0,
        env={"A": "1"},
        workdir="/app",
        network_mode=NetworkMode.PUBLIC,
    )
    assert found.solution == SolutionConfig(env={"ORACLE": "yes"})
    assert found.steps is not None
    assert [step.name for step in found.steps] == ["write", "extend.2_x-y"]
    assert [step.min_reward for step in found.steps] == [0.5, {"reward": 1.0, "style": 0.25}]
    assert found.steps[0].artifacts == ["/app/one.txt"]
    assert found.steps[0].agent.timeout_sec == 5.0
    assert (found.steps[0].verifier.timeout_sec, found.steps[0].verifier.env) == (6.0, {"B": "2"})


def test_an_empty_file_is_a_task_with_every_default() -> None:
    found = load("")
    assert found == TaskConfig()
    assert (found.schema_version, found.task, found.steps, found.source) == ("1.3", None, None, None)
    assert (found.verifier.timeout_sec, found.agent.timeout_sec) == (600.0, None)
    assert (found.environment.build_timeout_sec, found.environment.os) == (600.0, "linux")
    assert (found.environment.cpus, found.environment.memory_mb, found.environment.storage_mb) == (
        None,
        None,
        None,
    )
    assert (found.metadata, found.artifacts, found.multi_step_reward_strategy) == ({}, [], None)


def test_the_models_have_harbors_fields() -> None:
    """Those of harbor 0.25, schema 1.4."""
    fields: dict[type[BaseModel], str] = {
        TaskConfig: "schema_version task metadata verifier agent environment solution source "
        "multi_step_reward_strategy steps artifacts",
        PackageInfo: "name version description authors keywords",
        Author: "name email",
        VerifierConfig: "timeout_sec env user network_mode allowed_hosts environment_mode environment collect",
        AgentConfig: "timeout_sec user network_mode allowed_hosts",
        EnvironmentConfig: "build_timeout_sec docker_image os cpus memory_mb storage_mb gpus gpu_types tpu "
        "mcp_servers env skills_dir healthcheck workdir network_mode allowed_hosts",
        Healthcheck: "command interval_sec timeout_sec start_period_sec start_interval_sec retries",
        SolutionConfig: "env",
        ArtifactConfig: "source destination exclude service",
        StepConfig: "name agent verifier min_reward healthcheck artifacts",
        StepVerifierConfig: "timeout_sec env user network_mode allowed_hosts environment_mode environment collect",
    }
    assert {model: " ".join(model.model_fields) for model in fields} == fields


@pytest.mark.parametrize("version", ["1.0", "1.1", "1.2", "1.3", "1.4"])
def test_the_schema_versions(version: str) -> None:
    assert load(f'schema_version = "{version}"').schema_version == version


# --- Older names ---


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ('version = "1.0"', "schema_version", "1.0"),
        ('version = "1.0"\nschema_version = "1.2"', "schema_version", "1.2"),
    ],
)
def test_version_is_the_older_name_of_the_schema_version(text: str, field: str, value: str) -> None:
    assert getattr(load(text), field) == value


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ('memory = "2G"', "memory_mb", 2048),
        ('memory = "2g"', "memory_mb", 2048),
        ('memory = " 2 G "', "memory_mb", 2048),
        ('memory = "1.5G"', "memory_mb", 1536),
        ('memory = "512M"', "memory_mb", 512),
        ('memory = "2048K"', "memory_mb", 2),
        ('storage = "10G"', "storage_mb", 10240),
        ('memory = "2G"\nmemory_mb = 2048', "memory_mb", 2048),
        ("allow_internet = true", "network_mode", NetworkMode.PUBLIC),
        ("allow_internet = false", "network_mode", NetworkMode.NO_NETWORK),
        ('allow_internet = "no"', "network_mode", NetworkMode.NO_NETWORK),
        ('allow_internet = "off"', "network_mode", NetworkMode.NO_NETWORK),
        ('allow_internet = "yes"', "network_mode", NetworkMode.PUBLIC),
        ("allow_internet = 0", "network_mode", NetworkMode.NO_NETWORK),
        ('allow_internet = true\nnetwork_mode = "no-network"', "network_mode", NetworkMode.NO_NETWORK),
    ],
)
def test_older_names_of_the_environment(line: str, field: str, value: object) -> None:
    assert getattr(load(f"[environment]\n{line}").environment, field) == value


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ('memory = "2G"\nmemory_mb = 1024', "memory and memory_mb must agree, but they contradict each other"),
        ('storage = "2G"\nstorage_mb = 1', "storage and storage_mb must agree, but they contradict each other"),
        ('memory = "much"', "memory must be a size such as 2G or 512M, got 'much'"),
        ('memory = "2"', "memory must be a size such as 2G or 512M, got '2'"),
        ('memory = "-2G"', "memory must be a size such as 2G or 512M, got '-2G'"),
        ('memory = "1K"', "environment.memory_mb must be greater than or equal to 1, got 0"),
        ('allow_internet = "perhaps"', "allow_internet must be true or false, got 'perhaps'"),
        ("allow_internet = 2", "allow_internet must be true or false, got 2"),
    ],
)
def test_values_of_older_names_that_mean_nothing(line: str, says: str) -> None:
    assert says in refusal(f"[environment]\n{line}")


# --- What Assay does not do ---


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('[environment]\nos = "windows"', "environment.os: Windows containers are not supported"),
        ("[environment]\ngpus = 1", "environment.gpus: GPUs are not supported"),
        ("[environment]\ngpu_types = ['h100']", "environment.gpu_types: GPUs are not supported"),
        ("[environment]\ntpu = {type = 'v4'}", "environment.tpu: TPUs are not supported"),
        ("[environment]\nmcp_servers = [{name = 'x'}]", "environment.mcp_servers: MCP servers are not supported"),
        ("[environment]\nskills_dir = 'skills'", "environment.skills_dir: skills are not supported"),
        (
            "[environment]\nhealthcheck = {command = 'true'}",
            "environment.healthcheck: health checks are not supported",
        ),
        (
            "[verifier.environment]\ngpus = 1",
            "verifier.environment.gpus: GPUs are not supported",
        ),
        (
            "[[verifier.collect]]\ncommand = 'true'",
            "verifier.collect: no command can be run beside the agent's processes, which end with the agent",
        ),
        (
            "artifacts = [{source = '/a', service = 'db'}]",
            "artifacts.service: a task must have a single container, whose service is main",
        ),
        (
            '[environment]\nnetwork_mode = "allowlist"',
            "environment.network_mode: allow-lists of hosts are not supported",
        ),
        (
            "[environment]\nallowed_hosts = ['a']",
            "environment.network_mode: allow-lists of hosts are not supported",
        ),
        ('[agent]\nnetwork_mode = "allowlist"', "agent.network_mode: allow-lists of hosts are not supported"),
        ("[agent]\nallowed_hosts = []", "agent.network_mode: allow-lists of hosts are not supported"),
        (
            '[verifier]\nnetwork_mode = "allowlist"',
            "verifier.network_mode: allow-lists of hosts are not supported",
        ),
        (
            "[[steps]]\nname = 'a'\nhealthcheck = {command = 'x'}",
            "steps.a.healthcheck: health checks are not supported",
        ),
        (
            "[[steps]]\nname = 'a'\n[steps.verifier.environment]\nskills_dir = '/s'",
            "steps.a.verifier.environment.skills_dir: skills are not supported",
        ),
        (
            "[[steps]]\nname = 'a'\nagent = {network_mode = 'allowlist'}",
            "steps.a.agent.network_mode: allow-lists of hosts are not supported",
        ),
        (
            "[[steps]]\nname = 'a'\nverifier = {allowed_hosts = ['b']}",
            "steps.a.verifier.network_mode: allow-lists of hosts are not supported",
        ),
    ],
)
def test_what_is_not_supported_is_named(text: str, says: str) -> None:
    assert why_unsupported(load(text)) == says


# --- What nobody knows ---

SECTIONS = [
    ("", "{}"),
    ("[task]\nname = 'a/b'", "task.{}"),
    ("[verifier]", "verifier.{}"),
    ("[agent]", "agent.{}"),
    ("[environment]", "environment.{}"),
    ("[solution]", "solution.{}"),
    ("[environment.healthcheck]\ncommand = 'x'", "environment.healthcheck.{}"),
    ("[[steps]]\nname = 'a'", "steps.0.{}"),
    ("[[steps]]\nname = 'a'\n[steps.agent]", "steps.0.agent.{}"),
    ("[[steps]]\nname = 'a'\n[steps.verifier]", "steps.0.verifier.{}"),
    ("[task]\nname = 'a/b'\n[[task.authors]]\nname = 'x'", "task.authors.0.{}"),
]


@pytest.mark.statement("harbor.task-fields")
@pytest.mark.parametrize("field", ["timeuot_sec", "colour"])
@pytest.mark.parametrize(("section", "place"), SECTIONS, ids=[place for _, place in SECTIONS])
def test_unknown_fields_have_no_effect_and_are_mentioned(section: str, place: str, field: str) -> None:
    """A mistyped time-out is a time-out that does not hold, so nobody should have to guess it."""
    healthy = TaskConfig.model_validate(tomllib.loads(f"{section}\n{field} = 1"))
    said = unknown_fields(healthy)[0]
    assert said.startswith(f"the field {place.format(field)} is unknown and has no effect")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "[agent]\ntimeuot_sec = 1",
            "the field agent.timeuot_sec is unknown and has no effect (did you mean timeout_sec?)",
        ),
        ("[environment]\nextensions = ['a']", "the field environment.extensions is unknown and has no effect"),
        (
            "[environment]\nmemory = 2048",
            "the field environment.memory is unknown and has no effect (did you mean memory_mb?)",
        ),
        ('schema_version = "2.0"', "schema_version 2.0 is not one of 1.0, 1.1, 1.2, 1.3, 1.4"),
        ('version = "0.9"', "schema_version 0.9 is not one of 1.0, 1.1, 1.2, 1.3, 1.4"),
    ],
)
def test_what_is_said_about_an_unknown_field(text: str, said: str) -> None:
    assert unknown_fields(load(text)) == [said]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("[environment]\nextensions = ['a']", "environment.extensions"),
        ("[verifier]\ntimout_sec = 5", "verifier.timout_sec"),
        ("[verifier.environment]\nimage = 'x'", "verifier.environment.image"),
        ("[verifer]\ntimeout_sec = 5", "verifer"),
        ("[[steps]]\nname = 'a'\n[steps.verifier]\nretries = 5", "steps.0.verifier.retries"),
        ("reward_aggregation = 'max'", "reward_aggregation"),
        ("multi_step_reward_stategy = 'final'", "multi_step_reward_stategy"),
        ("[agent]\ntimeuot_sec = 1", None),
        ("[tool.somebody]\nreward = 1", None),
        ("[metadata]\nverifier = 1", None),
        ("[solution]\nx = 1", None),
        ("[[steps]]\nname = 'a'\nnotes = 'b'", None),
    ],
)
def test_an_unknown_field_where_the_reward_is_decided(text: str, field: str | None) -> None:
    found = unknown_deciding_field(load(text))
    assert (None if found is None else found.partition(" ")[0]) == field


def test_parts_of_processors() -> None:
    assert load("[environment]\ncpus = 0.5").environment.cpus == 0.5
    assert repr(load("[environment]\ncpus = 2.0").environment.cpus) == "2"


def test_metadata_may_hold_anything() -> None:
    assert load("[metadata]\ncolour = 'blue'\n[metadata.deep]\nx = [1]").metadata == {
        "colour": "blue",
        "deep": {"x": [1]},
    }


WRONG: list[tuple[str, str]] = [
    ("[verifier]\ntimeout_sec = 0", "verifier.timeout_sec"),
    ("[verifier]\ntimeout_sec = -1", "verifier.timeout_sec"),
    ("[verifier]\ntimeout_sec = nan", "verifier.timeout_sec"),
    ("[verifier]\ntimeout_sec = inf", "verifier.timeout_sec"),
    ("[verifier]\ntimeout_sec = 'soon'", "verifier.timeout_sec"),
    ("[agent]\ntimeout_sec = 0", "agent.timeout_sec"),
    ("[environment]\nbuild_timeout_sec = 0", "environment.build_timeout_sec"),
    ("[environment]\ncpus = 0", "environment.cpus"),
    ("[environment]\ncpus = 0.0", "environment.cpus"),
    ("[environment]\nmemory_mb = 0", "environment.memory_mb"),
    ("[environment]\nstorage_mb = -1", "environment.storage_mb"),
    ("[environment]\ngpus = -1", "environment.gpus"),
    ("[environment]\nos = 'plan9'", "environment.os"),
    ("[environment]\nworkdir = 'app'", "environment.workdir"),
    ("[environment]\nenv = {A = 1}", "environment.env.A"),
    ("[environment]\nnetwork_mode = 'maybe'", "environment.network_mode"),
    ("[verifier]\nenvironment_mode = 'none'", "verifier.environment_mode"),
    ("environment = 1", "environment"),
    ("schema_version = 1.3", "schema_version"),
    ("multi_step_reward_strategy = 'best'", "multi_step_reward_strategy"),
    ("steps = 1", "steps"),
    ("[[steps]]\nmin_reward = 1", "steps.0.name"),
    ("[[steps]]\nname = '../up'", "steps.0.name"),
    ("[[steps]]\nname = ''", "steps.0.name"),
    ("[[steps]]\nname = 'a/b'", "steps.0.name"),
    ("[[steps]]\nname = '.hidden'", "steps.0.name"),
    ('[[steps]]\nname = "a\\n"', "steps.0.name"),
    ("[[steps]]\nname = 'a'\nmin_reward = 'high'", "steps.0.min_reward"),
    ("[[steps]]\nname = 'a'\nverifier = {timeout_sec = 0}", "steps.0.verifier.timeout_sec"),
    ("[task]\nname = 'no-slash'", "task.name"),
    ("[task]\nname = 'a/b/c'", "task.name"),
    ("[task]\ndescription = 'x'", "task.name"),
    ("artifacts = [1]", "artifacts.0"),
    ("[[artifacts]]\ndestination = 'x'", "artifacts.0"),
]


@pytest.mark.parametrize(("text", "field"), WRONG, ids=[text for text, _ in WRONG])
def test_a_value_that_does_not_fit_is_refused_by_the_name_of_its_field(text: str, field: str) -> None:
    said = refusal(text)
    assert said == f"missing field {field}" or said.startswith((f"{field} must ", f"{field}."))


def test_steps_must_have_different_names() -> None:
    assert "steps must have different names" in refusal("[[steps]]\nname = 'a'\n[[steps]]\nname = 'a'\n")


@pytest.mark.parametrize("text", ["=", "a = ", "[a", "a = 1\na = 2", "a = \x00", "a = 2026-99-99"])
def test_bad_toml(text: str) -> None:
    said = refusal(text)
    assert said.startswith(" must be TOML: ")


@pytest.mark.parametrize("text", ["a = " + "[" * 5000, "a = " + "{a = " * 5000])
def test_toml_without_end_is_refused_too(text: str) -> None:
    assert refusal(text)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "-1", "0"])
def test_min_reward_takes_any_number(value: str) -> None:
    """Harbor compares, and NaN is not below anything."""
    steps = load(f"[[steps]]\nname = 'a'\nmin_reward = {value}").steps
    assert steps is not None
    found: Any = steps[0].min_reward
    assert found == float(value) or (math.isnan(found) and value == "nan")
