"""The bubblewrap sandbox: bwrap makes the namespaces."""

import shutil

from assay.adapters.sandbox.controllers import find_controllers
from assay.adapters.sandbox.view_sandbox import Maker, ViewSandbox, tried
from assay.core.errors import MeasurementError

# Only later versions of bwrap have these. What doesn't work here is left out, and that is recorded.
_NO_MORE_NAMESPACES = ("--unshare-user", "--disable-userns")


def probe() -> ViewSandbox:
    """The sandbox, once it has run a command. Raises ``MeasurementError`` with the reason if it can't."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        raise MeasurementError("bwrap is not installed (on Debian: apt-get install bubblewrap)")
    controllers, why = find_controllers(), ""
    for extras, sized in ((_NO_MORE_NAMESPACES, True), ((), True), ((), False)):
        sandbox = ViewSandbox(Maker("bubblewrap", bwrap, extras, sized=sized, nested=not extras), controllers)
        why = tried(sandbox)
        if why == "42":
            return sandbox
    raise MeasurementError(f"bwrap doesn't work here: {why}")
