"""What is particular to the reader of Java test code."""

import pytest

from assay.detectors.test_code.engine.reader import read
from assay.detectors.test_code.languages.java import LANGUAGE
from assay.detectors.test_code.model import Strength, Test
from tests.detectors.test_code.languages import JAVA

EXACT, SHAPE = Strength.EXACT, Strength.SHAPE
JUNIT5 = "import org.junit.jupiter.api.*;\n"


def only(members: str, head: str = "class FooTest", before: str = JUNIT5) -> Test:
    """The one test of a class with these members."""
    code = read(LANGUAGE, f"{before}{head} {{\n{members}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def test_a_condition_on_parameters_chooses_among_cases() -> None:
    source = '@ParameterizedTest @MethodSource("rows")'
    test = only(f"{source} void a(boolean ok) {{ if (ok) {{ assertEquals(3, f()); }} }}")
    assert [one.strength for one in test.assertions] == [EXACT]


def test_every_check_of_a_chain_is_an_assertion() -> None:
    chained = JAVA.asserted("assertThat(x).isNotNull().isEqualTo(3);")
    apart = JAVA.asserted("assertThat(x).isNotNull(); assertThat(x).isEqualTo(3);")
    assert [one.text for one in chained] == [one.text for one in apart]


def test_a_class_and_the_classes_around_it_skip_their_tests() -> None:
    code = read(
        LANGUAGE,
        JUNIT5 + "@Disabled class FooTest { @Test void a() { } @Nested class Inner { @Test void b() { } } }\n",
    )
    assert [(test.identity, len(test.skips)) for test in code.tests] == [
        ("FooTest > a", 1),
        ("FooTest > Inner > b", 1),
    ]


def test_an_annotation_of_the_files_own_that_stands_for_a_skip() -> None:
    code = read(LANGUAGE, "@Disabled @interface Off { } class FooTest { @Off @Test void a() { } }")
    assert [skip.kind for skip in code.tests[0].skips] == ["disabled"]


def test_an_abstract_class_waits_for_another_to_run_it() -> None:
    (skip,) = only("@Test public void a() { }", head="abstract class FooTest").skips
    assert skip.conditional


@pytest.mark.parametrize(
    ("members", "head", "collected"),
    [
        ("@org.junit.Test public void a() { }", "public class FooTest", True),
        ("public void testA() { assertEquals(3, x); }", "class FooTest extends TestCase", True),
        ("public void checkA() { assertEquals(3, x); }", "class FooTest extends TestCase", False),
        ("public void testA() { assertEquals(3, x); }", "class FooTest extends BaseMapTest", False),
        ("public void a() { assertEquals(3, x); }", "@Test public class FooTest", True),
        ("public void a() { assertEquals(3, x); }", "public class FooTest", False),
    ],
)
def test_whether_a_runner_collects_it_in_such_a_class(members: str, head: str, collected: bool) -> None:
    assert only(members, head).collected is collected


@pytest.mark.parametrize(
    ("annotation", "strength", "swallowed"),
    [
        ("@Test(expected = FooException.class)", EXACT, False),
        ("@Test(expected = Exception.class)", SHAPE, True),
        ("@Test(expectedExceptions = AssertionError.class)", SHAPE, True),
    ],
)
def test_an_expected_exception_is_an_assertion(annotation: str, strength: Strength, swallowed: bool) -> None:
    expected, other = only(f"{annotation} public void a() {{ assertEquals(3, x);\nf(x); }}").assertions
    assert (expected.strength, expected.subject) == (strength, "f(x)")
    assert other.swallowed is swallowed


def test_an_assertion_at_the_end_of_a_test_that_must_throw_is_not_reached() -> None:
    found = only(
        "@Test(expected = FooException.class)\npublic void a() {\n f();\n assertEquals(3, x);\n}"
    ).assertions
    assert [one.swallowed for one in found] == [False, True]


def test_a_call_that_never_happens_lends_no_assertions() -> None:
    test = only("@Test void a() { if (false) { check(); } }\nprivate void check() { assertEquals(3, x); }")
    assert not test.assertions[0].reachable


def test_the_old_style_behind_a_class_of_the_projects_own() -> None:
    assert only("public void testA() { assertEquals(3, x); }", "class FooTest extends BaseMapTest", "").collected


def test_a_return_in_another_method_skips_nothing() -> None:
    listener = "new Listener() { public void on(int x) { if (x == 1) { return; } f(); } }"
    assert JAVA.only(JAVA.test_of(f"add({listener}); assertEquals(3, x);")).skips == ()
