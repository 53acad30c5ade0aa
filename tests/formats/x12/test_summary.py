"""The facts about a file."""

import pytest

from assay.formats.x12.findings import Kind
from assay.formats.x12.placed_set import place_sets
from assay.formats.x12.summary import InterchangeFacts, SetFacts, Summary, summarize
from assay.formats.x12.tokenize import tokenize
from tests.formats.x12.messages import SAMPLES, isa, message


def summary(data: bytes | str) -> Summary:
    document = tokenize(data)
    return summarize(document, place_sets(document))


def test_facts_of_a_sample() -> None:
    found = summary(SAMPLES["several-members.271"].read_bytes())
    assert found.interchanges == (InterchangeFacts(1, "PAYER", "CLINIC", "00501", "000000017", 1, "1", 1, 0),)
    assert found.sets == (SetFacts(1, 1, "271", "005010X279A1", "271", "0001", "17", "000000017", 45, "45", 21),)
    assert found.findings == ()


@pytest.mark.parametrize(
    ("name", "id_", "version", "guide"),
    [
        ("claim-acknowledgment.277", "277", "005010X214", "277CA"),
        ("managed-care.835", "835", "005010X221A1", "835"),
        ("functional-acknowledgment.997", "997", "005010", "997"),
        ("services-review-response.278", "278", "005010X217", "278 response"),
    ],
)
def test_which_set_a_file_has(name: str, id_: str, version: str, guide: str) -> None:
    (one,) = summary(SAMPLES[name].read_bytes()).sets
    assert (one.id, one.version, one.guide) == (id_, version, guide)


def test_findings_of_envelopes_and_of_loops_are_together() -> None:
    text = message("271", "EB*1").replace("SE*3", "SE*9")
    assert [finding.kind for finding in summary(text).findings] == [Kind.COUNT, Kind.UNPLACED_SEGMENT]


def test_only_one_sample_has_a_finding() -> None:
    findings = {name: summary(path.read_bytes()).findings for name, path in SAMPLES.items()}
    wrong = {name: [one.message for one in found] for name, found in findings.items() if found}
    assert wrong == {"subscriber-health-benefit-check-error.271": ["ST02 is '4321', but SE02 is '4323'"]}


def test_what_is_missing_is_none() -> None:
    found = summary(isa() + "ST~")
    assert found.sets == (SetFacts(1, 1, "", "", None, None, None, "000000001", 1, None, 0),)
    assert found.interchanges[0].declared_groups is None
