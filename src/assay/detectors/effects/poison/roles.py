"""The file of each test of a report, and its role in a run of ours."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from assay.detectors.effects.canaries import is_test_of
from assay.detectors.effects.mutants import LARGEST, SourceText
from assay.detectors.effects.poison.edits import Dice, Fate, edited
from assay.detectors.effects.poison.find import spots_in
from assay.detectors.effects.poison.spots import Spot
from assay.detectors.settings.files.own_tests import belongs_to_tests
from assay.detectors.test_code.paths import language_of
from assay.evidence.workspace import UnreadableError, Workspace
from assay.formats.path_patterns import matching
from assay.formats.test_reports.model import Ended, Report, uniform

MOST_FILES: Final = 200
# Of four tests that need not pass by name, one stays as it is.
_OF, _FAIL = 4, 3


@dataclass(frozen=True, slots=True)
class FoundTests:
    """The text of each file with tests, and its tests by name. Tests of one name share what becomes of them.

    ``reported`` has what a report calls each. A test that isn't in it, or that can't be told from another one
    there, is left alone.
    """

    texts: dict[str, str] = field(default_factory=dict)
    spots: dict[str, list[Spot]] = field(default_factory=dict)
    reported: dict[str, list[str]] = field(default_factory=dict)

    def among(self, passed: Iterable[str]) -> "FoundTests":
        return FoundTests(self.texts, self.spots, names_in(passed, self.spots))

    def written(self, roles: Mapping[str, Fate], dice: Dice) -> dict[str, bytes]:
        """The files with the tests edited as their roles say."""
        by_path: dict[str, list[tuple[Spot, Fate]]] = {}
        for name, role in roles.items():
            for spot in self.spots[name]:
                by_path.setdefault(spot.path, []).append((spot, role))
        return {path: edited(self.texts[path], spots, dice).encode() for path, spots in by_path.items()}

    def is_plain(self, name: str) -> bool:
        return all(spot.plain for spot in self.spots[name])

    def means_the_same(self, name: str) -> bool:
        """Whether the edit that changes nothing is another spelling of an assertion, and no added statement."""
        return all(spot.claim is not None and spot.claim.can_stay for spot in self.spots[name])

    def ends(self, name: str, report: Report) -> set[Ended | None]:
        """How a test ended in a report, for each of the names that it had; None where it isn't there."""
        return {report.tests.get(uniform(full)) for full in self.reported[name]}


def find_tests(evidence: Workspace, runner: str, restored: tuple[str, ...]) -> FoundTests:
    """The baseline's tests that a runner would run, where they run as they were at the baseline."""
    found = FoundTests()
    paths = [path for path in evidence.baseline_paths() if is_test_of(runner, path)]
    for path in paths[:MOST_FILES]:
        data, language = evidence.before(path), language_of(path)
        if data is None or language is None or len(data) > LARGEST:
            continue
        if not _comes_back(path, restored) and evidence.after(path) != data:
            continue
        try:
            text = data.decode()
            spots = evidence.read_apart(spots_in, SourceText(path, language, text), list[Spot])
        except (UnicodeDecodeError, UnreadableError):
            continue
        found.texts[path] = text
        for spot in spots:
            found.spots.setdefault(spot.name, []).append(spot)
    return found


def _comes_back(path: str, restored: tuple[str, ...]) -> bool:
    return matching(path, restored) is not None or ("@tests" in restored and belongs_to_tests(path))


def drawn(names: Iterable[str], always: Collection[str], dice: Dice) -> dict[str, Fate]:
    """Draw each test's role: most must fail, some stay; those that must pass by name all have to fail."""
    return {
        name: Fate.FAILS if name in always or dice.number(_OF) < _FAIL else Fate.SAME for name in sorted(names)
    }


def turned(roles: Mapping[str, Fate]) -> dict[str, Fate]:
    """The other role for each."""
    return {name: Fate.SAME if role is Fate.FAILS else Fate.FAILS for name, role in roles.items()}


def names_in(reported: Iterable[str], names: Collection[str]) -> dict[str, list[str]]:
    """By name, what a report calls the test: its name with more in front, or less, and parameters behind."""
    ends: dict[str, list[str]] = {}
    for name in names:
        ends.setdefault(_tail(uniform(name)), []).append(name)
    found: dict[str, list[str]] = {}
    for full in reported:
        plain = uniform(full)
        spelled = dict.fromkeys((plain, plain.split("[", 1)[0]))
        near = [(one, name) for one in spelled for name in ends.get(_tail(one), ())]
        best = {name for one, name in near if one == uniform(name) or one.endswith(_behind(uniform(name)))}
        best = {max(best, key=len)} if best else {name for one, name in near if uniform(name).endswith(f".{one}")}
        if len(best) == 1:
            found.setdefault(best.pop(), []).append(full)
    return found


def _tail(name: str) -> str:
    """The last word: names that are the same test have the same."""
    return name.replace(" ", ".").rpartition(".")[2]


def _behind(name: str) -> tuple[str, str]:
    """A name behind those of the folders, packages or groups that it is in."""
    return f".{name}", f" {name}"
