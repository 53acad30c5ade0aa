"""go: the tests of packages that import the package of a mutant, by what is written in the files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from assay.detectors.effects.reach import Everything, InFiles, LoadedFiles, Reach, ReachedCode
from assay.detectors.effects.suite import SuiteResult
from assay.detectors.effects.watch.model import WatchQuestion, Way
from assay.evidence.workspace import Tree, Workspace, changed_paths
from assay.formats.test_reports.model import uniform

MOST_FILES: Final = 5_000
LONGEST: Final = 100_000
"""Longer settings may not fit into an environment."""
_MODULE: Final = re.compile(r"^module\s+\"?([\w./~-]+)", re.MULTILINE)
_BLOCK: Final = re.compile(r"^import\s*\(", re.MULTILINE)
_SINGLE: Final = re.compile(r"^import\s+(?:[\w.]+\s+)?\"([^\"\n]+)\"", re.MULTILINE)
_QUOTED: Final = re.compile(r"\"([^\"\n]+)\"")
# Whoever starts programs may start one of the module's own.
_STARTS: Final = frozenset({"os/exec", "plugin"})


@dataclass(frozen=True, slots=True)
class Package:
    """A folder of a module: its files, and what they import, also from tests."""

    files: frozenset[str]
    imports: frozenset[str]
    in_tests: frozenset[str]


@dataclass(frozen=True, slots=True)
class GoWatch:
    """``packages`` are those of the module, by the name that others import."""

    packages: Mapping[str, Package]

    chooses = "those in packages that import the mutant's"
    is_light = True
    is_proven = False

    def noting(self, tree: Tree) -> Way:
        return Way(tree)

    def choosing(self, tree: Tree, choices: list[str], reach: Reach) -> Way:  # noqa: ARG002 - as all of them
        names = "|".join(sorted({re.escape(one.partition(" ")[2]) for one in choices}))
        if len(names) > LONGEST:
            return Way(tree)
        return Way(tree, f"export GOFLAGS=\"${{GOFLAGS:+$GOFLAGS }}-run=\"'^({names})$'; ")

    def read(self, ran: SuiteResult) -> Reach | None:
        tests: dict[str, ReachedCode] = {}
        names: dict[str, set[str]] = {}
        for name in ran.passed:
            package = self._package_of(name)
            if package is not None:
                test = name.removeprefix(f"{uniform(package)}.").partition(".")[0]
                names.setdefault(f"{package} {test}", set()).add(name)
                tests[f"{package} {test}"] = self._reached(package)
        if not tests:
            return None
        return Reach(tests, {choice: frozenset(found) for choice, found in names.items()}, InFiles((".go",)))

    def _package_of(self, name: str) -> str | None:
        """The package of a test as a report names it."""
        return max((one for one in self.packages if name.startswith(f"{uniform(one)}.")), key=len, default=None)

    def _reached(self, package: str) -> ReachedCode:
        """The reach of a package's tests: all that it imports, and what that imports."""
        seen, waiting = {package}, [package, *self.packages[package].in_tests]
        while waiting:
            name = waiting.pop()
            seen.add(name)
            if name in self.packages:
                waiting.extend(self.packages[name].imports - seen)
        if seen & _STARTS:
            return Everything()
        return LoadedFiles(
            frozenset[str]().union(*(self.packages[one].files for one in seen & set(self.packages))), {}
        )


def go_watch(asked: WatchQuestion) -> GoWatch | None:
    """If the report is go's, and the workspace is one module."""
    report = asked.suite.report
    if report is None or report.format != "go":
        return None
    paths = sorted({*asked.evidence.baseline_paths(), *changed_paths(asked.evidence)})
    module = _MODULE.search("\n".join(_texts(asked.evidence, "go.mod")))
    go = [path for path in paths if path.endswith(".go")]
    nested = any(path.endswith("/go.mod") or path == "go.work" for path in paths)
    if module is None or nested or not 0 < len(go) <= MOST_FILES:
        return None
    return GoWatch(_packages(asked.evidence, module[1], go))


def _packages(evidence: Workspace, module: str, paths: list[str]) -> dict[str, Package]:
    found: dict[str, Package] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        name = f"{module}/{folder}" if folder else module
        imports = frozenset(one for text in _texts(evidence, path) for one in imports_of(text))
        known = found.get(name, Package(frozenset(), frozenset(), frozenset()))
        is_test = path.endswith("_test.go")
        found[name] = Package(
            known.files | {path},
            known.imports if is_test else known.imports | imports,
            known.in_tests | imports if is_test else known.in_tests,
        )
    return found


def _texts(evidence: Workspace, path: str) -> Iterator[str]:
    """A file's texts, before and after: tests of both sides are run."""
    for data in {evidence.before(path), evidence.after(path)} - {None}:
        yield (data or b"").decode(errors="replace")


def imports_of(text: str) -> frozenset[str]:
    """The packages that a file of Go imports."""
    blocks = (one for block in _blocks(text) for one in _QUOTED.findall(block))
    return frozenset({*blocks, *_SINGLE.findall(text)})


def _blocks(text: str) -> Iterator[str]:
    """The insides of import blocks, each up to its first closing bracket."""
    end = 0
    while (begin := _BLOCK.search(text, end)) is not None:
        end = text.find(")", begin.end())
        if end < 0:
            return
        yield text[begin.end() : end]
