"""Listen as a system that an agent sends messages to, and record them in a playground.

    assay listen mllp --playground PLAYGROUND.yaml

takes HL7 v2 messages over MLLP, records each as an event of type hl7_outbound, and acknowledges it once it is
recorded. A playground that isn't in the store yet is added. The command listens on this machine only, unless you
pass --host. Ctrl-C stops it.

Exit codes: 0 it was stopped, 2 it could not listen.
"""

import argparse
import asyncio
import logging
import signal
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from assay.cli.options.common import add_listening, add_playground, option
from assay.cli.output.table import clean
from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.adapters.sources.mllp import MessageRecorder

MLLP_PORT = 2575


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "protocol", "what to listen for: HL7 v2 over MLLP", choices=["mllp"])
    add_playground(parser)
    add_listening(parser, MLLP_PORT)


def run(args: argparse.Namespace) -> int:
    # Help needs no database.
    from assay.adapters.playgrounds.playground_file import load_playground_file, open_playground_store  # noqa: PLC0415
    from assay.engine.criteria.watched_sources import new_playground  # noqa: PLC0415

    # A message that could not be recorded is logged without any of its content.
    logging.basicConfig(format="assay: %(message)s", level=logging.WARNING)
    file = load_playground_file(args.playground)
    with open_playground_store(file, create=True) as store:
        from assay.adapters.store.store import EventRecorder  # noqa: PLC0415

        if not store.has_playground(file.id):
            store.add_playground(new_playground(file, datetime.now(UTC)))
        asyncio.run(_listen(EventRecorder(store, file.id), args.host, args.port))
    return 0


async def _listen(recorder: "MessageRecorder", host: str, port: int) -> None:
    """Until somebody ends it."""
    from assay.adapters.sources.mllp import listening  # noqa: PLC0415

    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    try:
        async with listening(recorder, host, port) as chosen:
            print(clean(f"listening for HL7 v2 on {host}:{chosen}; press Ctrl-C to stop"), flush=True)
            await ended.wait()
    except OSError as error:
        raise InputError(f"can't listen on {host}:{port}: {error.strerror or error}") from error
