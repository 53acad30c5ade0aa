"""Write a verifier's artifacts, from an exit status or from a rubric. A file is written completely or not at all.

From the exit status of the tests, like terminal-bench: reward.txt gets 1 for status 0, and 0 otherwise. The
command exits with the same status, so it can be the last line of a verifier:

    pytest /tests; assay reward --exit-status $?

From a rubric and scores, both JSON files: writes reward.json, and details.json with every dimension:

    assay reward --rubric /tests/rubric.json --scores /tmp/scores.json
"""

import argparse
import json
from pathlib import Path

from pydantic import ValidationError

from assay.adapters.reward_writer import write_artifacts, write_binary_reward
from assay.cli.arguments import exit_status
from assay.core.errors import InputError
from assay.dialects.evaluation.rubric import Rubric, score_rubric


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--exit-status", type=exit_status, metavar="N", help="exit status of the tests, from 0 to 255"
    )
    parser.add_argument(
        "--rubric", metavar="FILE", help="JSON file with the dimensions, their weights and the strategy"
    )
    parser.add_argument(
        "--scores",
        metavar="FILE",
        help="JSON file with the score of each dimension: a number, or {score, evidence}",
    )
    parser.add_argument(
        "--into", default="/logs/verifier", metavar="DIR", help="folder to write to (default: /logs/verifier)"
    )


def run(args: argparse.Namespace) -> int:
    if args.exit_status is not None and args.rubric is None and args.scores is None:
        write_binary_reward(args.into, args.exit_status)
        return int(args.exit_status)
    if args.exit_status is None and args.rubric is not None and args.scores is not None:
        _from_rubric(args)
        return 0
    raise InputError("pass either --exit-status, or --rubric and --scores (see 'assay reward --help')")


def _from_rubric(args: argparse.Namespace) -> None:
    try:
        rubric = Rubric.model_validate_json(_read(args.rubric))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = "".join(f"{part}: " for part in [".".join(map(str, first["loc"]))] if part)
        raise InputError(f"{args.rubric}: {where}{first['msg']}") from error
    try:
        scores = json.loads(_read(args.scores))
        if not isinstance(scores, dict):
            raise ValueError(f"must be an object, got {type(scores).__name__}")
        score = score_rubric(rubric, scores)
    except ValueError as error:
        raise InputError(f"{args.scores}: {error}") from error
    write_artifacts(args.into, score.reward, score.to_details())


def _read(path: str) -> str:
    try:
        return Path(path).read_text()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}") from error
