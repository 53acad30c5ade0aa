"""Mistyped elements are found without any data, and nothing that FHIR R4 has is complained about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.fhirpath.infer import lint_dotted, lint_fhirpath, lint_type

RIGHT_DOTTED = [
    ("Appointment", "participant.0.actor.display"),
    ("Patient", "name.0.given.1"),
    ("Patient", "contact.0.name.family"),
    ("Patient", "meta.lastUpdated"),
    ("Patient", "resourceType"),
    ("Patient", "id"),
    ("Patient", "_birthDate.extension.0.valueDateTime"),
    ("Patient", "contained.0.whatever.it.has"),
    ("Patient", "extension.0.extension.0.valueCodeableConcept.coding.0.code"),
    ("Observation", "valueQuantity.value"),
    ("Observation", "component.0.referenceRange.0.low.value"),
    ("Questionnaire", "item.0.item.1.item.2.linkId"),
    ("MedicationRequest", "dosageInstruction.0.timing.repeat.boundsPeriod.start"),
    ("Bundle", "entry.0.resource.name.0.family"),
    ("Encounter", "length.value"),
]


@pytest.mark.parametrize(("resource", "path"), RIGHT_DOTTED)
def test_a_dotted_path_that_is_right(resource: str, path: str) -> None:
    assert lint_dotted(path, resource) is None


WRONG_DOTTED = [
    ("Appointment", "participnt.0.actor", "did you mean participant?"),
    ("Appointment", "participant.0.actr.display", "did you mean actor?"),
    ("Patient", "Name.0.family", "did you mean name?"),
    ("Patient", "name.0.famly", "HumanName has no element 'famly'; did you mean family?"),
    ("Patient", "birthDate.year", "date has no element 'year'"),
    ("Patient", "name.0.family.id", "string has no element 'id'"),
    ("Observation", "value", "is written with its type: valueQuantity, valueCodeableConcept"),
    ("Observation", "valueQuantity.valu", "did you mean value?"),
    ("Observation", "valueMoney", "Observation has no element 'valueMoney'"),
    ("Patient", "extension.0.value", "valueBase64Binary"),
    ("Patient", "name[0].family", "write name.0.family"),
    ("Patient", "Patient.name.0.family", "write name.0.family"),
    ("Patient", "$.name[0]", "write FHIRPath under fhirpath"),
    ("Patient", "name..family", "empty part"),
    ("Patient", "", "empty part"),
    ("Patient", "0.name", "begins with an index"),
    ("Patient", "name.0.0.family", "two indexes in a row"),
    ("Patient", "name.-1.family", "has no element '-1'"),
    ("Patient", "name.*.family", "has no element '*'"),
    ("Patient", "name[*].family", "has no element 'name[*]'"),
    ("Patient", "name.0.family ", "has no element 'family '"),
    ("Bundle", "entry.0.resorce.name", "did you mean resource?"),
]


@pytest.mark.parametrize(("resource", "path", "said"), WRONG_DOTTED)
def test_a_dotted_path_that_is_wrong(resource: str, path: str, said: str) -> None:
    assert said in str(lint_dotted(path, resource))


RIGHT_FHIRPATH = [
    ("Appointment", "participant.actor.display"),
    ("Appointment", "Appointment.participant[0].status"),
    ("Patient", "name.where(use = 'official').given.first()"),
    ("Patient", "name.exists(family = %context.name.first().family)"),
    ("Patient", "name.select(given.first() & ' ' & family)"),
    ("Patient", "iif(active, name, contact.name).family"),
    ("Patient", "identifier.where(system = 'a' and type.coding.exists(code = 'MR')).value"),
    ("Patient", "extension('http://example.org').value.ofType(CodeableConcept).coding.code"),
    ("Patient", "birthDate.extension.value"),
    ("Patient", "descendants().where(anything = 1)"),
    ("Patient", "contained.anything.at.all"),
    ("Patient", "contained.ofType(Organization).name"),
    ("Patient", "(name.family | contact.name.family).count() > 1"),
    ("Patient", "deceased is boolean"),
    ("Observation", "value.ofType(Quantity).value > 5 'kg'.value"),
    ("Observation", "(value as Quantity).unit"),
    ("Observation", "value.unit"),
    ("Observation", "component.where(code.text = 'x').value.ofType(FHIR.Quantity).value"),
    ("QuestionnaireResponse", "item.repeat(item).where(linkId = '1').answer.value"),
    ("Bundle", "entry.resource.where($this is Patient).anything"),
    ("Bundle", "timestamp.hasValue()"),
]


@pytest.mark.parametrize(("resource", "expression"), RIGHT_FHIRPATH)
def test_a_fhirpath_that_is_right(resource: str, expression: str) -> None:
    assert lint_fhirpath(expression, resource) is None


WRONG_FHIRPATH = [
    ("Appointment", "participnt.actor", "did you mean participant?"),
    ("Appointment", "Observation.status", "the resource is of type Appointment"),
    ("Patient", "name.where(familly = 'x').given", "did you mean family?"),
    ("Patient", "name.where(use = 'official').gven", "did you mean given?"),
    ("Patient", "name.given.exist()", "did you mean exists?"),
    ("Patient", "name.first().select(famly)", "did you mean family?"),
    ("Patient", "%resource.nme", "did you mean name?"),
    ("Patient", "%patient.name", "unknown constant %patient"),
    ("Patient", "name.take(1, 2)", "take() takes 1 arguments, not 2"),
    ("Patient", "name.family.startsWith(nme)", "Patient has no element 'nme'"),
    ("Patient", "contained.ofType(Organisation).name", "did you mean Organization?"),
    ("Patient", "contained.ofType(Organization).nam", "Organization has no element 'nam'"),
    ("Patient", "deceasedBoolean", "is written deceased, or deceased.ofType(boolean)"),
    ("Patient", "iif(active, name, contct)", "did you mean contact?"),
    ("Patient", "(name | telcom)", "did you mean telecom?"),
    ("Observation", "valueQuantity.value", "is written value, or value.ofType(Quantity)"),
    ("Observation", "value.ofType(Quantity).unitt", "did you mean unit?"),
    ("Observation", "(value as Quantty)", "did you mean Quantity?"),
    ("Patient", "name given", "is not FHIRPath: extraneous input 'given'"),
    ("Patient", "name.", "is not FHIRPath"),
    ("Patient", "name)", "is not FHIRPath"),
    ("Patient", "name = 'x", "is not FHIRPath"),
    ("Patient", "", "is not FHIRPath"),
    ("Patient", "(" * 3000 + "name" + ")" * 3000, "is nested too deeply"),
    ("Patient", "a" * 10_001, "at most 10000 characters"),
]


@pytest.mark.parametrize(("resource", "expression", "said"), WRONG_FHIRPATH)
def test_a_fhirpath_that_is_wrong(resource: str, expression: str, said: str) -> None:
    assert said in str(lint_fhirpath(expression, resource))


@pytest.mark.parametrize("name", ["Patient", "Appointment", "Bundle", "Parameters", "Binary"])
def test_a_type_that_there_is(name: str) -> None:
    assert lint_type(name) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Patinet", "did you mean Patient?"),
        ("patient", "did you mean Patient?"),
        ("DomainResource", "has no resource"),
        ("HumanName", "has no resource"),
        ("", "has no resource"),
    ],
)
def test_a_type_that_there_is_not(name: str, said: str) -> None:
    assert said in str(lint_type(name))


@given(st.text())
def test_any_text_is_judged_and_none_breaks_it(text: str) -> None:
    for judge in (lint_dotted, lint_fhirpath):
        said = judge(text, "Patient")
        assert said is None or said
