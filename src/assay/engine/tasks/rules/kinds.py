"""Every kind of finding of ``assay tasks check``: whether it is a problem or a note, and what it means.

A problem makes the reward wrong, or gives the answer away. A note is a weakness that most published tasks have, or
something to know; notes don't count, and ``--notes`` shows them.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FindingKind:
    """One kind of finding. ``found_by`` is how: reading the task, or running it."""

    name: str
    meaning: str
    found_by: str = "reading"
    is_note: bool = False


_PROBLEMS = (
    ("agents-history", "A test reads the history of the agent's shell."),
    ("always-passes", "The verifier writes a reward of 1 on every path, or for a failure."),
    ("answer-by-agent", "A test reads the expected value from a file that only the agent writes."),
    ("answer-in-image", "A test compares with a file of the image that the agent can read and change."),
    ("by-date", "A test compares with the day or the hour, and the instruction says nothing about them."),
    ("bytecode-in-image", "Compiled Python is left in the image after its source was removed."),
    ("estimates", "The estimate for an expert is longer than the one for a junior."),
    ("failure-swallowed", "A failed test can't reach the reward: '|| true', a pipe, a caught assertion."),
    ("grader-in-image", "A program of the image, which the agent can change, decides the reward."),
    ("hard-coded-answer", "The solution writes the expected words, and nothing in the task leads to them."),
    ("instruction", "The instruction is empty, or a part of it isn't written."),
    ("line-ends", "A script has Windows line ends."),
    ("missing-file", "The Dockerfile copies a file that isn't there."),
    ("mistyped-field", "A field of task.toml has no effect, and its name is close to that of another one."),
    ("mode-no-guard", "A file for the verifier is hidden by its mode from an agent who is root."),
    ("name-not-asked-for", "A test uses a function of the agent's module that nothing names."),
    ("no-network", "The verifier downloads, and the task says that it has no network."),
    ("no-reward", "Nothing in tests writes a reward."),
    ("no-solution", "There is no solution, although other tasks have one; or it does nothing, or lacks a file."),
    ("no-time-limit", "The verifier has a time limit and the agent has none."),
    ("output-not-asked-for", "A test reads a file that nothing names, or that is asked for elsewhere."),
    ("output-not-tested", "The instruction asks for a file that no test reads."),
    ("program-not-run", "Tests read the agent's program as text, and none runs it."),
    ("random-verdict", "A test asserts on a bare random number, and sets no seed."),
    ("reward-not-always", "Some paths through test.sh write no reward."),
    ("reward-values", "A value of reward.json is a text, a list or an object, which harbor refuses."),
    ("set-e", "With set -e, a failed check ends test.sh without a reward."),
    ("solution-in-image", "The agent gets a copy of the solution."),
    ("solution-in-tests", "A test uses the solution."),
    ("syntax", "A test can't be parsed."),
    ("tests-in-image", "The agent gets a copy of the tests."),
    ("tests-not-found", "test.sh runs tests at a path where nothing puts them."),
    ("tests-not-run", "No script runs a file of tests."),
    ("tests-nothing", "No test can fail without an output, or an assertion is always true or no assertion."),
    ("time-limit", "A script or a test sleeps longer than it may take, or the instruction names another limit."),
    ("tool-missing", "test.sh runs pytest, and nothing installs it in a bare image."),
    ("visible-tests", "The image has a copy of a file of the tests."),
    ("wall-clock", "A test limits a measured time, and the instruction says nothing about time."),
    ("writable-verifier", "Everybody can write to a file of the tests."),
)
_BY_RUNNING = (
    ("oracle", "The solution doesn't get a reward of 1."),
    ("nop", "An idle agent gets a reward above 0."),
    ("wrong-answer", "Garbage at the path of the output gets the same reward as the solution."),
    ("flaky", "The same attempt gets different rewards."),
    ("no-room", "The solution or the verifier takes most of its time limit."),
)
_NOTES = (
    ("agents-modules", "The verifier's Python looks for modules in the agent's folder."),
    ("agents-settings", "pytest runs in the agent's folder and reads conftest.py and settings there."),
    ("converted", "A number or a word of task.toml is converted as harbor does it."),
    ("grader-twin", "The environment has a file with the name of one of the verifier's."),
    ("needs-network", "The verifier downloads, and the task doesn't say whether it has a network."),
    ("not-kept", "A file that tests read lies outside of what is kept for a separate verifier."),
    ("note", "Something to know, such as which path is taken for the output."),
    ("output", "The instruction names several paths, and one of them is taken for the output."),
    ("randomness", "A test uses random numbers without a seed."),
    ("unpinned", "An image or a package has no version."),
    ("unsupported", "Assay can't run the task, only read it."),
    ("warning", "A field of task.toml has no effect."),
)

KINDS = {
    **{name: FindingKind(name, meaning) for name, meaning in _PROBLEMS},
    **{name: FindingKind(name, meaning, "running") for name, meaning in _BY_RUNNING},
    **{name: FindingKind(name, meaning, is_note=True) for name, meaning in _NOTES},
}
