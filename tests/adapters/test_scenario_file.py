"""Scenario files: three ways to write the same, and refusals that say what is wrong and where."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.tasks.scenario_file import load_scenario, scenario_of
from assay.core.errors import InputError
from assay.dialects.scorers.scenario import scenario_hash, scenario_record

YAML = """\
instruction: Fix it.
workspace_seed: {type: git, repository: ../repo, commit: abc}
setup: make
scorers:
  - {type: command, command: make test}
  - {name: small, type: max_files_changed, limit: 3, required: false}
"""
TOML = """\
instruction = "Fix it."
setup = "make"
workspace_seed = {type = "git", repository = "../repo", commit = "abc"}
[[scorers]]
type = "command"
command = "make test"
[[scorers]]
name = "small"
type = "max_files_changed"
limit = 3
required = false
"""
JSON = json.dumps(
    {
        "user_instruction": "Fix it.",
        "workspace_seed": {"type": "git", "url": "../repo", "ref": "abc"},
        "setup_command": {"command": "make"},
        "scorers": [
            {"name": "command", "type": "command", "command": "make test"},
            {"name": "small", "type": "max_files_changed", "limit": 3, "required": False},
        ],
    }
)


def write(folder: Path, name: str, text: str) -> str:
    (folder / name).write_text(text)
    return str(folder / name)


def test_yaml_toml_and_json_say_the_same(tmp_path: Path) -> None:
    loaded = [
        load_scenario(write(tmp_path, name, written))
        for name, text in (("a.yaml", YAML), ("a.toml", TOML), ("a.json", JSON), ("a.YML", YAML))
        for written in (text, f"\ufeff{text}", text.replace("\n", "\r\n"))
    ]
    assert len({scenario_hash(one) for one in loaded}) == 1
    assert [scorer.required for scorer in loaded[0].scorers] == [None, False]


def test_what_is_frozen_can_be_read_again(tmp_path: Path) -> None:
    loaded = load_scenario(write(tmp_path, "a.yaml", YAML))
    assert scenario_of(scenario_record(loaded), "again") == loaded


def test_any_difference_is_another_hash(tmp_path: Path) -> None:
    one = load_scenario(write(tmp_path, "a.yaml", YAML))
    for old, new in (("limit: 3", "limit: 4"), ("Fix it", "fix it"), ("false", "true"), ("abc", "abd")):
        assert scenario_hash(load_scenario(write(tmp_path, "b.yaml", YAML.replace(old, new)))) != scenario_hash(
            one
        )


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "a.yaml",
            "scorers: [",
            r"a\.yaml:1 must be valid YAML: expected the node content, but found '<stream end>'$",
        ),
        ("a.toml", "scorers =", r"a\.toml must be valid TOML: "),
        ("a.json", "{", r"a\.json must be valid JSON: "),
        ("a", "scorers: [", "must be valid YAML: "),
        ("a.yaml", "", r"a\.yaml must be an object of names and values, got null$"),
        ("a.yaml", "[]", r"a\.yaml must be an object of names and values, got an empty list$"),
        (
            "a.yaml",
            "{scorers: [], turns: ['']}",
            "turns must have what the user says in each turn, got an empty one",
        ),
        ("a.yaml", "scorers: [{name: a}]", r"scorers\[0\]\.type must be given, got nothing"),
        ("a.yaml", "scorers: [{type: a}, {type: a}]", "the names of scorers must differ, got 'a' twice"),
        ("a.yaml", "extra: 1\nscorers: [{type: a}]", "extra must be one of the fields name, user_instruction, "),
        (
            "a.yaml",
            "scorers: [{type: a}]\nexpected_outcome: success",
            "expected_outcome must be 'completion' or 'refusal', got 'success'",
        ),
        (
            "a.yaml",
            "scorers: [{type: a, required: 'yes'}]",
            r"scorers\[0\]\.required must be true or false, got 'yes'",
        ),
        ("a.yaml", "scorers: [{type: 3}]", r"scorers\[0\]\.type must be text, got 3"),
        ("a.yaml", "scorers: [{type: }]", r"scorers\[0\]\.type must be text, got null"),
        (
            "a.yaml",
            "scorers: [{type: a}]\nworkspace_seed: tarball",
            "workspace_seed must have 'type'",
        ),
        (
            "a.yaml",
            "scorers: [{type: a}]\nworkspace_seed: {path: x}",
            "workspace_seed must have 'type'",
        ),
        (
            "a.yaml",
            "scorers: [{type: a}]\nworkspace_seed: {type: git, repository: x}",
            r"a\.yaml: workspace_seed\.commit must be given, got nothing$",
        ),
        ("a.yaml", "scorers: [{type: a}]\nsetup: ' '", r"setup\.command must be a shell command, got "),
        ("a.yaml", 'scorers: [{type: a}]\nsetup: "a\\0b"', r"setup\.command must be a shell command, got "),
        ("a.yaml", "scorers: [{type: a}]\nsetup: {command: x, timeout_s: 3601}", "timeout_s"),
        (
            "a.yaml",
            "scorers: [{type: a, when: 2001-01-01}]",
            "a value must be text, .*, got 2001-01-01 .put it in quotes.$",
        ),
        ("a.toml", "[[scorers]]\ntype = 'a'\nwhen = 2001-01-01", "a value must be text, .*, got 2001-01-01 "),
        ("a.yaml", "scorers: [{type: a, limit: .nan}]", r"a\.yaml"),
        (
            "a.yaml",
            "scorers: [{type: a}]\nworkdir: relative",
            "workdir must be the absolute path of ",
        ),
        ("a.yaml", "scorers: [{type: a}]\nworkdir: /", "workdir must be the absolute path of "),
        (
            "a.yaml",
            "scorers: [{type: a}]\nworkdir: /a/..",
            "workdir must be the absolute path of ",
        ),
        ("a.yaml", "scorers: !!python/object/apply:os.system [true]", "must be valid YAML"),
        ("a.yaml", "scorers: [{type: a}]\nscorers: [{type: b}]", "twice"),
        ("a.json", '{"scorers": [{"type": "a"}], "scorers": [{"type": "b"}]}', "twice"),
        ("a.yaml", "[" * 5000, "must be valid YAML"),
        ("a.json", "[" * 100_000, "must be valid JSON"),
    ],
)
def test_refusals_name_the_file_and_the_field(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        load_scenario(write(tmp_path, name, text))


def test_a_file_that_can_not_be_read(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: No such file"):
        load_scenario(str(tmp_path / "nothing.yaml"))
    with pytest.raises(InputError, match="can't be read: Is a directory"):
        load_scenario(str(tmp_path))


@given(st.binary(max_size=200), st.sampled_from([".yaml", ".toml", ".json", ""]))
def test_any_bytes_are_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, ending: str
) -> None:
    path = tmp_path_factory.mktemp("any") / f"scenario{ending}"
    path.write_bytes(data)
    with pytest.raises(InputError):
        load_scenario(str(path))
