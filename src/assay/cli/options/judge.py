"""Options that name a judge, for all commands that have one."""

import argparse
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from assay.cli.options.common import Options, number_from_0, option, positive
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.models.judge_setup import ConfiguredJudges, JudgeOptions
    from assay.dialects.scorers.scenario import JudgePrices


# By the name of their field in a scenario.
SETTINGS = {
    "timeout_s": ("SEC", "time for one question, with all tries (default: 120)"),
    "temperature": ("X", "temperature, or none to send none (default: 0, for several samples 0.7)"),
    "max_tokens": ("N", "most tokens of an answer, or none to send none (default: 4096)"),
    "seed": ("N", "seed of the sampling (default: none is sent)"),
    "characters": ("N", "most characters that are read of a run (default: 300000)"),
    "at_once": ("N", "most questions at the same time (default: 8, or 1 for a model on this machine)"),
}


def add_judge(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    """Add the options, with a prefix where a command has others beside them."""

    def add(name: str, value: str, text: str, read: Callable[[str], Any] | None = None) -> None:
        option(parser, f"--{prefix}{name} {value}", text, read, dest=f"judge_{name.replace('-', '_')}")

    add("url", "URL", "endpoint that speaks OpenAI's chat completions (default: ASSAY_JUDGE_URL)")
    add("model", "NAME…", "model to ask; more than one make a panel (default: ASSAY_JUDGE_MODEL)")
    add("key-file", "FILE", "file with the key (default: ASSAY_JUDGE_KEY_FILE; or set ASSAY_JUDGE_KEY)")
    add("samples", "N", "how often to ask each model (default: 1)", positive)
    add("guard", "", "also ask whether any text addresses the evaluator")
    add("prompt", "PROMPT", "a prompt by its name, or a file with one of your own (default: verdict-2)")
    add("record", "DIR", "keep the answers in this folder, and ask no question twice")
    add("replay", "DIR", "take the answers from this folder, and ask nobody")
    add("price", "IN,OUT", "what a million tokens cost, in and out", judge_price)
    add("tokens", "N", "most tokens for all questions together", positive)
    add("cost", "X", "most money for all questions together, as --price counts it", number_from_0)
    add("calibration", "FILE", "what 'assay judge calibrate' wrote about this judge")
    add("monitor", "", "also ask whether the agent worked around the task")
    for field, (value, text) in SETTINGS.items():
        name = field.removesuffix("_s")
        add(name.replace("_", "-"), value, f"{text}; or the variable ASSAY_JUDGE_{name.upper()}", str)


def judge_options(args: Options) -> "JudgeOptions":
    """Read the options."""
    from assay.adapters.jobs.judge_trust_file import read_trust  # noqa: PLC0415
    from assay.adapters.models.judge_setup import JudgeOptions  # noqa: PLC0415 - only who has a judge needs it

    names = [f"judge_{one.name}" for one in fields(JudgeOptions)]
    settings = {name: getattr(args, f"judge_{name.removesuffix('_s')}") for name in SETTINGS}
    return JudgeOptions(
        **{name.removeprefix("judge_"): getattr(args, name) for name in names if hasattr(args, name)},
        models=tuple(args.judge_model),
        settings={name: written for name, written in settings.items() if written is not None},
        patient=getattr(args, "resume", False),
        trust=None if args.judge_calibration is None else read_trust(args.judge_calibration),
    )


def judges_of(args: Options) -> AbstractContextManager["ConfiguredJudges | None"]:
    """The judges that the options name, with ``--judge``."""
    if not args.judge:
        return nullcontext()
    from assay.adapters.models.judge_setup import ConfiguredJudges  # noqa: PLC0415 - only who has a judge needs it

    return ConfiguredJudges(judge_options(args))


def check_judges(judges: "ConfiguredJudges", tasks: Sequence[str]) -> None:
    """Raise ``InputError`` if a seeded task has no judge, before any agent is run."""
    from assay.adapters.tasks.seeded_task import load_seeded  # noqa: PLC0415

    if not tasks:
        raise InputError("--judge is for tasks that 'assay seed' made, got none of them")
    for task in tasks:
        judges.judge(load_seeded(task).scenario.judge)


def refuse_without(args: Options, wanted: bool) -> None:
    """Raise ``InputError`` if options name a judge that nobody asks for."""
    given = [name for name, value in vars(args).items() if name.startswith("judge_") and value]
    if given and not wanted:
        raise InputError(f"pass --judge with --{given[0].replace('_', '-')}: without it no judge is asked")


def judge_price(text: str) -> "JudgePrices":
    from assay.dialects.scorers.scenario import JudgePrices  # noqa: PLC0415

    parts = text.split(",")
    if len(parts) != 2:
        raise argparse.ArgumentTypeError(f"must be two numbers such as 0.15,0.60, got {text!r}")
    return JudgePrices(tokens_in=number_from_0(parts[0]), tokens_out=number_from_0(parts[1]))
