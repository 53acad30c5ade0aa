"""Compare agents on the tasks that they have in common: who is better, by how much, and how sure that is.

Each JOB is one side, or as many as it has agents. The difference is that of the later one to the earlier one, task
by task; tasks that only one of them has don't count. An unusable answer counts as 0, a broken measurement is left
out, and bounds say what they could have changed. Jobs whose tasks, verifiers, profiles or engines differ by their
hashes are refused.

With --fail-if-worse-than, the exit code is 1 if the data show that the second agent is worse by more than that, 0
if they show that it isn't, and 3 if they show neither.
"""

import argparse

from assay.adapters.atomic_write import write_text
from assay.cli.arguments import finite_number, number_from_0
from assay.cli.read_jobs import read_jobs
from assay.cli.render_compare import as_json, as_text
from assay.cli.render_gate import as_github, as_junit
from assay.core.errors import InputError
from assay.engine.compare import Comparison, compare
from assay.engine.compare_arms import arms_of
from assay.engine.compare_gate import Gate, decide
from assay.engine.job_runs import Question
from assay.engine.statistics_svg import comparison_svg

EXIT_CODES = {"worse": 1, "not worse": 0, "undecided": 3}


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("jobs", metavar="JOB", nargs="+", help="a job folder")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON")
    form.add_argument("--markdown", action="store_true", help="print Markdown tables")
    parser.add_argument("--key", help="the reward to compare (default: 'reward', or the only one)")
    parser.add_argument(
        "--threshold",
        type=finite_number,
        metavar="X",
        help="compare successes: rewards of at least X (default: compare the rewards themselves)",
    )
    parser.add_argument(
        "--grading",
        choices=("first", "latest"),
        default="first",
        help="which gradings to compare: the first one of each run, or the latest (default: first)",
    )
    parser.add_argument(
        "--group",
        action="append",
        default=[],
        metavar="KEY",
        help="compare only this group of the jobs; repeatable",
    )
    parser.add_argument(
        "--anyway", action="store_true", help="compare jobs with different provenance, and mark what differs"
    )
    parser.add_argument(
        "--fail-if-worse-than",
        type=number_from_0,
        metavar="X",
        help="decide whether the second agent is worse than the first by more than X: exit code 1, 0, or 3",
    )
    parser.add_argument("--junit", metavar="FILE", help="write the decision as JUnit XML")
    parser.add_argument("--github", action="store_true", help="print the decision as an annotation line of GitHub")
    parser.add_argument(
        "--svg", metavar="FILE", help="draw the differences by task, or all agents if there are more than two"
    )


def run(args: argparse.Namespace) -> int:
    if args.fail_if_worse_than is None and (args.junit or args.github):
        raise InputError("--junit and --github write a decision: pass --fail-if-worse-than, too")
    successes = args.threshold is not None
    question = Question(key=args.key, threshold=args.threshold if successes else 1.0, grading=args.grading)
    found = compare(arms_of(read_jobs(args.jobs), question, args.group, successes), anyway=args.anyway)
    gate = _gate(found, args.fail_if_worse_than)
    if args.svg:
        write_text(args.svg, comparison_svg(found))
    if gate is not None and args.junit:
        write_text(args.junit, as_junit(found.pairs[0], gate))
    print(as_json(found, gate) if args.json else as_text(found, gate, markdown=args.markdown))
    if gate is not None and args.github:
        print(as_github(gate))
    return 0 if gate is None else EXIT_CODES[gate.decision]


def _gate(found: Comparison, margin: float | None) -> Gate | None:
    if margin is None:
        return None
    if len(found.agents) != 2:
        labels = ", ".join(agent.arm.label for agent in found.agents)
        raise InputError(f"--fail-if-worse-than needs exactly two agents, got {labels}; choose with --group")
    return decide(found.pairs[0], margin)
