"""Have a language model judge stored runs, and find out how far its word can be trusted.

    assay judge RUN…              judge runs that this judge has not judged yet
    assay judge replay RUN…       judge them again, with another model or prompt, and see what changed
    assay judge gates RUN…        count runs by what their checks and their judge say
    assay judge stability RUN…    judge each run several times in other words: how often does the verdict flip?
    assay judge calibrate RUN…    compare the judge with people, and say whether it is good enough

RUN is a folder that 'assay score --keep' wrote, a trial of a job, or a folder of these. Each judgement is a new
file in the run's folder 'judgements'; none is ever changed. The endpoint and the model come from options, from the
variables ASSAY_JUDGE_URL, ASSAY_JUDGE_MODEL and ASSAY_JUDGE_KEY, or from the run's scenario.

Exit codes: 0 there is an answer, 1 the answer is no (a FAIL with --require-judge, verdicts that flip too often, a
judge that isn't good enough), 2 no answer, such as no verdict that can be read.
"""

import argparse
from typing import TypeAlias

from assay.cli.options.common import add_shard, number_from_0, option, positive
from assay.cli.options.judge import add_judge

DEFAULT_ACTION = "run"
Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="run (the default), replay, gates, …")
    _runs(actions, "run", "Judge runs that this judge has not judged yet with this prompt.", again=False)
    _runs(actions, "replay", "Judge runs again, as new records, and say what changed.", again=True)
    gates = _action(actions, "gates", "Count runs by what their checks and their judge say.", "show_gates")
    option(gates, "--show N", "runs to name in a cell (default: 5)", positive, default=5)
    _configure_stability(actions)
    _configure_calibrate(actions)


def run(args: argparse.Namespace) -> int:
    from assay.cli import judge_actions  # noqa: PLC0415 - help needs none of it

    code: int = getattr(judge_actions, args.action)(args)
    return code


def _action(actions: Actions, name: str, text: str, does: str) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, description=text)
    option(parser, "runs RUN…", "folders of runs, or folders with such folders")
    option(parser, "--json", "print the answer as JSON")
    parser.set_defaults(action=does)
    return parser


def _runs(actions: Actions, name: str, text: str, *, again: bool) -> None:
    parser = _action(actions, name, text, "judge_runs")
    parser.set_defaults(again=again)
    option(parser, "--require-judge", "exit with 1 if a verdict is FAIL")
    option(parser, "--all", "show the whole card of every run")
    option(
        parser,
        "--resume",
        "go on where an earlier command stopped: ask about what this judge gave no verdict on, and wait "
        "while its endpoint is left alone after failures",
    )
    add_shard(parser, "judge")
    add_judge(parser)


def _configure_stability(actions: Actions) -> None:
    text = "Judge each run several times, as it is and in other words, and count the verdicts that flip."
    parser = _action(actions, "stability", text, "show_stability")
    option(parser, "-n --times N", "times for each form (default: 3)", positive, default=3)
    option(parser, "--most-flips SHARE", "largest share of flips for exit code 0", number_from_0, default=0.2)
    add_judge(parser)


def _configure_calibrate(actions: Actions) -> None:
    text = "Compare the last judgement of each run with what people say about it."
    parser = _action(actions, "calibrate", text, "calibrate")
    option(
        parser,
        "--labels FILE",
        "what people say, one JSON object a line: run, annotator, verdict, and optionally failure_mode and "
        "ratings (default: the annotations beside the runs)",
    )
    option(
        parser,
        "--monitor",
        "compare the monitor: FAIL is an agent that worked around its task (cheated in a label, or the "
        "failure_mode reward_hacking or false_claim)",
    )
    option(parser, "-o --output FILE", "write the calibration, for --calibration")
    option(parser, "--annotators N", "least annotators (default: 2)", positive, default=2)
    option(parser, "--cases N", "least cases (default: 12)", positive, default=12)
    option(parser, "--agreement SHARE", "least agreement (default: 0.8)", number_from_0, default=0.8)
    option(parser, "--width SHARE", "widest interval of it (default: 0.2)", number_from_0, default=0.2)
