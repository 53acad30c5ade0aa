"""A plugin of pytest that notes what tests reach, and runs chosen ones. It follows the text of python_reach.py."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.python_reach import begin, chosen, end, once_each, tell  # noqa: TC004 - above this text


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    wanted = chosen()
    if wanted is None:
        return
    kept: list[Any] = []
    left_out: list[Any] = []
    for item in items:
        path = getattr(item, "path", None) or item.fspath
        (kept if wanted(item.nodeid, path) else left_out).append(item)
    items[:] = kept
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logstart(nodeid: str) -> None:
    begin(nodeid)


def pytest_runtest_logfinish() -> None:
    end()


def pytest_sessionfinish() -> None:
    tell()


once_each()
