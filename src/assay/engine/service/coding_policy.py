"""The demands that a tenant's scenario may make on the grading machine.

A scenario file on somebody's own machine may name its folders, repositories and endpoints. Over HTTP somebody else
writes it, and the same fields could read the service's files, reach its network or use its keys.
"""

import posixpath
import re
from dataclasses import dataclass
from typing import Final

from assay.core.errors import InputError
from assay.dialects.scorers.scenario import ArchiveSeed, GitSeed, Scenario
from assay.engine.coding.score import placed_checks

ORIGIN: Final = "the scenario"
PREFIX: Final = "sha256:"
_ARCHIVE: Final = re.compile(rf"{PREFIX}[0-9a-f]{{64}}")


@dataclass(frozen=True, slots=True)
class CodingPolicy:
    """The operator's permissions: folders of the machine, images of containers, and a network for setup."""

    folders: tuple[str, ...] = ()
    images: tuple[str, ...] = ()
    network: bool = False


def check_scenario(scenario: Scenario, policy: CodingPolicy) -> None:
    """Raises ``InputError`` for a scenario that can't be graded here: it has a mistake, or wants too much."""
    placed_checks(scenario, ORIGIN)
    _check_seed(scenario)
    _check_environment(scenario, policy)
    _check_judge(scenario)
    if scenario.setup is not None and scenario.setup.network and not policy.network:
        raise InputError("setup.network must be false: the operator of the service allows no network")


def archive_of(scenario: Scenario) -> str | None:
    """The digest of the archive that a checked scenario is seeded from; None if it needs none."""
    seed = scenario.workspace_seed
    return seed.path.removeprefix(PREFIX) if isinstance(seed, ArchiveSeed) else None


def _check_seed(scenario: Scenario) -> None:
    seed = scenario.workspace_seed
    if isinstance(seed, GitSeed):
        raise InputError(
            "workspace_seed must be an archive or empty: the service reads no repositories; send the files to"
            " /v1/archives"
        )
    if isinstance(seed, ArchiveSeed) and not _ARCHIVE.fullmatch(seed.path):
        raise InputError(
            f"workspace_seed.path must be what /v1/archives answered, such as {PREFIX}…, got {seed.path!r}"
        )


def _check_environment(scenario: Scenario, policy: CodingPolicy) -> None:
    wanted = scenario.environment
    if wanted.image is not None and wanted.image not in policy.images:
        raise InputError(_not_allowed("environment.image", policy.images, wanted.image))
    if wanted.base is not None:
        raise InputError(f"environment.base must be left out, got {wanted.base!r}")
    named = [*wanted.folders, *([] if wanted.venv is None else [wanted.venv])]
    for folder in named:
        if not any(_is_below(folder, one) for one in policy.folders):
            raise InputError(_not_allowed("a folder of environment", policy.folders, folder))


def _not_allowed(what: str, allowed: tuple[str, ...], found: str) -> str:
    listed = f"one of {', '.join(allowed)}" if allowed else "left out: the operator of the service allows none"
    return f"{what} must be {listed}, got {found!r}"


def _is_below(path: str, folder: str) -> bool:
    whole, around = posixpath.normpath(path), posixpath.normpath(folder)
    return path.startswith("/") and (whole == around or whole.startswith(f"{around.rstrip('/')}/"))


def _check_judge(scenario: Scenario) -> None:
    """The service's own endpoint and keys are for the judge that it was told of, and for no other one."""
    asked = scenario.judge
    for field in ("url", "key_env", "models"):
        if asked is not None and getattr(asked, field):
            raise InputError(f"judge.{field} must be left out: the judge of the service is set with PUT /v1/judge")
