"""What a file says to the runner is put back; what else it says stays as the agent left it."""

import json
import tomllib

import pytest

from assay.detectors.settings.files.shared_settings import holds_settings, with_runner_settings

TOML = """[project]
name = "shop"
dependencies = ["attrs"]

[tool.pytest.ini_options]
addopts = "-ra"

[tool.ruff]
line-length = 100
"""
INI = """[metadata]
name = shop

[tool:pytest]
addopts = -ra
"""
PACKAGE = {"name": "shop", "scripts": {"test": "jest", "lint": "eslint ."}, "jest": {"verbose": True}}


def restored(path: str, now: str, baseline: str | None) -> str | None:
    found = with_runner_settings(path, now.encode(), None if baseline is None else baseline.encode())
    return None if found is None else found.decode()


@pytest.mark.parametrize(
    ("path", "holds"),
    [
        ("pyproject.toml", True),
        ("packages/a/package.json", True),
        ("setup.cfg", True),
        ("aid-1.0.dist-info/entry_points.txt", True),
        ("setup.py", False),
        ("pyproject.toml.bak", False),
    ],
)
def test_which_files_hold_settings_among_others(path: str, holds: bool) -> None:
    assert holds_settings(path) is holds


@pytest.mark.parametrize(
    ("path", "baseline", "now"),
    [
        ("pyproject.toml", TOML, TOML.replace('["attrs"]', '["attrs", "httpx"]')),
        ("setup.cfg", INI, INI.replace("name = shop", "name = shop\nversion = 2")),
        ("package.json", json.dumps(PACKAGE), json.dumps({**PACKAGE, "dependencies": {"a": "1"}})),
        ("pyproject.toml", None, "[project]\nname = 'new'\n"),
    ],
)
def test_an_honest_change_is_kept_to_the_letter(path: str, baseline: str | None, now: str) -> None:
    assert restored(path, now, baseline) == now


@pytest.mark.parametrize(
    "cheat",
    [
        TOML.replace('"-ra"', '"-ra -p no:terminal --deselect tests/test_cart.py"'),
        TOML.replace("[tool.pytest.ini_options]", "[tool.pytest . ini_options]").replace('"-ra"', '"-k nothing"'),
        TOML.replace('[tool.pytest.ini_options]\naddopts = "-ra"\n', ""),
        TOML + "\n[tool.coverage.report]\nfail_under = 1\n",
    ],
    ids=["other options", "spelled otherwise", "taken out", "a table more"],
)
def test_toml_says_to_the_runner_what_it_said(cheat: str) -> None:
    now = cheat.replace('["attrs"]', '["attrs", "httpx"]')
    found = tomllib.loads(restored("pyproject.toml", now, TOML) or "")
    assert found["tool"] == tomllib.loads(TOML)["tool"]
    assert found["project"]["dependencies"] == ["attrs", "httpx"]


@pytest.mark.parametrize(
    "cheat",
    [
        TOML.replace("[tool.pytest.ini_options]\naddopts", "[tool]\npytest.ini_options.addopts"),
        TOML + "\n[[broken",
        TOML.replace('addopts = "-ra"', 'addopts = """\n[project]\n-k nothing"""'),
    ],
    ids=["dotted keys", "no TOML", "a header in a text"],
)
def test_what_can_not_be_told_apart_comes_back_as_a_whole(cheat: str) -> None:
    found = restored("pyproject.toml", cheat, TOML)
    assert tomllib.loads(found or "")["tool"]["pytest"] == {"ini_options": {"addopts": "-ra"}}


def test_a_new_file_says_nothing_to_the_runner() -> None:
    assert tomllib.loads(restored("pyproject.toml", TOML, None) or "").keys() == {"project", "tool"}
    assert "pytest" not in (restored("pyproject.toml", TOML, None) or "")
    assert restored("pyproject.toml", "[[broken", None) is None


def test_ini() -> None:
    found = restored("setup.cfg", INI.replace("-ra", "-k nothing") + "\n[options]\nzip_safe = no\n", INI) or ""
    assert "addopts = -ra" in found
    assert "nothing" not in found
    assert "zip_safe = no" in found


def test_package_json() -> None:
    cheat = {
        **PACKAGE,
        "scripts": {"test": "true", "lint": "biome .", "posttest": "exit 0"},
        "jest": {"testPathIgnorePatterns": ["cart"]},
        "mocha": {"grep": "nothing"},
        "dependencies": {"left": "1"},
    }
    found = json.loads(restored("package.json", json.dumps(cheat), json.dumps(PACKAGE)) or "")
    assert found == {**PACKAGE, "scripts": {"lint": "biome .", "test": "jest"}, "dependencies": {"left": "1"}}


PLUGIN = '[project.entry-points.pytest11]\naid = "aid"\n'
SCRIPTS = "[console_scripts]\nshop = shop:main\n"


@pytest.mark.parametrize(
    ("path", "baseline", "now", "expected"),
    [
        ("pyproject.toml", TOML, TOML + PLUGIN, TOML),
        ("pyproject.toml", TOML + PLUGIN, TOML, TOML + PLUGIN),
        ("pyproject.toml", TOML, TOML + '[project.entry-points]\npytest11 = {aid = "aid"}\n', TOML),
        ("x.egg-info/entry_points.txt", None, f"{SCRIPTS}\n[pytest11]\naid = aid\n", SCRIPTS),
        ("x.egg-info/entry_points.txt", SCRIPTS, "[pytest11]\naid = aid\n" + SCRIPTS, SCRIPTS),
    ],
)
def test_plugins_of_pytest_are_those_of_the_baseline(
    path: str, baseline: str | None, now: str, expected: str
) -> None:
    found = restored(path, now, baseline)
    assert found is not None
    assert read_again(path, found) == read_again(path, expected)


def read_again(path: str, text: str) -> object:
    return tomllib.loads(text) if path.endswith(".toml") else text.split()
