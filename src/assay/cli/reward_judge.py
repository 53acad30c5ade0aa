"""Have a language model answer every criterion of a rubric about an output, and write the reward.

RUBRIC is a JSON file with dimensions, each with a weight and criteria: binary ones, which are met or not, and
graded ones, from 0 to a number of levels. Writes reward.json, and details.json with the evidence of every
dimension, the range of the answers as confidence, and the mistakes that the judge found. Works as the last line of
a verifier:

    assay reward judge /tests/rubric.json --output /workspace/report.md --samples 3

An output that is missing is worth 0. A judge that fails writes no reward, which isn't a 0.

Exit codes: 0 a reward was written, 2 there is none.
"""

import argparse
from typing import TYPE_CHECKING

from assay.cli.options.common import option
from assay.cli.options.judge import add_judge, judge_options
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.judge.rubric import GradedWork


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "rubric RUBRIC", "JSON file with dimensions, criteria and the strategy")
    option(parser, "--output FILE", "a file that the agent left; may be repeated", action="append", required=True)
    option(parser, "--task FILE", "what the agent was asked (default: task in the rubric)")
    option(parser, "--agent-logs DIR", "what the agent recorded: trajectory, final response")
    option(parser, "--into DIR", "folder to write to (default: /logs/verifier)", default="/logs/verifier")
    add_judge(parser)
    parser.set_defaults(action=run)


def run(args: argparse.Namespace) -> int:
    from assay.adapters.jobs.reward_writer import remove_artifacts, write_artifacts  # noqa: PLC0415
    from assay.adapters.models.judge_setup import ConfiguredJudges, load_rubric  # noqa: PLC0415
    from assay.dialects.evaluation.judged_rubric import JudgedRubric  # noqa: PLC0415
    from assay.judge.rubric import judge_rubric  # noqa: PLC0415

    if args.judge_guard or args.judge_calibration or args.judge_monitor:
        raise InputError("--guard, --calibration and --monitor are for verdicts on runs, not for rubrics")
    rubric = load_rubric(args.rubric, JudgedRubric)
    work = _work(args, rubric.task)
    with ConfiguredJudges(judge_options(args)) as judges:
        judge = judges.rubric_judge()
        remove_artifacts(args.into)
        found = judge_rubric(rubric, work, judge)
    write_artifacts(args.into, found.reward, found.details)
    return 0


def _work(args: argparse.Namespace, task: str | None) -> "GradedWork":
    from assay.adapters.jobs.agent_record import read_agent_record  # noqa: PLC0415
    from assay.adapters.models.judge_setup import read_output, read_text  # noqa: PLC0415
    from assay.evidence.coding_run import AgentRecord  # noqa: PLC0415
    from assay.judge.rubric import GradedWork  # noqa: PLC0415

    asked = task if args.task is None else read_text(args.task)
    agent = AgentRecord() if args.agent_logs is None else read_agent_record(args.agent_logs)
    return GradedWork(asked, tuple(read_output(path) for path in args.output), agent)
