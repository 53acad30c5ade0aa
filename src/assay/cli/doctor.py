"""Show which sandboxes work on this machine, what each one holds as measured, and why the others aren't available.

Each sandbox is measured: commands in it try to see, reach and use what they must not. That takes some seconds.
"""

import argparse
import json
import platform
from collections.abc import Mapping
from dataclasses import asdict

from assay.adapters.sandbox.backends import Offer, offers
from assay.adapters.sandbox.containers.container import Container
from assay.adapters.sandbox.holds import HELD, HELD_EACH, HOLDS, NOT_HELD
from assay.cli.options.common import option
from assay.version import ENGINE, VERSION

_MARKS = {HELD: "no ", NOT_HELD: "YES", HELD_EACH: "YES"}


def configure(parser: argparse.ArgumentParser) -> None:
    option(parser, "--json", "print JSON")


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
        *([f"  not tried       {not_tried}"] if not_tried else []),
        f"  runs as         {isolation.user}",
        f"  memory limit    {isolation.memory_limit}",
        f"  process limit   {isolation.process_limit}",
        f"  CPU limit       {isolation.cpu_limit}",
        *_measured_lines(isolation.measured),
    ]


def _measured_lines(found: Mapping[str, str]) -> list[str]:
    """Lines on what a command tried there, and whether it could."""
    lines = ["  can a command …"] if found else []
    for name, what in found.items():
        why = "" if what in (HELD, NOT_HELD) else f" ({what})"
        lines.append(f"    {_MARKS.get(what, '?  ')} {HOLDS[name]}{why}")
    return lines


def _not_tried(offer: Offer) -> str:
    """Why no command was run to see whether it works; empty if one was."""
    return offer.sandbox.untried if isinstance(offer.sandbox, Container) else ""
