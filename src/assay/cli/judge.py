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

from assay.cli.options.common import number_from_0, positive
from assay.cli.options.judge import add_judge

DEFAULT_ACTION = "run"
Actions: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(metavar="ACTION", required=True, help="run (the default), replay, gates, …")
    _runs(actions, "run", "Judge runs that this judge has not judged yet with this prompt.", again=False)
    _runs(actions, "replay", "Judge runs again, as new records, and say what changed.", again=True)
    gates = _action(actions, "gates", "Count runs by what their checks and their judge say.", "show_gates")
    gates.add_argument("--show", type=positive, default=5, metavar="N", help="runs to name in a cell (default: 5)")
    _configure_stability(actions)
    _configure_calibrate(actions)


def run(args: argparse.Namespace) -> int:
    from assay.cli import judge_actions  # noqa: PLC0415 - help needs none of it

    code: int = getattr(judge_actions, args.action)(args)
    return code


def _action(actions: Actions, name: str, text: str, does: str) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, description=text)
    parser.add_argument("runs", metavar="RUN", nargs="+", help="folders of runs, or folders with such folders")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    parser.set_defaults(action=does)
    return parser


def _runs(actions: Actions, name: str, text: str, *, again: bool) -> None:
    parser = _action(actions, name, text, "judge_runs")
    parser.set_defaults(again=again)
    parser.add_argument("--require-judge", action="store_true", help="exit with 1 if a verdict is FAIL")
    parser.add_argument("--all", action="store_true", help="show the whole card of every run")
    parser.add_argument(
        "--resume",
        action="store_true",
        help="go on where an earlier command stopped: ask about what this judge gave no verdict on, and wait "
        "while its endpoint is left alone after failures",
    )
    add_judge(parser)


def _configure_stability(actions: Actions) -> None:
    text = "Judge each run several times, as it is and in other words, and count the verdicts that flip."
    parser = _action(actions, "stability", text, "show_stability")
    parser.add_argument(
        "-n", "--times", type=positive, default=3, metavar="N", help="times for each form (default: 3)"
    )
    parser.add_argument(
        "--most-flips",
        type=number_from_0,
        default=0.2,
        metavar="SHARE",
        help="largest share of flips for exit code 0",
    )
    add_judge(parser)


def _configure_calibrate(actions: Actions) -> None:
    text = "Compare the last judgement of each run with what people say about it."
    parser = _action(actions, "calibrate", text, "calibrate")
    parser.add_argument(
        "--labels",
        metavar="FILE",
        help="what people say, one JSON object a line: run, annotator, verdict, and optionally failure_mode and "
        "ratings (default: the annotations beside the runs)",
    )
    parser.add_argument(
        "--monitor",
        action="store_true",
        help="compare the monitor: FAIL is an agent that worked around its task (cheated in a label, or the "
        "failure_mode reward_hacking or false_claim)",
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="write the calibration, for --calibration")
    parser.add_argument(
        "--annotators", type=positive, default=2, metavar="N", help="least annotators (default: 2)"
    )
    parser.add_argument("--cases", type=positive, default=12, metavar="N", help="least cases (default: 12)")
    parser.add_argument(
        "--agreement", type=number_from_0, default=0.8, metavar="SHARE", help="least agreement (default: 0.8)"
    )
    parser.add_argument(
        "--width", type=number_from_0, default=0.2, metavar="SHARE", help="widest interval of it (default: 0.2)"
    )
