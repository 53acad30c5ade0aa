"""Whether two agents were measured with the same thing, by the hashes that their trials and gradings recorded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from assay.engine.report.compare_arms import Arm
from assay.formats.counting import counted


@dataclass(frozen=True, slots=True)
class Mismatch:
    """Something that two agents were measured with differs, or isn't known. Only a difference refuses."""

    what: str
    refuses: bool


def mismatches(first: Arm, second: Arm, common: Sequence[str]) -> list[Mismatch]:
    """All that differs between the provenance of two agents, on the tasks that both have."""
    return [*_differences(first, second, common), *_unknown(first, second, common)]


def _differences(first: Arm, second: Arm, common: Sequence[str]) -> Iterator[Mismatch]:
    one, other = first.provenance, second.provenance
    for noun, left, right in (
        ("version", one.versions, other.versions),
        ("verifier", one.verifiers, other.verifiers),
    ):
        differing = [task for task in common if _differ(left.get(task), right.get(task))]
        if differing:
            tasks = f"{counted(len(differing), 'task')} such as {differing[0]}"
            yield Mismatch(f"the {noun} differs for {tasks}", refuses=True)
    for noun, known, found in (("engine", one.engines, other.engines), ("profile", one.profiles, other.profiles)):
        if known and found and known != found:
            said = f"{_listed(known)} and {_listed(found)}"
            yield Mismatch(f"they were graded under different {noun}s: {said}", refuses=True)
    if first.key != second.key:
        yield Mismatch(f"their rewards are {first.key} and {second.key}", refuses=True)
    if one.datasets != other.datasets:
        said = f"{_listed(one.datasets)} and {_listed(other.datasets)}"
        yield Mismatch(f"tasks are paired by name, but their datasets are {said}", refuses=False)


def _differ(left: frozenset[str] | None, right: frozenset[str] | None) -> bool:
    """Whether both are known and differ. Several versions of one task differ from themselves."""
    if left is None or right is None:
        return False
    return left != right or len(left) > 1


def _unknown(first: Arm, second: Arm, common: Sequence[str]) -> Iterator[Mismatch]:
    unknown = sum(
        not _known(task, first.provenance.versions, second.provenance.versions)
        and not _known(task, first.provenance.verifiers, second.provenance.verifiers)
        for task in common
    )
    if unknown:
        tasks = "any task" if unknown == len(common) else counted(unknown, "task")
        yield Mismatch(f"it isn't recorded whether the version of {tasks} is the same", refuses=False)


def _known(task: str, left: Mapping[str, frozenset[str]], right: Mapping[str, frozenset[str]]) -> bool:
    return task in left and task in right


def _listed(names: frozenset[str]) -> str:
    return ", ".join(sorted(names))
