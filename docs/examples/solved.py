"""A dataset's own metric: how many trials were solved, of how many.

It is called as ``solved.py -i rewards.jsonl -o metric.json``. Each line of the input is the rewards of one trial,
or null where it has none.
"""
# /// script
# requires-python = ">=3.11"
# ///

import argparse
import json
from pathlib import Path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("-i", type=Path, dest="source", required=True)
    parser.add_argument("-o", type=Path, dest="target", required=True)
    args = parser.parse_args()
    rewards = [json.loads(line) for line in args.source.read_text().splitlines()]
    solved = sum(1 for reward in rewards if reward is not None and reward["reward"] == 1)
    args.target.write_text(json.dumps({"solved": solved, "of": len(rewards)}))


if __name__ == "__main__":
    main()
