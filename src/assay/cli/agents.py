"""List the agents that 'assay run -a' knows by name, show how one is called, or install one ahead of time.

    assay agents
    assay agents show mini-swe-agent
    assay agents install mini-swe-agent

An agent is described in one file: how to install it, how to call it, and where it tells what it did. AGENT is a
name, or a file of your own of the same form. 'show' prints the file; your own can begin with it.

Each agent is installed once, outside of any sandbox, in a folder below ~/.cache/assay/agents, for root below
/var/cache/assay/agents, or below ASSAY_AGENTS_DIR if that is set.

Exit codes: 0 done, 2 it could not be done.
"""

import argparse
import sys

from assay.adapters.agents.known import FOLDER, SUFFIX, description_file, known_names, read_description
from assay.cli.options.common import option
from assay.cli.output.table import clean
from assay.core.errors import InputError


def configure(parser: argparse.ArgumentParser) -> None:
    option(
        parser,
        "action",
        "what to do (default: list)",
        choices=["list", "show", "install"],
        nargs="?",
        default="list",
    )
    option(parser, "agent [AGENT]", "a name from the list, or a file of your own")


def run(args: argparse.Namespace) -> int:
    if (args.action == "list") != (args.agent is None):
        raise InputError(f"pass AGENT to show or install an agent, and only then, got {args.action}")
    if args.action == "list":
        print("\n".join(_agent_lines()))
        return 0
    path = description_file(args.agent)
    if path is None:
        known = ", ".join(known_names())
        raise InputError(f"AGENT must be one of {known}, or a file that ends with {SUFFIX}, got {args.agent!r}")
    found = read_description(path)
    if args.action == "show":
        with open(path, encoding="utf-8") as file:
            print(file.read(), end="")
        return 0
    from assay.adapters.agents.install import prepare  # noqa: PLC0415 - only who installs needs it

    print(prepare(found, lambda said: print(clean(said), file=sys.stderr)))
    return 0


def _agent_lines() -> list[str]:
    agents = [read_description(str(FOLDER / f"{name}{SUFFIX}")) for name in known_names()]
    rows = [(agent.name, agent.version or "", agent.about) for agent in agents]
    name, version = (max(len(row[column]) for row in rows) for column in (0, 1))
    return [f"{row[0]:<{name}}  {row[1]:<{version}}  {row[2]}" for row in rows]
