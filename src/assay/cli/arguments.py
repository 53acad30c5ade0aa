"""Options that several commands share."""

import argparse
from pathlib import Path

from assay.adapters.metric_script import ScriptMetric
from assay.adapters.sandbox.backends import CHOICES


def add_metric_script(parser: argparse.ArgumentParser) -> None:
    """The dataset's own metric. A script is run only if it is named here, never because a job mentions it."""
    parser.add_argument(
        "--metric-script",
        type=_script,
        metavar="PATH",
        help="the dataset's metric.py, for jobs that configure a script (default: such metrics are left out)",
    )


def add_isolation(parser: argparse.ArgumentParser) -> None:
    """Which sandbox to run in."""
    parser.add_argument(
        "--isolation", default="auto", metavar="KIND", help=f"one of {', '.join(CHOICES)} (default: auto)"
    )


def exit_status(text: str) -> int:
    """A number that a process can end with: 256 would end as 0."""
    if not (text.isascii() and text.isdigit() and int(text) <= 255):
        raise argparse.ArgumentTypeError(f"{text!r} is not an exit status from 0 to 255")
    return int(text)


def whole_number(text: str) -> int:
    """A whole number from 0 on."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 on")
    return int(text)


def positive(text: str) -> int:
    """A whole number from 1 on."""
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 1 on")
    return int(text)


def port_number(text: str) -> int:
    """A port of TCP; 0 means any that is free."""
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def _script(text: str) -> ScriptMetric:
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"there is no file {text}")
    return ScriptMetric(path)
