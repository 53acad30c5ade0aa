"""A plugin of pytest that notes what tests reach, and runs chosen ones. It follows the text of python_reach.py."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.detectors.effects.drivers.python_reach import begin, chosen, end, tell  # noqa: TC004 - above this text


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    names = chosen()
    if names is None:
        return
    left_out = [item for item in items if item.nodeid not in names]
    items[:] = [item for item in items if item.nodeid in names]
    if left_out:
        config.hook.pytest_deselected(items=left_out)


def pytest_runtest_logstart(nodeid: str) -> None:
    begin(nodeid)


def pytest_runtest_logfinish() -> None:
    end()


def pytest_sessionfinish() -> None:
    tell()
