"""The path language: what each form means, and what is said of those that mean nothing."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError
from assay.formats.x12.model import X12PathError
from assay.formats.x12.path import Equals, LoopStep, Nth, X12Path, parse_path, quoted_value


def path(
    text: str,
    segment: str,
    element: int | None = None,
    component: int | None = None,
    repetition: int | None = None,
    loops: tuple[LoopStep, ...] = (),
    filters: tuple[Nth | Equals, ...] = (),
) -> X12Path:
    return X12Path(text, loops, segment, filters, element, component, repetition)


IN_2110C = (LoopStep("2110C", None),)
IS_B = (Equals(1, None, "B"),)

PATHS = [
    path("2110C/EB[01=B]07", "EB", 7, loops=IN_2110C, filters=IS_B),
    path("2110C/EB[01=B]-7", "EB", 7, loops=IN_2110C, filters=IS_B),
    path("2110C/EB[1=B].7", "EB", 7, loops=IN_2110C, filters=IS_B),
    path("2110C/EB[01=B]-07", "EB", 7, loops=IN_2110C, filters=IS_B),
    path("2110C/EB[01=B]", "EB", loops=IN_2110C, filters=IS_B),
    path("STC01-1", "STC", 1, 1),
    path("STC01.1", "STC", 1, 1),
    path("STC-1-1", "STC", 1, 1),
    path("STC.1.1", "STC", 1, 1),
    path("STC.10.12", "STC", 10, 12),
    path("EB.1", "EB", 1),
    path("EB-13-2", "EB", 13, 2),
    path("EB03[2]", "EB", 3, None, 2),
    path("EB03[*]", "EB", 3),
    path("SVC01-2[1]", "SVC", 1, 2, 1),
    path("CLP[2]04", "CLP", 4, filters=(Nth(2),)),
    path("CLP[*]04", "CLP", 4),
    path("CLP04", "CLP", 4),
    path("CLP", "CLP"),
    path("NM1[01=IL]03", "NM1", 3, filters=(Equals(1, None, "IL"),)),
    path("NM109", "NM1", 9),
    path("NM1-9", "NM1", 9),
    path("NM1", "NM1"),
    path("N103", "N1", 3),
    path("N1", "N1"),
    path("N401", "N4", 1),
    path("AK102", "AK1", 2),
    path("TS301", "TS3", 1),
    path("TA104", "TA1", 4),
    path("CR105", "CR1", 5),
    path("L1101", "L11", 1),
    path("N1001", "N10", 1),
    path("ISA06", "ISA", 6),
    path("GS08", "GS", 8),
    path("ST01", "ST", 1),
    path("SE-1", "SE", 1),
    path("EB[01=B][2]07", "EB", 7, filters=(Equals(1, None, "B"), Nth(2))),
    path("EB[2][01=B]07", "EB", 7, filters=(Nth(2), Equals(1, None, "B"))),
    path("SVC[01-1=HC][01.2=99211]03", "SVC", 3, filters=(Equals(1, 1, "HC"), Equals(1, 2, "99211"))),
    path("REF[02=]01", "REF", 1, filters=(Equals(2, None, ""),)),
    path("REF[02=a b/d]01", "REF", 1, filters=(Equals(2, None, "a b/d"),)),
    path('REF[02="a b=c,d "]01', "REF", 1, filters=(Equals(2, None, "a b=c,d "),)),
    path("EB[01=C,06=29]07", "EB", 7, filters=(Equals(1, None, "C"), Equals(6, None, "29"))),
    path('EB[01=C, 13-1="HC"][2]07', "EB", 7, filters=(Equals(1, None, "C"), Equals(13, 1, "HC"), Nth(2))),
    path('REF[02="a]b"]01', "REF", 1, filters=(Equals(2, None, "a]b"),)),
    path(r'REF[02="a\"\\b"]01', "REF", 1, filters=(Equals(2, None, 'a"\\b'),)),
    path(
        "2100C/NM1[01=IL][08=MI]09",
        "NM1",
        9,
        loops=(LoopStep("2100C", None),),
        filters=(Equals(1, None, "IL"), Equals(8, None, "MI")),
    ),
    path("2000C/2100C/2110C/EB01", "EB", 1, loops=(LoopStep("2000C", None), LoopStep("2100C", None), *IN_2110C)),
    path("2100[2]/2110[*]/SVC02", "SVC", 2, loops=(LoopStep("2100", 2), LoopStep("2110", None))),
    path("*/NM103", "NM1", 3, loops=(LoopStep("*", None),)),
    path("AK2/AK3/AK401", "AK4", 1, loops=(LoopStep("AK2", None), LoopStep("AK3", None))),
    path("SET/REF02", "REF", 2, loops=(LoopStep("SET", None),)),
]


@pytest.mark.parametrize("expected", PATHS, ids=lambda path: path.text)
def test_what_a_path_means(expected: X12Path) -> None:
    assert parse_path(expected.text) == expected


SEGMENT = "a segment with an element must come here, such as EB07, EB-7 or EB[01=B]07"
BRACKETS = "brackets must hold a qualifier such as [01=B], a number such as [2], or *"
CONDITIONS = "behind a comma stands another condition, such as the 06=29 of [01=C,06=29]"
VALUE = "a value ends with ] or a comma, and is in double quotes if it has one of"
BEHIND_SEGMENT = "behind a segment stands an element"
BEHIND_ELEMENT = "behind an element stands a component such as -1, a repetition such as [2], or nothing"


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("", 1, SEGMENT),
        ("2110C/", 7, SEGMENT),
        ("E", 1, SEGMENT),
        ("EB07x", 1, SEGMENT),
        (" EB07", 1, SEGMENT),
        ("07", 1, SEGMENT),
        ("ELIG07", 1, SEGMENT),
        ("/EB07", 1, "'' is not a loop; write one as in its guide, such as 2110C"),
        ("2110c/EB01", 1, "'2110c' is not a loop"),
        ("2000C/2110c/EB01", 7, "'2110c' is not a loop"),
        ("2110C[x]/EB01", 1, "'2110C[x]' is not a loop"),
        ("LOOP2110C/EB01", 1, "'LOOP2110C' is not a loop"),
        ("2110C[0]/EB01", 1, "loops count from 1"),
        ("eb07", 1, "names of segments are in capital letters: EB07"),
        ("2110C/eb-7", 7, "names of segments are in capital letters: EB-7"),
        ("EB7", 1, "there is no segment EB7; element 7 of EB is EB07 or EB-7"),
        ("2110C/EB1", 7, "there is no segment EB1; element 1 of EB is EB01 or EB-1"),
        ("EB00", 1, "elements count from 1"),
        ("EB-0", 3, "elements count from 1"),
        ("STC01-0", 6, "components count from 1"),
        ("EB03[0]", 5, "repetitions count from 1"),
        ("EB[0]01", 3, "segments count from 1"),
        ("EB[00=B]01", 4, "elements count from 1"),
        ("EB[01=B", 7, VALUE),
        ("EB[]01", 3, BRACKETS),
        ("EB[01=C,D]07", 9, CONDITIONS),
        ("EB[01=C,]07", 9, CONDITIONS),
        ("EB[01=C,2]07", 9, CONDITIONS),
        ("EB[01=C,*]07", 9, CONDITIONS),
        ("EB[01=C,06=29", 12, VALUE),
        ("EB[01=C;06=29]07", 7, VALUE),
        ("EB[01=a=b]07", 7, VALUE),
        ("EB[01=C ,06=29]07", 7, VALUE),
        ("EB[01= C]07", 7, VALUE),
        ("EB[01!=C]07", 3, BRACKETS),
        ("EB[-1]07", 3, BRACKETS),
        ("EB[01=C[1]]07", 7, VALUE),
        ('EB[01="C"x]07', 7, VALUE),
        ("EB[x=1]02", 3, BRACKETS),
        ("EB[01]x", 7, BEHIND_SEGMENT),
        ("EB[1,2]02", 3, BRACKETS),
        ('EB[01="B]07', 7, VALUE),
        ("EB[01=B]7", 9, BEHIND_SEGMENT),
        ("EB-", 3, BEHIND_SEGMENT),
        ("EB[2]/01", 1, "'EB' is not a loop"),
        ("EB.1.1.1", 7, BEHIND_ELEMENT),
        ("EB07/EB08", 1, "'EB07' is not a loop"),
        ("2000C/2110X/EB01", 7, "'2110X' is not a loop"),
        ("EB07[01=B]", 5, BEHIND_ELEMENT),
        ("EB07 ", 5, BEHIND_ELEMENT),
        ("2110C/ISA06", 7, "ISA is not in a loop; write ISA06"),
        ("SET/GS08", 5, "GS is not in a loop; write GS08"),
    ],
)
def test_what_is_said_of_a_path_that_means_nothing(text: str, position: int, problem: str) -> None:
    with pytest.raises(X12PathError) as caught:
        parse_path(text)
    assert caught.value.position == position
    assert problem in str(caught.value)
    assert str(caught.value).startswith(f"the X12 path {text!r} is wrong at character {position}: ")
    assert isinstance(caught.value, InputError)


@given(st.text())
def test_any_value_can_be_quoted(value: str) -> None:
    assert parse_path(f"REF[02={quoted_value(value)}]03").filters == (Equals(2, None, value),)


@given(st.text() | st.text(alphabet='EB2110C/[]=*-."\\07 '))
def test_any_text_is_a_path_or_a_path_error(text: str) -> None:
    with suppress(X12PathError):
        assert parse_path(text).text == text
