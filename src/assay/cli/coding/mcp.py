"""Serve the checks of a repository to a coding agent over MCP, so that it can grade its change before it hands in.

    assay mcp [--repository DIR]

speaks the Model Context Protocol on standard input and output, and has one tool, grade_change. It scores the
working tree of the repository against its main branch as 'assay score' does: by the assay.yaml of the main branch,
or by what can be guessed. The agent gets the verdict and each check's findings. It gets no output of commands, no
note for the judge and no rubric, no judge is asked, and neither tasks nor scenarios of other places can be named.

Exit codes: 0 the client ended the session, 2 it can't be served.
"""

import argparse
import functools
import os
from typing import Any

from assay.adapters.workspace.borrowed_repository import find_root
from assay.cli.coding.score import score
from assay.cli.main import parser_of
from assay.cli.options.common import extra_packages, option
from assay.core.errors import AssayError, InputError
from assay.dialects.scorers.report import ScorersReport
from assay.version import VERSION

INSTRUCTIONS = (
    "Call grade_change when you think that your change is done, before you hand it in. FAIL and warnings name file"
    " and line: mend the cause in the source. Never mend a finding by weakening a test, a check or its settings. A"
    " finding that the task itself asks for may stay: say so when you hand in."
)
_MOST_FINDINGS = 20
_SHOWN = ("path", "line", "rule", "test", "detail", "before", "after", "pattern", "mask")


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "--repository DIR", "a folder in the repository (default: here)", default=".")


def run(args: argparse.Namespace) -> int:
    root = find_root(args.repository) if os.path.isdir(args.repository) else None
    if root is None:
        raise InputError(f"--repository must be a folder in a git repository, got {args.repository}")
    with extra_packages("assay mcp needs the package", "mcp"):
        import anyio  # noqa: PLC0415 - only for a server of an agent
        from mcp.server import MCPServer  # noqa: PLC0415
        from mcp.server.mcpserver.exceptions import ToolError  # noqa: PLC0415

    server = MCPServer("assay", version=VERSION, instructions=INSTRUCTIONS, log_level="ERROR")

    @server.tool(description="Grade the change in the working tree against the main branch.")
    async def grade_change(thorough: bool = False) -> dict[str, Any]:
        """With ``thorough``, the tests are also run many times, to see whether they still notice faults."""
        try:
            return await anyio.to_thread.run_sync(functools.partial(grade, root, thorough))
        except AssayError as error:
            raise ToolError(str(error)) from error

    server.run("stdio")
    return 0


def grade(root: str, thorough: bool) -> dict[str, Any]:
    """The verdict on the working tree of a repository, without what an agent must not know."""
    found = score(parser_of("score").parse_args([root, *(["--thorough"] if thorough else [])]))
    assert isinstance(found, ScorersReport), "a folder is no predictions"  # noqa: S101
    report = found.model_dump(mode="json")
    rows = [row for row in report["scorers"] if row["type"] != "llm_judge"]
    overall = report["overall"] or {"verdict": "N/A"}
    return {
        **{name: overall[name] for name in ("verdict", "headline") if overall.get(name)},
        "assumed": report["provenance"]["assumed"],
        "checks": [_shown_check(row) for row in rows],
    }


def _shown_check(row: dict[str, Any]) -> dict[str, Any]:
    found = row["evidence"].get("findings")
    findings = [one for one in found if isinstance(one, dict)] if isinstance(found, list) else []
    shown = [
        {name: one[name] for name in _SHOWN if one.get(name) is not None} for one in findings[:_MOST_FINDINGS]
    ]
    told = {name: row[name] for name in ("name", "type", "required", "verdict", "detail")}
    return {**told, **({"findings": shown} if shown else {})}
