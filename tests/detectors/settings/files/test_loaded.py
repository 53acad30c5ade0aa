"""Files that the configuration of a runner has it load."""

import pytest

from assay.detectors.settings.files.loaded import loaded_files


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ('module.exports = { globalSetup: "./tools/start.js" };', "tools/start.js"),
        ('{"jest": {"setupFilesAfterEnv": ["<rootDir>/tools/matchers"]}}', "tools/matchers.ts"),
        ("export default { test: { setupFiles: ['a', './setup.ts'] } }", "setup.ts"),
        ("spec: test\nrequire: ./tools/quiet.js\n", "tools/quiet.js"),
        ("testEnvironment: './x/../env.js'", "env.js"),
    ],
)
def test_what_is_loaded(text: str, path: str) -> None:
    assert path in loaded_files(text)


@pytest.mark.parametrize(
    "text", ['{"main": "./index.js"}', "testEnvironment: 'jsdom'", "testMatch: ['<rootDir>/src/a.js']", ""]
)
def test_what_is_not(text: str) -> None:
    assert not loaded_files(text)
