"""Options that several commands share."""

import argparse
from pathlib import Path

from assay.adapters.metric_script import ScriptMetric
from assay.adapters.sandbox.choose import CHOICES


def add_metric_script(parser: argparse.ArgumentParser) -> None:
    """The dataset's own metric. A script runs only if the user names it here, never because a job mentions it."""
    parser.add_argument(
        "--metric-script",
        type=_script,
        metavar="PATH",
        help="the dataset's metric.py, for jobs that configure a script metric (default: skip such metrics)",
    )


def add_isolation(parser: argparse.ArgumentParser) -> None:
    """Which kind of sandbox to run in."""
    parser.add_argument(
        "--isolation",
        default="auto",
        metavar="KIND",
        help=f"how to isolate processes: {', '.join(CHOICES)} (default: auto)",
    )


def exit_status(text: str) -> int:
    """An exit status from 0 to 255. The system would turn 256 into 0."""
    if not (text.isascii() and text.isdigit() and int(text) <= 255):
        raise argparse.ArgumentTypeError(f"must be an exit status from 0 to 255, got {text!r}")
    return int(text)


def whole_number(text: str) -> int:
    """A whole number of at least 0."""
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, got {text!r}")
    return int(text)


def positive(text: str) -> int:
    """A whole number of at least 1."""
    if not (text.isascii() and text.isdigit() and int(text) >= 1):
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 1, got {text!r}")
    return int(text)


def port_number(text: str) -> int:
    """A TCP port; 0 means any free port."""
    if not (text.isascii() and text.isdigit() and int(text) <= 65535):
        raise argparse.ArgumentTypeError(f"must be a port from 0 to 65535, got {text!r}")
    return int(text)


def _script(text: str) -> ScriptMetric:
    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"must be a file, but there is no file {text}")
    return ScriptMetric(path)
