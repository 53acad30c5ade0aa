"""The namespaces sandbox: what bubblewrap does, by Assay's own launcher, for a machine without bwrap.

It needs a kernel that lets everybody make user namespaces, Linux 5.12 or newer, and nothing else.
"""

import os

from assay.adapters.sandbox.controllers import find_controllers
from assay.adapters.sandbox.view_sandbox import Maker, ViewSandbox, tried
from assay.core.errors import MeasurementError


def probe() -> ViewSandbox:
    """The sandbox, once it has run a command. Raises ``MeasurementError`` with the reason if it can't."""
    if os.uname().machine not in ("x86_64", "aarch64"):
        raise MeasurementError(f"the numbers of its system calls aren't known for {os.uname().machine}")
    sandbox = ViewSandbox(Maker("namespaces"), find_controllers())
    why = tried(sandbox)
    if why != "42":
        raise MeasurementError(f"this kernel doesn't let us make namespaces: {why}")
    return sandbox
