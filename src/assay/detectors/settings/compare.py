"""Settings that got weaker: strictness, levels, rules, and what is left out, each by the demands of its tool."""

from collections.abc import Iterable, Iterator

from assay.detectors.settings.demands import SettingChange, SettingDemand
from assay.detectors.settings.settings_text import Flat
from assay.detectors.settings.tools import TOOLS, Tool
from assay.detectors.settings.weakening import Weakening, weakening


def tools_of(path: str) -> list[Tool]:
    return [tool for tool in TOOLS if tool.files.search(path)]


def settings_of(path: str, text: str | None) -> Flat:
    """All settings of the checkers that a file is for."""
    checkers = (tool for tool in tools_of(path) if not tool.counts_when_new)
    return {key: values for tool in checkers for key, values in tool.settings(text or "").items()}


def weaker_settings(path: str, before: str | None, after: str | None, elsewhere: Flat) -> Iterator[Weakening]:
    """A file's settings that demand less than before. Of a checker, settings that are all new weaken nothing.

    ``elsewhere`` has the settings of other changed files, where something that is gone here may be now.
    """
    for tool in tools_of(path):
        if before is not None or tool.counts_when_new:
            old, new = tool.settings(before or ""), tool.settings(after or "")
            gone = () if tool.counts_when_new else old.keys() & elsewhere.keys() - new.keys()
            now = {**{key: elsewhere[key] for key in gone}, **new}
            yield from weaker(tool.demands, old, now, after or "", had=before is not None)


def weaker(
    demands: Iterable[SettingDemand], old: Flat, new: Flat, text: str, *, had: bool = True
) -> Iterator[Weakening]:
    """Weaker settings among two sets. ``had`` says whether there were any before."""
    for key in sorted({*old, *new}):
        change = SettingChange(old.get(key, []), new.get(key, []), new, had)
        of_key = (one for one in demands if change.was != change.now and one.is_on(key))
        found = next(((one.rule, values) for one in of_key if (values := one.weaker(change))), None)
        if found is not None:
            yield weakening(found[0], text, key.rpartition(".")[2], change.was, [f"{key}:", *found[1]])
