"""Files put back before a command runs: added ones go, others come back, and no link is followed."""

import importlib.util
import json
import os
import py_compile
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.adapters.workspace import baseline as baselines
from assay.adapters.workspace.restoring import RUNNER, make_room, restore_files
from assay.core.errors import MeasurementError
from assay.detectors.settings.files.steering import steers_a_runner
from tests.adapters.workspace.site import Site, write_files


@pytest.mark.parametrize(
    "path",
    [
        "conftest.py",
        "a/b/conftest.py",
        "pytest.ini",
        "tests/pytest.toml",
        "tox.ini",
        "sitecustomize.py",
        "lib/usercustomize.py",
        "sitecustomize/__init__.py",
        "pytest.py",
        "pytest.pyc",
        "pytest.cpython-311-x86_64-linux-gnu.so",
        "pytest",
        "pytest/__init__.py",
        "src/_pytest/runner.py",
        "unittest/case.py",
        "evil.pth",
        "jest.config.js",
        "packages/a/jest.config.mjs",
        "vite.config.ts",
        "vitest.config.ts",
        ".mocharc.json",
        ".rspec",
        "spec/spec_helper.rb",
        ".cargo/config.toml",
        ".cargo",
        ".mvn/jvm.config",
        "node_modules/.bin/jest",
        "web/node_modules/.bin/jest",
        ".npmrc",
        "go.work",
        "Directory.Build.props",
        "inspect.py",
        "json/__init__.py",
        "json/decoder.py",
        "json",
        "pluggy.py",
        "pygments/__init__.py",
        "tox.toml",
        "GNUmakefile",
        ".yarnrc.yml",
        "test/test_helper.rb",
        "src/test/resources/junit-platform.properties",
        "META-INF/services/org.junit.platform.launcher.TestExecutionListener",
    ],
)
def test_files_that_steer_a_runner(path: str) -> None:
    assert steers_a_runner(path)


@pytest.mark.parametrize(
    "path",
    [
        "src/a.py",
        "tests/test_conftest.py",
        "my_pytest.py",
        "pytest_plugin/a.py",
        "docs/pytest.md",
        "pytest.yaml",
        "package.json",
        "pyproject.toml",
        "tests/unittest_a.py",
        "node_modules/left-pad/index.js",
        "environment.env.py",
        "src/inspect.py",
        "app/json.py",
        "json/schema.json",
        "xml/catalog.xsd",
        "calendar.py",
        "Makefile",
    ],
)
def test_files_that_do_not(path: str) -> None:
    assert not steers_a_runner(path)


FILES = {
    "conftest.py": "old",
    "tests/conftest.py": "old",
    "tests/test_a.py": "old",
    "tests/data/x": "old",
    "src/a.py": "old",
}


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path, FILES)


def texts(root: Path) -> dict[str, str]:
    found = (path for path in root.rglob("*") if path.is_file() and not path.is_symlink())
    return {str(path.relative_to(root)): path.read_text() for path in found}


def test_the_files_of_runners(site: Site) -> None:
    write_files(
        site.root, {"conftest.py": "new", "src/a.py": "new", "a/b/c/conftest.py": "new", "pytest/__init__.py": "x"}
    )
    (site.root / "tests/conftest.py").unlink()
    (site.root / "_pytest").symlink_to("src")
    restore_files(str(site.root), site.baseline, (RUNNER,))
    assert texts(site.root) == {**FILES, "src/a.py": "new"}
    assert not (site.root / "_pytest").is_symlink()


SETTINGS = '[tool.pytest.ini_options]\naddopts = "-ra"\n'
PACKAGE = '{"name": "a", "scripts": {"test": "jest"}, "jest": {"bail": true}}'


def test_what_files_say_to_a_runner_among_other_things(tmp_path: Path) -> None:
    """The agent's dependencies stay; what it says to the runner does not."""
    site = Site(tmp_path, {"pyproject.toml": SETTINGS, "package.json": PACKAGE, "setup.cfg": "[metadata]\n"})
    write_files(
        site.root,
        {
            "pyproject.toml": '[project]\ndependencies = ["x"]\n[tool.pytest.ini_options]\naddopts = "-k none"\n',
            "package.json": '{"dependencies": {"x": "1"}, "scripts": {"test": "true"}}',
            "web/package.json": '{"scripts": {"test": "true", "build": "vite"}}',
            "node_modules/x/package.json": '{"scripts": {"test": "mine"}}',
        },
    )
    (site.root / "setup.cfg").unlink()
    (site.root / "setup.cfg").symlink_to("pyproject.toml")
    restore_files(str(site.root), site.baseline, (RUNNER,))
    found = tomllib.loads((site.root / "pyproject.toml").read_text())
    assert found["project"]["dependencies"] == ["x"]
    assert found["tool"]["pytest"]["ini_options"] == {"addopts": "-ra"}
    package = json.loads((site.root / "package.json").read_text())
    assert package == {"dependencies": {"x": "1"}, "scripts": {"test": "jest"}, "jest": {"bail": True}}
    assert json.loads((site.root / "web/package.json").read_text()) == {"scripts": {"build": "vite"}}
    assert "mine" in (site.root / "node_modules/x/package.json").read_text()
    assert not (site.root / "setup.cfg").is_symlink()
    assert (site.root / "setup.cfg").read_text() == "[metadata]\n"


def test_a_settings_file_in_a_linked_folder_is_not_followed(site: Site) -> None:
    write_files(site.around / "outside", {"package.json": '{"scripts": {"test": "untouched"}}'})
    (site.root / "in").symlink_to(site.around / "outside")
    restore_files(str(site.root), site.baseline, (RUNNER,))
    assert "untouched" in (site.around / "outside/package.json").read_text()


def test_patterns(site: Site) -> None:
    write_files(site.root, {"tests/test_a.py": "new", "tests/deep/test_new.py": "new", "src/a.py": "new"})
    shutil.rmtree(site.root / "tests/data")
    restore_files(str(site.root), site.baseline, ("tests/*",))
    assert texts(site.root) == {**FILES, "src/a.py": "new"}


def test_modes_and_links_come_back(tmp_path: Path) -> None:
    site = Site(tmp_path, {"run.sh": "#!"})
    (site.root / "run.sh").chmod(0o755)
    (site.root / "link").symlink_to("run.sh")
    site.freeze()
    (site.root / "run.sh").chmod(0o644)
    (site.root / "link").unlink()
    write_files(site.root, {"link": "a file"})
    restore_files(str(site.root), site.baseline, ("*",))
    assert os.readlink(site.root / "link") == "run.sh"
    assert os.access(site.root / "run.sh", os.X_OK)


def by_a_link(path: Path, outside: Path) -> None:
    path.unlink()
    path.symlink_to(outside / "file")


def by_a_hard_link(path: Path, outside: Path) -> None:
    path.unlink()
    os.link(outside / "file", path)


def by_a_folder(path: Path, outside: Path) -> None:
    path.unlink()
    write_files(path, {"in/it": "x"})
    (path / "in").chmod(0)


def by_a_link_on_the_way(path: Path, outside: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.symlink_to(outside)


def by_a_file_on_the_way(path: Path, outside: Path) -> None:
    shutil.rmtree(path.parent)
    path.parent.write_text("x")


def by_a_pipe(path: Path, outside: Path) -> None:
    path.unlink()
    os.mkfifo(path)


REPLACED = [by_a_link, by_a_hard_link, by_a_folder, by_a_link_on_the_way, by_a_file_on_the_way, by_a_pipe]


@pytest.mark.parametrize("replace", REPLACED, ids=lambda replace: replace.__name__)
def test_what_stands_in_the_way_of_a_file(site: Site, replace: Callable[[Path, Path], None]) -> None:
    outside = site.around / "outside"
    write_files(outside, {"file": "untouched", "test_a.py": "untouched"})
    replace(site.root / "tests/test_a.py", outside)
    restore_files(str(site.root), site.baseline, ("tests/test_a.py",))
    assert (site.root / "tests/test_a.py").read_text() == "old"
    assert not (site.root / "tests").is_symlink()
    assert texts(outside) == {"file": "untouched", "test_a.py": "untouched"}


def test_links_to_folders_are_removed_and_not_entered(site: Site) -> None:
    write_files(site.around / "outside", {"conftest.py": "untouched"})
    (site.root / "in").symlink_to(site.around / "outside")
    restore_files(str(site.root), site.baseline, (RUNNER,))
    assert (site.around / "outside/conftest.py").read_text() == "untouched"


def test_what_is_too_large_to_be_put_back_is_an_error(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "MAX_READ", 2)
    with pytest.raises(MeasurementError, match=r"src/a\.py is too large to be put back"):
        restore_files(str(site.root), site.baseline, ("src/*",))


def test_a_compiled_file_does_not_stand_in_for_its_source(tmp_path: Path) -> None:
    """A compiled file can say of itself that its source need not be looked at."""
    site = Site(tmp_path, {"graded.py": "print('graded')\n"})
    (site.root / "graded.py").write_text("print('cheated')\n")
    compiled = importlib.util.cache_from_source(str(site.root / "graded.py"))
    py_compile.compile(
        str(site.root / "graded.py"), compiled, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )

    def says() -> str:
        command = [sys.executable, "-c", "import graded"]
        return subprocess.run(command, cwd=site.root, capture_output=True, text=True, check=True).stdout.strip()

    (site.root / "graded.py").write_text("print('graded')\n")
    assert says() == "cheated"
    restore_files(str(site.root), site.baseline, ("graded.py",))
    assert says() == "graded"


def test_room_is_made_without_following_links(site: Site) -> None:
    write_files(site.around / "outside", {"report.xml": "untouched"})
    (site.root / "out").symlink_to(site.around / "outside")
    make_room(str(site.root), "out/report.xml")
    assert list((site.root / "out").iterdir()) == []
    assert (site.around / "outside/report.xml").read_text() == "untouched"
