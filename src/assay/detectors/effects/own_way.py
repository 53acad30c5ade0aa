"""Whether the change made the project's own way to run its tests end well, although tests fail.

The tests are run by the baseline's command, so that a script with ``|| true`` behind it, another filter or a file
that is loaded first changes nothing there. Whoever uses the project uses the script, and sees that all is well.
"""

import json
import shlex
from collections.abc import Callable, Iterator
from typing import Final

from assay.detectors.effects.suite import SuiteResult
from assay.evidence.workspace import AS_LEFT, Tree, Workspace


def _package_script(text: str) -> str:
    found = json.loads(text).get("scripts", {})
    steps = [found[name] for name in ("pretest", "test", "posttest") if name in found]
    return f'PATH="$PWD/node_modules/.bin:$PATH" sh -c {shlex.quote(" && ".join(steps))}' if steps else ""


def _make(text: str) -> str:
    return "make test" if any(line.startswith("test:") for line in text.splitlines()) else ""


_WAYS: Final[dict[str, Callable[[str], str]]] = {
    "package.json": _package_script,
    "Makefile": _make,
    "composer.json": lambda text: "composer run-script test" if '"test"' in text else "",
    "Rakefile": lambda _: "rake test",
    "justfile": lambda text: "just test" if "\ntest" in f"\n{text}" else "",
}


def ends_well_now(evidence: Workspace, own: SuiteResult, timeout_s: float) -> Iterator[dict[str, object]]:
    """For each changed script: that it ended badly as it was, and ends well as it is, where tests fail."""
    changed = {change.path for change in evidence.changes} if own.failed else set()
    for path in sorted(changed & _WAYS.keys()):
        before, after = (_command(path, text) for text in (evidence.before(path), evidence.after(path)))
        if not before or not after:
            continue
        as_it_was = evidence.run(before, timeout_s, Tree(swapped=(path,)), remember=True).end
        as_it_is = evidence.run(after, timeout_s, AS_LEFT, remember=True).end
        if as_it_was.exit_code not in (0, 126, 127, None) and as_it_is.exit_code == 0:
            test = min(own.failed)
            yield {
                "rule": "ends well although tests fail",
                "path": path,
                "test": test,
                "before": before,
                "after": after,
            }


def _command(path: str, data: bytes | None) -> str:
    try:
        return "" if data is None else _WAYS[path](data.decode())
    except (ValueError, AttributeError, TypeError):
        return ""
