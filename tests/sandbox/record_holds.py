"""Measure what every sandbox here holds, for ``make holds``: writes docs/evidence/sandbox-holds.json."""

import json
import os
import platform
from pathlib import Path

from assay.adapters.sandbox.backends import forget_old
from tests.container_engine import provide_engine, remove_engine
from tests.sandbox.backends import NAMES, ORDINARY, working

TARGET = Path(__file__).parents[2] / "docs" / "evidence" / "sandbox-holds.json"


def main() -> None:
    engine = provide_engine()
    try:
        record()
    finally:
        remove_engine(engine)


def record() -> None:
    forget_old(0)
    found = {}
    for name in (*NAMES, *ORDINARY):
        backend = working(name)
        if not isinstance(backend, str):
            found[name if os.geteuid() else name if "," in name else f"{name}, root"] = {
                "holds": dict(backend.sandbox.isolation.measured),
                "limits": backend.sandbox.isolation.memory_limit,
            }
    machine = f"Linux {platform.release().split('-')[0]}, {platform.machine()}"
    TARGET.write_text(json.dumps({"machine": machine, "sandboxes": found}, indent=2) + "\n")


if __name__ == "__main__":
    main()
