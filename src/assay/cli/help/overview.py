"""The overview of the commands, groups of options in the help of the larger ones, and what was probably meant."""

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

GROUPS = {
    "score and run": (
        "score",
        "run",
        "init",
        "scenario",
        "seed",
        "tasks",
        "agents",
        "grade",
        "doctor",
        "examples",
    ),
    "read": (
        "report",
        "compare",
        "power",
        "view",
        "result",
        "audit",
        "outcome",
        "annotate",
        "tag",
        "pack",
        "unpack",
    ),
    "judge": ("judge", "reward"),
    "other systems": ("verify", "criteria", "playground", "listen"),
    "serve": ("serve", "worker", "keys", "import", "db", "mcp"),
    "help": ("help", "version", "completion"),
}
# These two are no modules, and have no options.
WORDS = {"help": "show this overview, or the help of a command", "version": "print the version"}
EXAMPLES = {
    "assay score --branch fix": "did the agent's branch pass, and did it cheat? (inside a git repository)",
    "assay run examples/tasks -a oracle": "run an agent on tasks and grade each attempt",
    "assay compare jobs/monday jobs/tuesday": "is the second agent better than the first?",
}

# Titles for options, by patterns of their names. Options that none matches stay where they are.
OPTIONS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "run": {
        "agent": ("agent", "agent-*", "model"),
        "model endpoint, for agents without a network": ("model-*", "allow-models"),
        "tasks and attempts": ("include", "exclude", "limit", "n-*", "max-retries", "allow-unknown-fields"),
        "sandbox": ("isolation", "no-image", "network", "verifier-*", "on"),
        "grading": ("profile", "schema-*", "no-control", "no-run-cache"),
        "judge": ("judge", "judge-*"),
        "output": ("jobs-dir", "job-name", "quiet", "view"),
    },
    "score": {
        "what is scored": (
            "branch",
            "pr",
            "main",
            "task",
            "scenario",
            "baseline",
            "no-workspace",
            "instruction",
            "repositories",
        ),
        "the run": ("run-status", "agent-logs", "keep"),
        "scorers": ("tests", "quick", "thorough", "strict", "fail-on-suspicion", "isolation", "no-run-cache"),
        "judge": ("judge", "judge-*", "require-judge"),
        "output": ("json", "format", "all", "diff"),
    },
}


def overview(commands: Mapping[str, str]) -> str:
    """All commands by group, and examples."""
    return "\n".join(_lines({**commands, **WORDS}))


def _lines(summaries: Mapping[str, str]) -> Iterator[str]:
    width = max(map(len, summaries))
    for title, names in GROUPS.items():
        yield f"{title}:"
        yield from (f"  {name:<{width}}  {summaries[name]}" for name in names)
        yield ""
    yield "examples:"
    width = max(map(len, EXAMPLES))
    yield from (f"  {line:<{width}}  {meaning}" for line, meaning in EXAMPLES.items())
    yield ""
    yield "Run 'assay COMMAND --help' for details."


def group_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Give the options of a command titles in its help."""
    plain = parser._optionals._group_actions
    for title, patterns in OPTIONS.get(command, {}).items():
        named = {one: one.option_strings[-1].lstrip("-") for one in plain}
        chosen = [one for one in plain if any(fnmatchcase(named[one], pattern) for pattern in patterns)]
        parser.add_argument_group(title)._group_actions.extend(chosen)
        plain[:] = [one for one in plain if one not in chosen]


def probably(word: str, known: Iterable[str]) -> str:
    """A question that names the nearest known word; empty if none is near."""
    from difflib import get_close_matches  # noqa: PLC0415 - only for a slip

    without_dashes = {one.lstrip("-"): one for one in known}
    near = get_close_matches(word.lstrip("-"), without_dashes, n=1)
    return f"; did you mean {without_dashes[near[0]]}?" if near else ""


def options_of(parser: argparse.ArgumentParser) -> list[str]:
    """The long options of a command and of its actions."""
    inner = [
        one
        for action in parser._actions
        if isinstance(action.choices, dict)
        for below in action.choices.values()
        for one in options_of(below)
    ]
    own = [text for text in parser._option_string_actions if text.startswith("--")]
    return list(dict.fromkeys([*own, *inner]))
