"""What belongs to one process alone: its children, pipes and folders.

A forked copy has its parent's descriptors and knows the paths of its folders. Two processes that talk into one
pipe get each other's answers, and a pipe doesn't end while a copy has it open. So whoever holds such a thing lets
go of it in a forked copy, which begins with nothing.
"""

import os
import sys
import weakref
from collections.abc import Callable
from typing import Protocol


class Holder(Protocol):
    """Holds something of this process."""

    def let_go(self) -> None:
        """In a forked copy: forget what belongs to the parent, without ending or removing it."""


_holders: "weakref.WeakSet[Holder]" = weakref.WeakSet()


def belongs_here(holder: Holder) -> None:
    """Have a holder let go in forked copies, for as long as it lives."""
    _holders.add(holder)


def _let_go() -> None:
    holders = list(_holders)
    _holders.clear()
    for holder in holders:
        holder.let_go()


os.register_at_fork(after_in_child=_let_go)


def at_end_of_worker(function: Callable[[], object], owner: object = None) -> None:
    """Call a function at the end of this process if it is a child of ``multiprocessing``, which skips ``atexit``.

    With an ``owner``, it is called earlier if nobody has that any more.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None and sys.modules["multiprocessing.process"].parent_process() is not None:
        util.Finalize(owner, function, exitpriority=0)
