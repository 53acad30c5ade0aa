"""The hidden tests of a scenario: a scorer like any other, whose files aren't kept beside a run."""

import hashlib
from collections.abc import Mapping
from typing import Final

from assay.dialects.scorers.scenario import TESTS, Scenario, Scorer

KIND: Final = "hidden_tests"
_RUN: Final = ("command", TESTS, "report", "timeout_s")


def with_hidden_tests(scenario: Scenario, files: Mapping[str, str]) -> Scenario:
    """With a scorer that runs these files as the first scorer with tests runs its own. Raises ``ValueError``."""
    running = [one for one in scenario.scorers if "command" in one.config or TESTS in one.config]
    if not running:
        raise ValueError("the scenario must have a scorer that runs tests, got none")
    config = {key: value for key, value in running[0].config.items() if key in _RUN}
    scorer = Scorer.model_validate({"type": KIND, "name": KIND, "files": dict(files), **config})
    return scenario.model_copy(update={"scorers": [*scenario.scorers, scorer], "tests": None})


def without_hidden_tests(scenario: Scenario) -> Scenario:
    """As it is kept beside a run, where an agent might read it: the files are hashes of what they say."""
    scorers = []
    for one in scenario.scorers:
        files = one.config["files"].items() if one.type == KIND else ()
        hashes = {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files}
        scorers.append(one.model_copy(update={"files": hashes}) if one.type == KIND else one)
    return scenario.model_copy(update={"scorers": scorers})
