"""Write down what 'assay score' assumes about a repository, as a scenario file to edit and keep.

    assay scenario init [FILE]

looks at the git repository around the current folder, guesses how its tests are run and what they need, and writes
that with the default scorers. Commit the file to the main branch: 'assay score' uses the assay.yaml that the main
branch has, so that no branch can choose its own rules.

Exit codes: 0 the file was written, 2 it was not.
"""

import argparse
import json
import os

import yaml

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.workspace.borrowed_repository import HostTools
from assay.cli.coding.score_here import open_repository
from assay.cli.options.common import add_repository
from assay.core.errors import InputError
from assay.engine.coding.guess_scenario import Guess
from assay.engine.coding.repository_ends import WantedEnds, guess_for

FILE = "assay.yaml"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="init")
    init = actions.add_parser("init", description="Guess a scenario for a repository and write it down.")
    init.add_argument("file", metavar="FILE", nargs="?", default=FILE, help=f"the new file (default: {FILE})")
    add_repository(init)
    init.set_defaults(action=_init)


def run(args: argparse.Namespace) -> int:
    code: int = args.action(args)
    return code


def _init(args: argparse.Namespace) -> int:
    with open_repository(".") as repository:
        files = LocalScoringFiles(lambda: choose("auto"))
        guess, _ = guess_for(repository, WantedEnds(main=args.main), HostTools(repository.root), files)
    try:
        with open(args.file, "x", encoding="utf-8") as file:
            file.write(_text(guess, args.file))
    except OSError as error:
        raise InputError(f"{args.file} can't be written: {error.strerror}") from error
    print(f"{args.file}: {len(guess.scenario.scorers)} scorers")
    for sentence in guess.told:
        print(f"assumed  {sentence}")
    print("Commit it to the main branch: 'assay score' uses the one that is there.")
    return 0


def _text(guess: Guess, path: str) -> str:
    found = guess.scenario.model_dump(mode="json", exclude_defaults=True)
    found["scorers"] = [
        {key: value for key, value in scorer.items() if not (key == "name" and value == scorer["type"])}
        for scorer in found["scorers"]
    ]
    if os.path.splitext(path)[1] == ".json":
        return json.dumps(found, indent=2) + "\n"
    return yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=110)
