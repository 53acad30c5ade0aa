"""Write a verifier's artifacts, from an exit status or from a rubric. A file is written completely or not at all.

From the exit status of the tests, like terminal-bench: reward.txt gets 1 for status 0, and 0 otherwise. The
command exits with the same status, so it can be the last line of a verifier:

    pytest /tests; assay reward --exit-status $?

From a rubric and scores, both JSON files: writes reward.json, and details.json with every dimension:

    assay reward --rubric /tests/rubric.json --scores /tmp/scores.json

From a rubric and a judge: a language model answers every criterion (see 'assay reward judge --help'):

    assay reward judge /tests/rubric.json --output /workspace/report.md
"""

import argparse
import json

from assay.adapters.jobs.reward_writer import write_artifacts, write_binary_reward
from assay.adapters.models.judge_setup import load_rubric, read_text
from assay.cli import reward_judge
from assay.cli.options.common import exit_status, option
from assay.core.errors import InputError
from assay.dialects.evaluation.rubric import Rubric, score_rubric


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "--exit-status N", "exit status of the tests, from 0 to 255", exit_status)
    option(parser, "--rubric FILE", "JSON file with the dimensions, their weights and the strategy")
    option(parser, "--scores FILE", "JSON file with the score of each dimension: a number, or {score, evidence}")
    option(parser, "--into DIR", "folder to write to (default: /logs/verifier)", default="/logs/verifier")
    parser.set_defaults(action=None)
    actions = parser.add_subparsers(metavar="judge", help="have a language model answer a rubric")
    reward_judge.configure(actions.add_parser("judge", description=reward_judge.__doc__,
                                              formatter_class=argparse.RawDescriptionHelpFormatter))  # fmt: skip


def run(args: argparse.Namespace) -> int:
    if args.action is not None:
        return int(args.action(args))
    if args.exit_status is not None and args.rubric is None and args.scores is None:
        write_binary_reward(args.into, args.exit_status)
        return int(args.exit_status)
    if args.exit_status is None and args.rubric is not None and args.scores is not None:
        _from_rubric(args)
        return 0
    raise InputError("pass either --exit-status, or --rubric and --scores (see 'assay reward --help')")


def _from_rubric(args: argparse.Namespace) -> None:
    rubric = load_rubric(args.rubric, Rubric)
    try:
        scores = json.loads(read_text(args.scores))
        if not isinstance(scores, dict):
            raise ValueError(f"must be an object, got {type(scores).__name__}")
        score = score_rubric(rubric, scores)
    except ValueError as error:
        raise InputError(f"{args.scores}: {error}") from error
    write_artifacts(args.into, score.reward, score.to_details())
