"""What is particular to the reader of C# test code."""

import pytest

from assay.detectors.test_code.model import Strength, Test
from tests.detectors.test_code.languages import CSHARP

EXACT, SHAPE = Strength.EXACT, Strength.SHAPE


def only(members: str, head: str = "public class FooTests", before: str = "using Xunit;\n") -> Test:
    """The one test of a class with these members."""
    code = CSHARP.read(f"{before}{head}\n{{\n{members}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def test_what_passes_at_once_asserts_nothing_behind_it() -> None:
    assert [found.reachable for found in CSHARP.asserted("Assert.Pass(); Assert.Equal(3, x);")] == [True, False]


def test_a_static_import_changes_nothing() -> None:
    bare = only("[Fact] public void A() { Equal(3, x); }", before="using static Xunit.Assert;\n")
    assert [one.text for one in bare.assertions] == ["Assert.Equal(3, x)"]


def test_every_check_of_a_chain_is_an_assertion() -> None:
    chained = CSHARP.asserted("x.Should().NotBeNull().And.Be(3);")
    apart = CSHARP.asserted("x.Should().NotBeNull(); x.Should().Be(3);")
    assert [one.text for one in chained] == [one.text for one in apart]


def test_what_nunit_calls_async_waits_by_itself() -> None:
    test = only("[Test] public void A() { Assert.ThrowsAsync<E>(() => F()); }", before="using NUnit.Framework;\n")
    assert not test.assertions[0].swallowed


@pytest.mark.parametrize(
    ("head", "count"),
    [
        ("public class FooTests", 0),
        ('[Ignore("later")] public class FooTests', 1),
        ("[TestFixture, Explicit] public class FooTests", 1),
        ("public abstract class FooTests", 1),
        ("internal class FooTests", 1),
    ],
)
def test_a_class_skips_its_tests(head: str, count: int) -> None:
    assert len(only("[Fact] public void A() { }", head).skips) == count


@pytest.mark.parametrize(
    ("head", "count"), [("[TestClass] public class FooTests", 0), ("public class FooTests", 1)]
)
def test_a_class_that_its_runner_does_not_know(head: str, count: int) -> None:
    assert len(only("[TestMethod] public void A() { }", head).skips) == count


def test_an_attribute_of_the_files_own_that_skips() -> None:
    code = CSHARP.read(
        'class OffFactAttribute : FactAttribute { public OffFactAttribute() { Skip = "later"; } }\n'
        "public class FooTests { [OffFact] public void A() { } }"
    )
    assert [len(test.skips) for test in code.tests] == [1]


@pytest.mark.parametrize(
    ("kind", "strength", "swallowed"),
    [("FooException", EXACT, [False, True]), ("Exception", SHAPE, [True, True])],
)
def test_an_expected_exception_is_an_assertion(kind: str, strength: Strength, swallowed: list[bool]) -> None:
    statements = "\n Assert.AreEqual(1, x);\n Assert.AreEqual(2, x);\n"
    method = f"[TestMethod, ExpectedException(typeof({kind}))]\npublic void A() {{{statements}}}"
    expected, *others = only(method, "[TestClass] public class FooTests").assertions
    assert (expected.strength, expected.expected) == (strength, kind)
    assert [one.swallowed for one in others] == swallowed


def test_calls_of_a_conditional_method_are_not_built() -> None:
    test = only('[Fact] public void A() { Check(); }\n[Conditional("NEVER")] void Check() { Assert.Equal(3, x); }')
    assert [one.text for one in test.assertions] == ["runs without an error"]


def test_of_two_twins_the_one_that_is_built_counts() -> None:
    test = only(
        "#if NEVER\n[Fact] public void A() { }\n#else\n[Fact] public void A() { Assert.Equal(3, x); }\n#endif"
    )
    assert (len(test.assertions), test.skips) == (1, ())


def test_branches_that_only_make_sense_alone() -> None:
    code = CSHARP.read(
        "public class FooTests {\n#if NET6_0\n[Fact] public void A(int x) {\n"
        "#else\n[Fact] public void A() {\n#endif\nAssert.Equal(3, x); } }"
    )
    assert (code.problems, [test.identity for test in code.tests]) == ((), ["FooTests > A"])


def test_classes_in_namespaces_and_in_classes() -> None:
    code = CSHARP.read(
        "namespace N.M { public class Outer { public class Inner { [Fact] public void A() { } } } }"
    )
    assert [test.identity for test in code.tests] == ["Outer > Inner > A"]


def test_an_expression_as_a_body() -> None:
    assert [one.text for one in only("[Fact] public void A() => Assert.Equal(3, x);").assertions] == [
        "Assert.Equal(3, x)"
    ]
