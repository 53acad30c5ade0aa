"""What criteria cost: rules about fields, FHIRPath, many criteria on one playground, and a server that is slow."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from assay.adapters.sources.fhir import FhirServer
from assay.core.outcome import Scored
from assay.criteria import complete
from assay.dialects.criteria.models import Criterion
from assay.engine.criteria.complete_run import check_of
from assay.evidence.playground import Event
from assay.formats.fhirpath.evaluate import compile_expression, evaluate
from benchmarks.made_job import MadeJobs
from benchmarks.made_messages import hl7_event, hl7_rules, x12_event, x12_rules
from benchmarks.made_playground import MadePlayground, appointment, slow_server
from benchmarks.measure import TIMES, Result, best_cpu, sized, wall

MESSAGES, ROUNDS = sized(200, 4), sized(20)
HL7_GOAL_US, X12_GOAL_US = 20.0, 50.0
FHIRPATH = "Appointment.participant.where(status = 'accepted').actor.display.first() | Appointment.description"
CRITERIA = sized(1000, 20)
ANSWER_SEC, CHAIN_GOAL = 0.2, 1.5
Made = Callable[[int], Event]
Rules = Callable[[int], list[dict[str, Any]]]


def run(_jobs: MadeJobs) -> Iterator[Result]:
    """Field rules of HL7 and X12, compiled FHIRPath, 1,000 criteria on one playground, ten on a slow server."""
    yield _rules("hl7-structural", hl7_event, hl7_rules, HL7_GOAL_US)
    yield _rules("x12-response", x12_event, x12_rules, X12_GOAL_US)
    yield _fhirpath()
    yield from _many()
    yield _slow()


def _rules(kind: str, made: Made, rules: Rules, goal: float) -> Result:
    """CPU of a rule: each message is parsed once, in its own playground, and its rules are checked against it."""
    criteria = [_criterion(kind, fields=rules(n)) for n in range(MESSAGES)]
    playgrounds = [MadePlayground([made(n)], [made(n)]) for n in range(MESSAGES)]
    checks = [check_of(criterion.assertion, {}) for criterion in criteria]

    def work() -> None:
        for check, playground in zip(checks, playgrounds, strict=True):
            outcome = check.run(playground)
            assert isinstance(outcome, Scored), outcome
            assert outcome.passed, outcome.summary

    [spent] = best_cpu(ROUNDS, work)
    count = sum(len(rules(n)) for n in range(MESSAGES))
    return Result(f"{kind} field rules", spent / count * 1e6, "µs a rule", goal, f"{count / spent:,.0f} a second")


def _fhirpath() -> Result:
    resource = appointment("1")

    def parsing_each_time() -> None:
        compile_expression.cache_clear()
        evaluate(FHIRPATH, resource)

    evaluate(FHIRPATH, resource)
    reused, parsed = best_cpu(20, lambda: evaluate(FHIRPATH, resource), parsing_each_time)
    detail = f"{reused * 1e6:.0f} µs against {parsed * 1e6:.0f} µs"
    return Result("compiled FHIRPath", reused / parsed, f"{TIMES} parsing", detail=detail)


def _many() -> Iterator[Result]:
    """All six checks in turn, on fifty different things."""
    criteria = [_of_any_kind(n) for n in range(CRITERIA)]
    playground = MadePlayground([hl7_event(n) for n in range(10)], [x12_event(n) for n in range(10)])

    def work() -> None:
        playground.asked.clear()
        _completed(criteria, playground)

    [spent] = best_cpu(ROUNDS, work)
    yield Result(f"{CRITERIA:,} criteria, one playground", spent, "s of CPU")
    asked, different = playground.asked.total(), len(playground.asked)
    detail = f"{asked} questions, {different} different ones"
    yield Result("  questions to its sources", asked / different, f"{TIMES} different", 1.0, detail)


def _slow() -> Result:
    """Ten criteria that read ten resources. The slowest chain is one of them alone."""
    criteria = [_read(str(n)) for n in range(10)]
    with slow_server(ANSWER_SEC) as url, FhirServer(url) as server:
        playground = MadePlayground(server=server)
        _completed(criteria, playground)
        chain = min(wall(lambda: _completed(criteria[:1], playground)) for _ in range(3))
        ten = min(wall(lambda: _completed(criteria, playground)) for _ in range(3))
    detail = f"{ten * 1e3:.0f} ms against {chain * 1e3:.0f} ms"
    return Result("ten criteria on a slow server", ten / chain, f"{TIMES} one of them", CHAIN_GOAL, detail)


def _completed(criteria: Sequence[Criterion], playground: MadePlayground) -> None:
    failed = [run.details for run in complete(criteria, {}, playground).criterion_runs if not run.passed]
    assert not failed, failed[0]


def _criterion(kind: str, **given: Any) -> Criterion:
    return Criterion(label=kind, assertion={"assert": kind, **given})


def _read(identity: str) -> Criterion:
    fields = [{"path": "status", "expected": "booked"}]
    return _criterion("fhir-resource-state", resource_type="Appointment", id=identity, fields=fields)


def _of_any_kind(n: int) -> Criterion:
    made = (_read, _searched, _hl7, _portal, _file, _said, _x12)
    return made[n % len(made)](str(n // len(made) % 10))


def _searched(n: str) -> Criterion:
    field = {"fhirpath": "status", "expected": "booked"}
    return _criterion("fhir-resource-state", resource_type="Appointment", search={"patient": n}, fields=[field])


def _hl7(n: str) -> Criterion:
    correlate_by = {"PID-5.1": f"DOE{n}"}
    return _criterion("hl7-structural", correlate_by=correlate_by, fields=hl7_rules(int(n)))


def _x12(n: str) -> Criterion:
    return _criterion("x12-response", correlate_by={"2000C/TRN02": f"TRACE{n:0>6}"}, fields=x12_rules(int(n)))


def _portal(n: str) -> Criterion:
    rules = [{"path": "status", "expected": "open"}]
    return _criterion("portal-state-match", correlate_by={"resource": f"claims{n}", "key": n}, assertions=rules)


def _file(n: str) -> Criterion:
    return _criterion("sftp-file-present", pattern=f"out/{n}.txt", contains="done")


def _said(n: str) -> Criterion:
    return _criterion("voice-transcript", contains=[f"appointment number {int(n) + 1} is confirmed"])
