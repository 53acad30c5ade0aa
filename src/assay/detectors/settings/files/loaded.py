"""Files that the configuration of a JavaScript runner has it load: to set up, as an environment, as a resolver."""

import posixpath
import re

LOADABLE = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx")
_ENDINGS = ("js", "cjs", "mjs", "ts", "cts", "mts", "json")
CONFIGURATIONS = (
    "package.json",
    ".mocharc.yml",
    ".mocharc.yaml",
    ".mocharc.json",
    ".mocharc.js",
    ".mocharc.cjs",
    *(
        f"{runner}.config.{ending}"
        for runner in ("jest", "vitest", "vite", "playwright", "ava")
        for ending in _ENDINGS
    ),
)
_KEY = re.compile(
    r"(?:setupFiles\w{0,40}|globalSetup|globalTeardown|testEnvironment|environment|testRunner|runner|resolver|reporters?|snapshotSerializers|"
    r"testSequencer|require|import|file|loader|node-option)[\"']?\s{0,4}[:=]\s{0,8}(\[[^\]]{0,800}\]|[^\n]{0,200})"
)
_PATH = re.compile(r"(?:<rootDir>/|\./)([\w./-]{1,200})")


def loaded_files(text: str) -> set[str]:
    """Their paths, seen from the folder of the configuration. A path may lack its ending."""
    named = {posixpath.normpath(path) for found in _KEY.finditer(text) for path in _PATH.findall(found[1])}
    return {f"{path}{ending}" for path in named for ending in ("", *LOADABLE)}
