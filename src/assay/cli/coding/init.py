"""Set a repository up: guess how its tests are run and what they need, and write it down to edit and keep.

    assay init [FILE] [--workflow github|gitlab] [--show]

writes assay.yaml at the top of the git repository around the current folder, with the default scorers; --workflow
also writes the file that scores every pull or merge request. Nothing that exists is written over, and --show only
shows. Commit the files to the main branch: 'assay score' uses the assay.yaml that the main branch has, so that no
branch can choose its own rules. The same fields may stand under [tool.assay] in pyproject.toml; assay.yaml counts
if there are both.

Exit codes: 0 the files were written or shown, 2 they were not.
"""

import argparse
import json
import os
from typing import Final

import yaml

from assay.adapters.sandbox.backends import choose
from assay.adapters.tasks.scoring_files import LocalScoringFiles
from assay.adapters.workspace.borrowed_repository import HostTools
from assay.cli.coding.score_here import open_repository
from assay.cli.help.examples import bundled
from assay.cli.options.common import add_repository, option
from assay.core.errors import InputError
from assay.engine.coding.guess_scenario import Guess
from assay.engine.coding.repository_ends import WantedEnds, guess_for

FILE: Final = "assay.yaml"
WORKFLOWS: Final = {
    "github": ("score-pull-requests.yml", ".github/workflows/assay.yml"),
    "gitlab": ("gitlab-ci.yml", ".gitlab/assay.yml"),
}


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "file [FILE]", f"the new file (default: {FILE} at the top)")
    option(parser, "--workflow", "also write the workflow that scores requests", choices=sorted(WORKFLOWS))
    option(parser, "--show", "show what would be written, and write nothing")
    add_repository(parser)


def run(args: argparse.Namespace) -> int:
    with open_repository(".") as repository:
        root = os.path.relpath(repository.root)
        files = LocalScoringFiles(lambda: choose("auto"))
        guess, _ = guess_for(repository, WantedEnds(main=args.main), HostTools(repository.root), files)
    scenario = args.file or os.path.normpath(f"{root}/{FILE}")
    wanted = {scenario: _text(guess, scenario)}
    if args.workflow is not None:
        template, place = WORKFLOWS[args.workflow]
        text = (bundled() / "workflows" / template).read_text(encoding="utf-8")
        wanted[os.path.normpath(f"{root}/{place}")] = text
    for sentence in guess.told:
        print(f"assumed  {sentence}")
    if args.show:
        print("\n".join(f"\n# {path}\n{text.rstrip()}" for path, text in wanted.items()))
        return 0
    existing = next((path for path in wanted if os.path.lexists(path)), None)
    if existing is not None:
        raise InputError(f"{existing} exists, so nothing was written; --show shows what would be")
    for path, text in wanted.items():
        _write(path, text)
        print(
            f"{path}: {f'{len(guess.scenario.scorers)} scorers' if path == scenario else f'for {args.workflow}'}"
        )
    print("Commit it to the main branch: 'assay score' uses the one that is there.")
    return 0


def _write(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "x", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise InputError(f"{path} can't be written: {error.strerror}") from error


def _text(guess: Guess, path: str) -> str:
    found = guess.scenario.model_dump(mode="json", exclude_defaults=True)
    found["scorers"] = [
        {key: value for key, value in scorer.items() if not (key == "name" and value == scorer["type"])}
        for scorer in found["scorers"]
    ]
    if os.path.splitext(path)[1] == ".json":
        return json.dumps(found, indent=2) + "\n"
    return yaml.safe_dump(found, sort_keys=False, allow_unicode=True, width=110)
