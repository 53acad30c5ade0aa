"""The path language: what is right, what is wrong, and what would be right."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.formats.hl7.encoding import Hl7PathError
from assay.formats.hl7.path import Choice, Filter, Hl7Path, parse_path, quote_value

ALL = Choice(position=None)


def path(
    text: str,
    *numbers: int,
    segment: str = "PID",
    segments: Choice | None = None,
    repetitions: Choice | None = None,
) -> Hl7Path:
    return Hl7Path(text, segment, segments or Choice(), numbers, repetitions or Choice())


@pytest.mark.parametrize(
    "expected",
    [
        path("PID"),
        path("PID-5", 5),
        path("PID.5", 5),
        path("PID-5.1", 5, 1),
        path("PID.5.1", 5, 1),
        path("PID-5-1", 5, 1),
        path("PID-5.1.2", 5, 1, 2),
        path("PID-05", 5),
        path("PID-3[2].1", 3, 1, repetitions=Choice(position=2)),
        path("PID-3[*].1", 3, 1, repetitions=ALL),
        path("PID-3[*]", 3, repetitions=ALL),
        path("PID-3[5=MR].1", 3, 1, repetitions=Choice((Filter((5,), "MR"),), None)),
        path("PID-3[4.2=1.2.3][1].1", 3, 1, repetitions=Choice((Filter((4, 2), "1.2.3"),), 1)),
        path("OBX[2]-5", 5, segment="OBX", segments=Choice(position=2)),
        path("OBX[*]-5", 5, segment="OBX", segments=ALL),
        path("OBX[*]", segment="OBX", segments=ALL),
        path("OBX[3.1=8480-6]-5", 5, segment="OBX", segments=Choice((Filter((3, 1), "8480-6"),), None)),
        path("OBX[3-1= 8480-6 ]-5", 5, segment="OBX", segments=Choice((Filter((3, 1), "8480-6"),), None)),
        path('OBX[3="a=b,c"]-5', 5, segment="OBX", segments=Choice((Filter((3,), "a=b,c"),), None)),
        path(
            'OBX[3.1=8480-6, 11="F"][2]-5',
            5,
            segment="OBX",
            segments=Choice((Filter((3, 1), "8480-6"), Filter((11,), "F")), 2),
        ),
        path("PID-3[4=A,5=MR].1", 3, 1, repetitions=Choice((Filter((4,), "A"), Filter((5,), "MR")), None)),
        path('OBX[3.1="a]\\"\\\\"]-5', 5, segment="OBX", segments=Choice((Filter((3, 1), 'a]"\\'),), None)),
        path(
            "OBX[3.1=1][11=F][2]-5",
            5,
            segment="OBX",
            segments=Choice((Filter((3, 1), "1"), Filter((11,), "F")), 2),
        ),
        path("OBX[5.1.2=x]", segment="OBX", segments=Choice((Filter((5, 1, 2), "x"),), None)),
        path("ZX1-1", 1, segment="ZX1"),
    ],
    ids=str,
)
def test_paths(expected: Hl7Path) -> None:
    assert parse_path(expected.text) == expected
    assert str(parse_path(f" {expected.text}\n")) == expected.text


@pytest.mark.parametrize(
    ("text", "definite"),
    [
        ("PID-5.1", True),
        ("OBX[2]-5[3]", True),
        ("OBX", True),
        ("OBX[*]-5", False),
        ("PID-3[*]", False),
        ("OBX[3=1]-5", False),
        ("OBX[3=1][1]-5", False),
    ],
)
def test_a_definite_path_names_one_place(text: str, *, definite: bool) -> None:
    assert parse_path(text).is_definite is definite


@pytest.mark.parametrize(
    ("text", "position", "says"),
    [
        ("", 1, "begins with a segment's name"),
        ("5.1", 1, "begins with a segment's name"),
        ("PATIENT-5", 1, "begins with a segment's name"),
        ("PI-5", 1, "begins with a segment's name"),
        ("pid-5.1", 1, "in capitals: PID-5.1"),
        ("Pid-5.1", 1, "in capitals: PID-5.1"),
        ("PID5", 1, "begins with a segment's name"),
        ("PID 5", 4, "'-' or '.' and a field's number"),
        ("PID/5", 4, "'-' or '.' and a field's number"),
        ("PID-", 5, "a number from 1"),
        ("PID-0", 5, "counted from 1"),
        ("PID-x", 5, "a number from 1"),
        ("PID--5", 5, "a number from 1"),
        ("PID-5.", 7, "a number from 1"),
        ("PID-5.0", 7, "counted from 1"),
        ("PID-5.1.2.3", 11, "ends with the sub-component"),
        ("PID-123456", 5, "from 1 to 99999"),
        ("PID-5.1[2]", 8, "brackets choose"),
        ("PID-5[1][2]", 9, "brackets choose"),
        ("PID-5 .1", 6, "only '.' and a number"),
        ("PID-5.1 ^", 8, "only '.' and a number"),
        ("OBX[]-5", 5, "a number from 1"),
        ("OBX[0]-5", 5, "counted from 1"),
        ("OBX[2-5", 8, "a filter is numbers, '=' and a value"),
        ("OBX[2", 6, "a filter is numbers"),
        ("OBX[*-5", 6, "']' is missing"),
        ("OBX[x=1]", 5, "a number from 1"),
        ("OBX[3.1]-5", 8, "a filter is numbers"),
        ("OBX[3.1=]-5", 9, "needs a value"),
        ("OBX[3.1= ]-5", 10, "must not be empty"),
        ('OBX[3.1=""]-5', 11, "must not be empty"),
        ('OBX[3.1="a]-5', 9, "needs a value"),
        ('OBX[3.1="a"b]-5', 12, "ends with ']'"),
        ("OBX[3.1=a", 10, "ends with ']'"),
        ("OBX[3=a=b]-5", 7, "in quotes if it holds"),
        ("OBX[3.1=a,b]-5", 11, "a number from 1"),
        ("OBX[3.1=a,]-5", 11, "a number from 1"),
        ("OBX[3.1=a,2]-5", 12, "a filter is numbers"),
        ("OBX[3.1=a,*]-5", 11, "a number from 1"),
        ("OBX[3.1=a;4=b]-5", 9, "in quotes if it holds"),
        ("OBX[2,3.1=a]-5", 6, "a filter is numbers"),
        ("OBX[3.1=a[1]]-5", 9, "in quotes if it holds"),
        ("OBX[-1]-5", 5, "a number from 1"),
        ("OBX[3.1!=a]-5", 8, "a filter is numbers"),
        ("OBX[ 2 ]-5", 5, "a number from 1"),
        ("OBX[1.2.3.4=a]", 10, "a filter is numbers"),
        ("PID-3[1.2.3=a]", 10, "a filter is numbers"),
        ("PID-٣", 5, "a number from 1"),
        ("PID-" + "9" * 5000, 5, "from 1 to 99999"),
    ],
)
def test_a_wrong_path_says_where_and_what_would_be_right(text: str, position: int, says: str) -> None:
    with pytest.raises(Hl7PathError) as caught:
        parse_path(text)
    assert (caught.value.position, says in str(caught.value)) == (position, True), caught.value
    assert isinstance(caught.value, InputError)


@given(st.text(st.sampled_from('PIDOBX[]*=.-0123"\\ é'), max_size=30) | st.text(max_size=20))
def test_no_text_raises_anything_else(text: str) -> None:
    try:
        found = parse_path(text)
    except Hl7PathError as error:
        assert 1 <= error.position <= len(text) + 1  # noqa: PT017 - either way something is asserted
    else:
        assert found.text == text.strip()


@given(st.text(min_size=1))
def test_a_quoted_value_can_hold_anything(value: str) -> None:
    found = parse_path(f"OBX[3.1={quote_value(value)}]-5")
    assert (found.segments, found.numbers) == (Choice((Filter((3, 1), value),), None), (5,))
