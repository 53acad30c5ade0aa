"""Show which sandboxes work on this machine, what each one isolates, and why the others aren't available."""

import argparse
import json
import platform
from dataclasses import asdict

from assay.adapters.sandbox.backends import Offer, offers
from assay.adapters.sandbox.container import Container
from assay.version import ENGINE, VERSION


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def run(args: argparse.Namespace) -> int:
    found = offers()
    if args.json:
        print(
            json.dumps({"assay": VERSION, "engine": ENGINE, "sandboxes": [_as_json(o) for o in found]}, indent=2)
        )
    else:
        machine = f"Python {platform.python_version()}, {platform.platform(terse=True)}"
        print(f"assay {VERSION} (engine {ENGINE}), {machine}")
        for offer in found:
            print("\n".join(_lines(offer)))
    return 0 if any(offer.sandbox is not None for offer in found) else 1


def _as_json(offer: Offer) -> dict[str, object]:
    achieved = None if offer.sandbox is None else asdict(offer.sandbox.isolation)
    return {
        "name": offer.name,
        "available": offer.sandbox is not None,
        "why_not": offer.why_not,
        "not_tried": _not_tried(offer),
        "achieves": achieved,
    }


def _lines(offer: Offer) -> list[str]:
    if offer.sandbox is None:
        return [f"\n{offer.name}: not available", f"  {offer.why_not}"]
    isolation, not_tried = offer.sandbox.isolation, _not_tried(offer)
    return [
        f"\n{offer.name}: {'answers' if not_tried else 'works'}",
        *([f"  not tried      {not_tried}"] if not_tried else []),
        f"  processes      {'in their own namespace' if isolation.pid_namespace else 'supervised, not hidden'}",
        f"  network        {'none, unless a task asks for it' if isolation.no_network else 'as on the host'}",
        f"  system         {'read-only' if isolation.read_only_system else 'not read-only'}",
        f"  memory limit   {isolation.memory_limit}",
        f"  process limit  {isolation.process_limit}",
        f"  CPU limit      {isolation.cpu_limit}",
        f"  runs as        {isolation.user}",
        f"  system calls   {isolation.system_calls}",
        f"  namespaces     {'it can make its own' if isolation.nested_namespaces else 'it can make none'}",
        f"  /tmp, /dev/shm {isolation.temporary_folders} in size",
    ]


def _not_tried(offer: Offer) -> str:
    """Why no command was run to see whether it works; empty if one was."""
    return offer.sandbox.untried if isinstance(offer.sandbox, Container) else ""
