"""Files that control test runners, wherever they are."""

import fnmatch

from assay.detectors.settings.files.shadowing import stands_in_front
from assay.detectors.test_code.word_sets import word_set

# An interpreter may be told in a compiled file itself not to compare it with its source.
COMPILED = (".pyc", ".pyo")
_RUNNER_FILES = word_set(
    "conftest.py pytest.ini .pytest.ini pytest.toml .pytest.toml tox.ini tox.toml unittest.cfg nose2.cfg *.pth "
    "jest.config.* vite.config.* vitest.config.* vitest.workspace.* karma.conf.* ava.config.* playwright.config.* "
    "cypress.config.* jasmine.json jasmine.mjs .taprc .mocharc* .rspec .rspec-local spec_helper.rb "
    "rails_helper.rb test_helper.rb .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .env bunfig.toml go.work GNUmakefile "
    "junit-platform.properties org.junit.* testng.xml nextest.toml testconfig.json *.runsettings "
    "xunit.runner.json Directory.Build.props Directory.Build.targets"
)
# Modules that would stand in for a runner, or that the interpreter starts with, in whatever form.
_MODULES = ("pytest", "_pytest", "unittest", "nose", "sitecustomize", "usercustomize")
_FOLDERS = (*_MODULES, ".bundle", ".cargo", ".mvn", "node_modules/.bin")


def steers_a_runner(path: str) -> bool:
    """Whether test runners read this file without being told to."""
    name = path.rsplit("/", 1)[-1]
    if name.split(".", 1)[0] in _MODULES and name.endswith((".py", ".so", ".pyd", *COMPILED)):
        return True
    if stands_in_front(path) or any(fnmatch.fnmatchcase(name, one) for one in _RUNNER_FILES):
        return True
    # A link may stand for the folder.
    return any(f"/{folder}/" in f"/{path}/" for folder in _FOLDERS)
