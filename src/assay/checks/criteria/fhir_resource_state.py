"""Checks the resources that an agent left on a FHIR server: read by ``id``, or found by a ``search``.

``search`` has search parameters as the server takes them; with a list of values, all of them must match.
``where`` is a FHIRPath condition on each match, and ``since: run_start`` keeps only resources that changed in
this run. ``select`` says which of the remaining resources the fields are checked on: the ``first`` (the default),
the ``latest`` to change, ``any`` (the one that scores best), ``all``, or the ``only`` one. ``cardinality`` limits
how many there may be; ``exists: false`` passes if there is none. With ``wait_s``, the server is asked again until
all of this holds or that many seconds have passed. In a task run, state counts as of when its completion was
accepted, or ``wait_s`` later; ``as_of`` in the evidence says where the server can't tell what that was.

A field has a ``path``, which is dotted with indexes (``participant.0.actor.display``), or a ``fhirpath``. Elements
that this version of FHIR doesn't have are refused: ``fhirVersion`` is R4 (the default), R4B or R5, or what servers
call them (4.0.1, 4.3.0, 5.0.0). ``profile`` is the address of a profile that the resource must follow, which is
asked of the server (``$validate``); it counts like a field.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, ClassVar, Literal

from assay.core.grading import held_within
from assay.core.outcome import Outcome, Scored
from assay.core.rollup import nothing_to_score, scored_rows
from assay.evidence.playground import (
    Escapes,
    FhirSource,
    PastSource,
    PlaygroundState,
    accepted_at,
    anew,
    older_note,
    past,
    profile_problems,
    time_of,
)
from assay.formats.fhirpath.infer import lint_fhirpath, lint_type
from assay.formats.fhirpath.matches import (
    FhirRule,
    Match,
    Resource,
    last_change,
    latest,
    matches,
    result,
    result_of_all,
)
from assay.formats.fhirpath.parse import ID, in_dotted, in_fhirpath, in_search
from assay.formats.field_rules.rule import Cardinality, FieldRule, Result, absent_rows

KEY = "fieldResults"
PROFILE = "profile"
LONGEST_WAIT_SEC = 600
SHOWN = 50
Single = str | int | float | bool


@dataclass(frozen=True, slots=True)
class FhirResourceState:
    """``fields`` are field rules."""

    kind: ClassVar[str] = "fhir-resource-state"
    escapes: ClassVar[Escapes] = {
        "path": lambda _: in_dotted,
        "fhirpath": lambda _: in_fhirpath,
        "where": lambda _: in_fhirpath,
        "search": lambda _: in_search,
    }

    resource_type: str
    id: str | None = None
    search: dict[str, Single | list[Single]] | None = None
    fields: tuple[FhirRule, ...] = ()
    where: str | None = None
    cardinality: Cardinality | None = None
    select: Literal["first", "latest", "any", "all", "only"] = "first"
    exists: bool | None = None
    since: Literal["run_start"] | None = None
    wait_s: float = 0
    fhirVersion: str = "R4"  # noqa: N815 - FHIR's own word
    profile: str | None = None

    def __post_init__(self) -> None:
        version = self.fhirVersion
        complaint = self._bad_address() or self._bad_combination() or lint_type(self.resource_type, version)
        if complaint is None and self.where is not None:
            complaint = lint_fhirpath(self.where, self.resource_type, version)
        for rule in self.fields:
            complaint = complaint or rule.lint(self.resource_type, version)
        if complaint is not None:
            raise ValueError(complaint)

    def run(self, evidence: PlaygroundState) -> Outcome:
        time = time_of(evidence)
        if time is None:
            return self._look(evidence)
        views = _views(evidence)
        return held_within(self.wait_s, lambda: self._look(next(views)), time.clock, time.sleep)

    def _bad_combination(self) -> str | None:
        if self.exists is False and (self._rules or self.cardinality or self.select != "first"):
            return "exists: false can't be combined with fields, profile, cardinality or select"
        if not self._rules and self.cardinality is None and self.exists is None:
            return "fhir-resource-state needs fields, a profile, a cardinality or exists"
        if not 0 <= self.wait_s <= LONGEST_WAIT_SEC:
            return f"wait_s must be a number of seconds from 0 to {LONGEST_WAIT_SEC}, got {self.wait_s:g}"
        return None

    def _bad_address(self) -> str | None:
        if (self.id is None) == (self.search is None):
            return "give either id or search (search: {} finds every resource of the type)"
        if self.id is not None and not ID.fullmatch(self.id):
            return f"id must be the id of a resource, got {self.id!r}"
        return None

    def _look(self, evidence: PlaygroundState) -> Scored:
        since = None if self.since is None else evidence.run_start
        source = self._source(evidence)
        looked = list(self._take_needed(matches(self._query_source(source), self.where, since, self.fhirVersion)))
        found = [one for one in looked if not one.older]
        meant = [one for one in found if one.doubt is None]
        more = {**_match_evidence(found), **self._as_of(evidence, source, meant)}
        complaint = self._complaint(found, len(meant))
        if complaint is not None:
            said = complaint + older_note(0 if found else len(looked))
            return nothing_to_score(absent_rows(self._rules), KEY, said, **more)
        if self.exists is False or not self._rules:
            summary = f"there is no {self._what}" if not meant else f"{len(meant)} of {self._what}"
            return Scored(1.0, True, summary, {KEY: [], **more})
        return self._score_fields(meant, more, evidence)

    def _source(self, evidence: PlaygroundState) -> FhirSource:
        accepted = accepted_at(evidence)
        source = evidence.fhir
        return source if accepted is None else past(source, accepted + timedelta(seconds=self.wait_s))

    def _as_of(self, evidence: PlaygroundState, source: FhirSource, meant: list[Match]) -> dict[str, str]:
        """A note on what is unknown of the state when the completion was accepted."""
        if accepted_at(evidence) is None:
            return {}
        timeless = next((one.name for one in meant if last_change(one.resource) is None), None)
        note = source.note(self.resource_type) if isinstance(source, PastSource) else None
        if timeless is not None:
            note = f"{timeless} has no time of its last change (meta.lastUpdated), so it counts as it is now"
        return {} if note is None else {"as_of": note}

    def _query_source(self, source: FhirSource) -> Iterable[Resource]:
        if self.id is None:
            return source.search(self.resource_type, self.search or {})
        read = source.read(self.resource_type, self.id)
        return [] if read is None else [read]

    def _take_needed(self, found: Iterator[Match]) -> Iterator[Match]:
        """As many as must be known: further pages are not asked for without a need."""
        doubtful = 0
        for one in found:
            yield one
            doubtful += not one.older
            if self.exists is False and doubtful == SHOWN:
                return
            if self._is_enough(one):
                return

    def _is_enough(self, one: Match) -> bool:
        first = self.select == "first" and self.cardinality is None and self.exists is not False
        return first and not one.doubt and not one.older

    def _complaint(self, found: list[Match], meant: int) -> str | None:
        """Why the resources that are there are not those that should be. A resource in doubt never helps."""
        doubt = next((f"{one.name} can't be judged: {one.doubt}" for one in found if one.doubt is not None), None)
        if self.exists is False:
            return doubt or (f"{found[0].name} exists, and must not" if found else None)
        if doubt is not None and (self.cardinality is not None or self.select in ("only", "all")):
            return doubt
        return self._wrong_number(meant)

    def _wrong_number(self, meant: int) -> str | None:
        if self.cardinality is not None and not self.cardinality.allows(meant):
            return self.cardinality.complaint(meant, self._what)
        if self.select == "only" and meant > 1:
            return f"{meant} of {self._what}, expected only one"
        return f"there is no {self._what}" if not meant and (self._rules or self.cardinality is None) else None

    @property
    def _rules(self) -> tuple[FieldRule, ...]:
        profile = () if self.profile is None else (FieldRule(PROFILE, self.profile),)
        return (*self.fields, *profile)

    def _score_fields(self, meant: list[Match], more: dict[str, Any], evidence: PlaygroundState) -> Scored:
        if self.select == "all":
            rows = [result_of_all(rule, [one.resource for one in meant], self.fhirVersion) for rule in self.fields]
            rows += self._profile_rows(meant, evidence)
            return scored_rows(self._rules, rows, KEY, f"{len(meant)} of {self._what}", **more)
        chosen = [latest(meant)] if self.select == "latest" else meant if self.select == "any" else meant[:1]
        return max((self._one(match, more, evidence) for match in chosen), key=lambda outcome: outcome.score)

    def _one(self, match: Match, more: dict[str, Any], evidence: PlaygroundState) -> Scored:
        rows = [result(rule, match.resource, self.fhirVersion) for rule in self.fields]
        rows += self._profile_rows([match], evidence)
        return scored_rows(self._rules, rows, KEY, match.name, resource=match.name, **more)

    def _profile_rows(self, meant: list[Match], evidence: PlaygroundState) -> list[Result]:
        """A row for the profile, with what is wrong with the first resource that doesn't follow it."""
        if self.profile is None:
            return []
        for one in meant:
            problems = profile_problems(evidence.fhir, one.resource, self.profile)
            if problems:
                wrong = {"actual": list(problems[:SHOWN]), "passed": False, "resource": one.name}
                return [{"path": PROFILE, "expected": self.profile, **wrong}]
        return [{"path": PROFILE, "expected": self.profile, "actual": [], "passed": True}]

    @property
    def _what(self) -> str:
        """The thing looked for, without the values that it is looked for by."""
        if self.id is not None:
            return f"{self.resource_type}/{self.id}"
        by = ", ".join(self.search or {})
        parts = [f"by {by}" if by else "", "that fulfil a condition" if self.where else ""]
        parts.append("changed in this run" if self.since else "")
        return " ".join([self.resource_type, *filter(None, parts)])


def _views(evidence: PlaygroundState) -> Iterator[PlaygroundState]:
    """Cached answers are good enough for the first look, but for no later one."""
    yield evidence
    while True:
        yield anew(evidence)


def _match_evidence(found: list[Match]) -> dict[str, Any]:
    doubts = {one.name: one.doubt for one in found[:SHOWN] if one.doubt is not None}
    matched = [one.name for one in found if one.doubt is None]
    return {"matched": matched[:SHOWN], "count": len(matched), **({"doubts": doubts} if doubts else {})}
