"""The ``assay`` command. Each command is a module in this package, imported only when it is called.

Exit codes: 0 for success; 1 if the answer is no, as in an audit that found a difference; 2 if there is no answer,
because the input can't be used or the measurement broke; 3 if 'assay compare' can't decide yet; 4 if 'assay score'
couldn't measure.
"""

import _thread
import argparse
import importlib
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from types import FrameType, ModuleType, TracebackType
from typing import TYPE_CHECKING, NoReturn

from assay.cli.output.table import clean
from assay.core.errors import AssayError, InputError
from assay.version import VERSION

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

COMMANDS = {
    "score": "score a coding run with its scorers",
    "run": "run an agent on tasks and grade each attempt",
    "init": "set a repository up: guess, show and write assay.yaml and the workflow",
    "scenario": "write down what 'assay score' assumes about a repository",
    "seed": "make a task from a coding scenario",
    "tasks": "check tasks for mistakes, or show how Assay reads them",
    "agents": "list the agents that can be called by name, or install one",
    "grade": "grade finished runs again, without running the agents",
    "pack": "write a job as one file that is read like its folder",
    "unpack": "restore the folder that was packed",
    "doctor": "show which sandboxes work on this machine, and what they hold",
    "examples": "copy the bundled examples, which the tutorials use",
    "report": "summarize a job: score, pass@k, and every denominator",
    "compare": "compare agents on the tasks that they have in common",
    "power": "work out how many tasks and attempts it takes to show a difference",
    "view": "look at a job in the browser, or write it as one HTML file",
    "result": "show the evaluation of one run",
    "audit": "check that a job's recorded result follows from its trials",
    "outcome": "print the outcome of a job as one line for a program",
    "annotate": "record a reviewer's verdict on a run",
    "tag": "add a classified failure to a graded run",
    "judge": "have a language model judge runs, and measure how far to trust it",
    "reward": "write a verifier's reward from an exit status or a rubric",
    "verify": "check a playground against criteria",
    "criteria": "check criteria for mistakes before any run",
    "playground": "prepare a playground to try criteria on",
    "listen": "record the messages that an agent sends to other systems",
    "serve": "serve the HTTP API",
    "worker": "do the queued work of a service",
    "keys": "add, list, rotate and revoke keys of a service",
    "import": "import jobs into the store of a service",
    "db": "check, upgrade, export and load the store of a service",
    "mcp": "let a coding agent grade its own change, over MCP",
    "completion": "print a script that completes commands and options in a shell",
}

# Where commands are whose modules aren't beside this one under their own names.
MODULES = {
    **{name: f"coding.{name}" for name in ("seed", "score", "init", "scenario", "mcp")},
    **{name: f"service.{name}" for name in ("serve", "db", "keys", "worker")},
    **{name: f"archive.{name}" for name in ("pack", "unpack")},
    "import": "service.import_jobs",
    **{name: f"help.{name}" for name in ("examples", "completion")},
}

DESCRIPTION = "Assay turns what an AI agent did into a reward that you can trust."
INTERRUPTED = 130
PATIENCE_SEC = 2.0
# A terminal goes back to the beginning of its line, and empties it.
ERASED = "\r\x1b[2K"


class Parser(argparse.ArgumentParser):
    """A parser that reports an error in one sentence."""

    def error(self, message: str) -> NoReturn:
        from assay.cli.help.overview import options_of, probably  # noqa: PLC0415 - only for a slip

        head, _, words = message.partition("unrecognized arguments: ")
        wrong = next((word for word in words.split() if word.startswith("--")), None) if not head else None
        meant = probably(wrong.partition("=")[0], options_of(self)) if wrong else ""
        raise InputError(f"{message}{meant} (see '{self.prog} --help')")

    def parse_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> argparse.Namespace:
        """Options may come before an optional word, as in ``keys revoke --store S KEY``."""
        if any(one.nargs == "?" and not one.option_strings for one in self._actions):
            return self.parse_intermixed_args(args, namespace)
        return super().parse_args(args, namespace)

    def format_help(self) -> str:
        from assay.cli.help.overview import group_options  # noqa: PLC0415 - only for help

        group_options(self, self.prog.removeprefix("assay "))
        return super().format_help()


def run() -> NoReturn:
    """The entry point of the ``assay`` command."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        output, by_line = _Output(1, "wb", closefd=False), sys.stdout.line_buffering or sys.stdout.write_through
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(output), sys.stdout.encoding, line_buffering=by_line)
    sys.exit(main(sys.argv[1:], stop_in_order))


class _Output(io.FileIO):
    """Standard output. When its reader, such as head, has closed the pipe, the rest goes nowhere: the answer, and
    with it the exit code, are the same whether somebody reads all of it or not.
    """

    def write(self, data: "ReadableBuffer") -> int | None:  # type: ignore[override]
        try:
            return super().write(data)
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), self.fileno())
            return super().write(data)


def main(argv: list[str], before: Callable[[], None] = lambda: None) -> int:
    """Run one command and return its exit code.

    ``before`` is called once the command is imported. Until then nothing has to be cleaned up, and some modules in
    C can't be interrupted while they make their classes.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        args = parse_command(argv)
        before()
        code: int = args.run(args)
        if sys.stdout is not None:
            sys.stdout.flush()
    except AssayError as error:
        return _complain(str(error))
    except RecursionError:
        return _complain("the input is nested too deeply")
    except OSError as error:
        _give_up_output()
        return _complain(f"{error.strerror or error}{f': {error.filename}' if error.filename else ''}")
    except Exception as error:  # noqa: BLE001 - whatever it is, it must not look like an answer of no
        return _complain(f"this is a mistake in Assay, and there is no answer: {_where(error)}")
    except KeyboardInterrupt:
        _say("interrupted")
        return INTERRUPTED
    return code


def _complain(message: str) -> int:
    """Print the error on one line. Names in the message may come from an agent, so it is cleaned first."""
    _say(clean(message))
    return 2


def _say(message: str) -> None:
    """Tell the user something, in place of a line of progress that may stand in the terminal."""
    if sys.stderr is not None:
        print(f"{ERASED if sys.stderr.isatty() else ''}assay: {message}", file=sys.stderr)


def _where(error: Exception) -> str:
    """The kind of an error and the line that raised it. Its text may hold values of a run, and is left out."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    place = f" in {os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else ""
    return f"{type(error).__name__}{place}"


def _give_up_output() -> None:
    """Drop what could not be written. Otherwise Python would try again at exit and print an error."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _module(name: str) -> ModuleType:
    """The module of a command."""
    return importlib.import_module(f"assay.cli.{MODULES.get(name, name)}")


def parser_of(name: str) -> Parser:
    """The parser of one command, with its own help."""
    command = _module(name)
    parser = Parser(
        prog=f"assay {name}", description=command.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    command.configure(parser)
    parser.set_defaults(run=command.run)
    return parser


def parse_command(argv: list[str]) -> argparse.Namespace:
    name = argv[0] if argv else "help"
    if name in COMMANDS:
        return parser_of(name).parse_args(_with_action(name, argv[1:]))
    if name in ("version", "--version", "-V"):
        print(f"assay {VERSION}")
        raise SystemExit(0)
    from assay.cli.help.overview import WORDS, overview, probably  # noqa: PLC0415 - not for a command

    if name == "help" and argv[1:]:
        return parse_command([argv[1], "--help"])
    if name in ("help", "--help", "-h"):
        print(f"usage: assay COMMAND [options]\n\n{DESCRIPTION}\n\n{overview(COMMANDS)}")
        raise SystemExit(0)
    kind, known = ("option", ("--help", "--version")) if name.startswith("-") else ("command", (*COMMANDS, *WORDS))
    raise InputError(f"unknown {kind} {name!r}{probably(name, known)} (see 'assay help')")


def _with_action(name: str, words: list[str]) -> list[str]:
    """The words of a command, with the action that it has by default where none is given."""
    usual = getattr(_module(name), "DEFAULT_ACTION", None)
    if usual is None or not words or words[0].startswith("-h") or words[0] == "--help":
        return words
    known = next(one.choices for one in parser_of(name)._actions if isinstance(one.choices, dict))
    return words if words[0] in known else [usual, *words]


def stop_in_order() -> None:
    """Let SIGTERM and SIGHUP act like Ctrl-C. More of them change nothing at first; then they end it at once.

    A signal that is ignored stays ignored: nohup asks for that.
    """
    stopping = _Stopping()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stopping)
    sys.excepthook = _print_uncaught
    sys.unraisablehook = stopping.raise_again


def _print_uncaught(kind: type[BaseException], error: BaseException, traceback: TracebackType | None) -> None:
    """An interrupt may come when nobody catches one, such as at the very end. It's no mistake to look into."""
    if issubclass(kind, KeyboardInterrupt):
        _say("interrupted")
    else:
        sys.__excepthook__(kind, error, traceback)


class _Stopping:
    def __init__(self) -> None:
        self._since: float | None = None

    def __call__(self, _number: int, _frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._since is None:
            self._since = now
            raise KeyboardInterrupt
        if now - self._since > PATIENCE_SEC:
            # Sandboxes end with this process, and what is half written doesn't count.
            os._exit(INTERRUPTED)

    def raise_again(self, unraisable: "sys.UnraisableHookArgs") -> None:
        """Where nothing can be raised, as while an object goes away, an interrupt would be lost."""
        if not issubclass(unraisable.exc_type, KeyboardInterrupt):
            sys.__unraisablehook__(unraisable)
            return
        self._since = None
        threading.Timer(0.01, _thread.interrupt_main).start()
