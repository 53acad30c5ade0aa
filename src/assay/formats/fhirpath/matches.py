"""The server's resources that a criterion means, by a condition and by when they changed."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, ClassVar, Final

from assay.evidence.bounds import strange_resource
from assay.formats.fhirpath.evaluate import evaluate, holds
from assay.formats.fhirpath.infer import lint_dotted, lint_fhirpath
from assay.formats.fhirpath.parse import FhirPathError, readable
from assay.formats.field_rules.dates import parse_date
from assay.formats.field_rules.rule import FieldRule, Result, failed_row, results
from assay.formats.field_rules.values import Plain
from assay.formats.json_paths import find

Resource = dict[str, Any]
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class Unsure(dict[str, Any]):
    """A resource of which can't be said whether it was like that when it counts: ``doubt`` says why."""

    def __init__(self, resource: Resource, doubt: str) -> None:
        super().__init__(resource)
        self.doubt = doubt


@dataclass(frozen=True, slots=True)
class Match:
    """A resource that is meant, or of which that can't be said: ``doubt`` says why.

    One that is ``older`` than it should be is not meant.
    """

    resource: Resource
    doubt: str | None = None
    older: bool = False

    @property
    def name(self) -> str:
        """The resource as references have it: ``Patient/123``."""
        return f"{self.resource.get('resourceType')}/{self.resource.get('id')}"


def matches(
    resources: Iterable[Resource], where: str | None, since: datetime | None, version: str = "R4"
) -> Iterator[Match]:
    """Those that are meant, those of which it can't be said, and those that are too old."""
    for resource in resources:
        if isinstance(resource, Unsure):
            yield Match(resource, resource.doubt)
            continue
        changed = last_change(resource)
        if since is not None and changed is not None and changed < since:
            yield Match(resource, older=True)
            continue
        if since is not None and changed is None:
            yield Match(resource, "it has no time of its last change (meta.lastUpdated)")
            continue
        strange = strange_resource(resource)
        if strange is not None:
            yield Match(resource, strange)
            continue
        try:
            if where is None or holds(where, resource, version):
                yield Match(resource)
        except FhirPathError as error:
            yield Match(resource, str(error))


def last_change(resource: Resource) -> datetime | None:
    """When the server says that a resource changed. A time that is not exact counts from its beginning."""
    meta = resource.get("meta")
    written = meta.get("lastUpdated") if isinstance(meta, dict) else None
    span = parse_date(written) if isinstance(written, str) else None
    return None if span is None else span.start


def latest(found: list[Match]) -> Match:
    """The last one to change; the first of several."""
    return max(found, key=lambda one: last_change(one.resource) or NEVER)


@dataclass(frozen=True, slots=True)
class FhirRule(FieldRule):
    """Either ``path`` or ``fhirpath``. ``path`` is what evidence shows, so that it has the expression then."""

    # Whoever builds it from a file refuses a field that is not there.
    __pydantic_config__: ClassVar[dict[str, str]] = {"extra": "forbid"}

    path: str = ""
    fhirpath: str | None = None

    def __post_init__(self) -> None:
        FieldRule.__post_init__(self)
        if bool(self.path) == (self.fhirpath is not None):
            raise ValueError("a field needs either a path or a fhirpath")
        if self.fhirpath is not None:
            object.__setattr__(self, "path", readable(self.fhirpath))

    def lint(self, resource_type: str, version: str) -> str | None:
        """The error in the path for resources of a type."""
        if self.fhirpath is not None:
            return lint_fhirpath(self.fhirpath, resource_type, version)
        return lint_dotted(self.path, resource_type, version)

    def found_in(self, resource: Resource, version: str) -> list[Plain]:
        """The values. Raises ``FhirPathError``."""
        return find(self.path, resource) if self.fhirpath is None else evaluate(self.fhirpath, resource, version)


def result(rule: FhirRule, resource: Resource, version: str = "R4") -> Result:
    """The row of evidence for a rule. A rule that can't be evaluated does not hold, whatever it asks for."""
    try:
        row = results((rule,), lambda _: rule.found_in(resource, version))[0]
    except FhirPathError as error:
        return failed_row(rule, error=str(error))
    note = _needs_index(rule.path, resource) if rule.fhirpath is None and "absent" in row else None
    return row if note is None else {**row, "note": note}


def result_of_all(rule: FhirRule, resources: Sequence[Resource], version: str = "R4") -> Result:
    """The row for a rule that must hold for each of several resources: that of the first for which it does not."""
    rows = [
        {**result(rule, one, version), "resource": f"{one.get('resourceType')}/{one.get('id')}"}
        for one in resources
    ]
    return next((row for row in rows if not row["passed"]), rows[0])


def _needs_index(path: str, resource: Resource) -> str | None:
    """Why a dotted path found nothing, if it names an element of a list without saying which one."""
    steps = path.split(".")
    for index in range(1, len(steps)):
        above = find(".".join(steps[:index]), resource)
        value: Plain = above[0] if above else None
        if isinstance(value, list) and not steps[index].isdecimal():
            before = ".".join(steps[:index])
            return f"{before} is a list: write {before}.0.{'.'.join(steps[index:])} for the first"
    return None
