"""Options that several commands share."""

import argparse
import contextlib
import getpass
import math
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from assay.adapters.sandbox import CHOICES
from assay.core.errors import InputError, install_hint

if TYPE_CHECKING:
    from assay.adapters.jobs.metric_script import ScriptMetric
    from assay.adapters.jobs.pieces import Shard
    from assay.engine.ports import GradingRules


class Options(Protocol):
    """The options of a command by name, from the command line or from Python."""

    def __getattr__(self, name: str, /) -> Any: ...


PROFILES = ("harbor-0.13.1", "harbor-0.24", "strict")


def _number(must: str, least: int = 0, most: float = math.inf) -> Callable[[str], int]:
    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise argparse.ArgumentTypeError(f"must be {must}, got {text!r}")
        return int(text)

    return read


whole_number = _number("a whole number of at least 0")
positive = _number("a whole number of at least 1", least=1)
pull_request = _number("the number of a pull request")
# A process can't end with 256, which would be 0; and any free port is 0.
exit_status = _number("an exit status from 0 to 255", most=255)
port_number = _number("a port from 0 to 65535", most=65535)


def option(
    parser: "argparse._ActionsContainer",
    spelling: str,
    text: str,
    read: Callable[[str], Any] | None = None,
    **how: Any,
) -> None:
    """Add an argument, spelled as help shows it: ``--quiet``, ``-n --times N``, ``jobs JOB…`` or ``file [FILE]``.

    One with ``…`` may be given again, and an option without a value is a switch. ``how`` is argparse's.
    """
    words = spelling.split()
    names = [word for word in words if word.startswith("-")] or words[:1]
    value = "".join(words[len(names) :])
    if not spelling.startswith("-") and value.endswith(("…", "]")):
        how["nargs"] = "*" if value.endswith("…]") else "?" if value.endswith("]") else "+"
        value = value.strip("[]…")
    elif value.endswith("…"):
        how |= {"action": "append", "default": []}
    elif spelling.startswith("-") and not value and how.keys().isdisjoint(("choices", "nargs", "action")):
        how["action"] = "store_true"
    if read is not None:
        how["type"] = read
    if value:
        how["metavar"] = value.removesuffix("…")
    parser.add_argument(*names, help=text, **how)


def add_metric_script(parser: argparse.ArgumentParser) -> None:
    """Add --metric-script. A script only runs if it is named here, never because a job mentions it."""
    option(
        parser,
        "--metric-script PATH",
        "the dataset's metric.py, for jobs that configure a script metric (default: skip such metrics)",
        metric_script,
    )


def add_isolation(parser: argparse.ArgumentParser) -> None:
    """Add --isolation, which says what sandbox to run in."""
    option(
        parser,
        "--isolation KIND",
        f"how to isolate processes: {', '.join(CHOICES)} (default: auto)",
        default="auto",
    )


def add_run_cache(parser: argparse.ArgumentParser) -> None:
    """Add --no-run-cache, which has every command of a scorer run again."""
    option(parser, "--no-run-cache", "run every command again, and remember none of them")


def add_control(parser: argparse.ArgumentParser) -> None:
    """Add --no-control, which leaves open why a verifier gave no usable reward."""
    option(parser, "--no-control", "run each verifier once, and leave it open why it gave no usable reward")


def add_verifier_environment(parser: argparse.ArgumentParser) -> None:
    """Add --verifier-environment, which says what the verifier finds of the agent's."""
    option(
        parser,
        "--verifier-environment",
        "separate: the verifier gets the workspace alone; shared: also what the agent left in its home and "
        "other folders outside of it (default: as the task says, else separate)",
        choices=["separate", "shared"],
    )


def add_repository(parser: argparse.ArgumentParser) -> None:
    """Add --main, for commands that compare with the main branch of a repository."""
    option(parser, "--main NAME", "the main branch to compare with (default: found by itself)")


def add_question(parser: argparse.ArgumentParser, verb: str, json: str, key: str) -> None:
    """Add the options of commands that ask jobs for numbers: the form of the answer, the key and the gradings."""
    form = parser.add_mutually_exclusive_group()
    option(form, "--json", json)
    option(form, "--markdown", "print Markdown tables")
    option(parser, "--key KEY", f"{key} (default: 'reward', or the only one)")
    option(
        parser,
        "--grading",
        f"which gradings to {verb}: the first one of each run, or the latest (default: first)",
        choices=("first", "latest"),
        default="first",
    )


def add_listening(parser: argparse.ArgumentParser, port: int) -> None:
    """Add --host and --port, for commands that listen."""
    option(parser, "--host ADDRESS", "where to listen (default: %(default)s)", default="127.0.0.1")
    option(parser, "--port N", "0 takes any free port (default: %(default)s)", port_number, default=port)


@contextmanager
def extra_packages(what: str, extra: str) -> Iterator[None]:
    """Raise ``InputError`` where a package is missing. ``what`` needs it, and an ``extra`` of Assay brings it."""
    try:
        yield
    except ImportError as error:
        raise InputError(f"{what} {error.name or 'more packages'}: {install_hint(extra)}") from error


def warn(text: str) -> None:
    """Say something that nobody should overlook."""
    print(f"WARNING: {text}", file=sys.stderr)


def add_grading_rules(parser: argparse.ArgumentParser, *, default: str) -> None:
    """Add --profile and --schema-forbids-reward, for commands that read what verifiers wrote."""
    option(
        parser,
        "--profile",
        "the rules for reading harbor's rewards; strict takes finite numbers from 0 to 1 and nothing else "
        f"(default: {default})",
        choices=PROFILES,
    )
    option(
        parser,
        "--schema-forbids-reward",
        "an output that violates its schema forfeits its reward, as one that can't be parsed does",
    )


def grading_rules(args: Options) -> "GradingRules | None":
    """The rules that the options ask for; None if they say nothing."""
    from assay.dialects.harbor.rewards import Profile  # noqa: PLC0415 - most commands don't read rewards
    from assay.engine.ports import DEFAULT_RULES, GradingRules  # noqa: PLC0415

    if args.profile is None and not args.schema_forbids_reward:
        return None
    return GradingRules(Profile(args.profile or DEFAULT_RULES.profile), args.schema_forbids_reward)


def shard(text: str) -> "Shard":
    """One of several shares, such as 2/8."""
    from assay.adapters.jobs.pieces import Shard  # noqa: PLC0415 - most commands have no shards

    number, _, of = text.partition("/")
    if not (text.isascii() and number.isdigit() and of.isdigit() and 1 <= int(number) <= int(of)):
        raise argparse.ArgumentTypeError(f"must be I/N with I from 1 to N, such as 2/8, got {text!r}")
    return Shard(int(number), int(of))


def add_shard(parser: argparse.ArgumentParser, does: str) -> None:
    """Add --shard, for commands that do something with each of many runs."""
    what = "one of N shares of the runs, for arrays of Slurm or Kubernetes"
    option(parser, "--shard I/N", f"{does} {what} (default: all)", shard)


def again_id(text: str) -> str:
    """An ID to find gradings by."""
    if not re.fullmatch(r"[\w.:+-]{1,100}", text, re.ASCII):
        must = "must be an ID of up to 100 letters, digits and . _ : + -, such as fixed-tests-2"
        raise argparse.ArgumentTypeError(f"{must}, got {text[:120]!r}")
    return text


def whole_numbers(text: str) -> tuple[int, ...]:
    """Whole numbers of at least 1, separated by commas; one that comes again is the same one."""
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) >= 1 for part in parts):
        raise argparse.ArgumentTypeError(f"must be whole numbers of at least 1, such as 1,4, got {text!r}")
    return tuple(dict.fromkeys(map(int, parts)))


def finite_number(text: str) -> float:
    """Any number but NaN and infinity."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"must be a finite number, got {text!r}")
    return number


def number_from_0(text: str) -> float:
    """A finite number of at least 0."""
    number = finite_number(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"must be at least 0, got {text!r}")
    return number


def share(text: str) -> float:
    """A number above 0 and at most 1."""
    with contextlib.suppress(ValueError):
        if 0 < float(text) <= 1:
            return float(text)
    raise argparse.ArgumentTypeError(f"must be above 0 and at most 1, got {text!r}")


def metric_script(text: str) -> "ScriptMetric":
    from assay.adapters.jobs.metric_script import ScriptMetric  # noqa: PLC0415 - most commands are given no script

    path = Path(text)
    if not path.is_file():
        raise argparse.ArgumentTypeError(f"must be a file, but there is no file {text}")
    return ScriptMetric(path)


def user_name(option: str) -> str:
    """The name of the user who runs the command. ``option`` is the one with which another can be given."""
    try:
        return getpass.getuser()
    except (KeyError, OSError) as error:
        raise InputError(f"your user name can't be found; pass {option}") from error


def add_playground(parser: argparse.ArgumentParser, *, required: bool = True) -> None:
    option(parser, "--playground FILE", "the playground file, as YAML or JSON", required=required)
