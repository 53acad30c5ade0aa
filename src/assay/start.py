"""The entry point of the ``assay`` command. Until the command can stop in order, Ctrl-C ends it without a word."""

import signal

if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def run() -> None:
    """Run the command that was typed."""
    from assay.cli.main import run as run_command  # noqa: PLC0415 - what it imports takes a moment

    run_command()
