"""Write a verifier's reward.txt from the exit status of its tests, as terminal-bench does: 1 for status 0, else 0.

The command ends with that exit status, so it can be the last line of a verifier script:

    pytest /tests; assay reward --exit-status $?
"""

import argparse

from assay.adapters.reward_writer import write_binary_reward


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--exit-status", type=_status, required=True, metavar="N", help="the exit status of the tests, 0 to 255"
    )
    parser.add_argument(
        "--into", default="/logs/verifier", metavar="DIR", help="the verifier's folder (default: /logs/verifier)"
    )


def run(args: argparse.Namespace) -> int:
    write_binary_reward(args.into, args.exit_status)
    return int(args.exit_status)


def _status(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 255):
        raise argparse.ArgumentTypeError(f"{text!r} is not an exit status from 0 to 255")
    return int(text)
