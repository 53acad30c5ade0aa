"""What the reader of C# test code understands, as tables of cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formats.test_code.csharp import read_csharp
from assay.formats.test_code.model import Assertion, Strength, Test

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def only(members: str, head: str = "public class FooTests", before: str = "using Xunit;\n") -> Test:
    """The one test of a class with these members."""
    code = read_csharp(f"{before}{head}\n{{\n{members}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def body(statements: str) -> Test:
    return only(f"[Fact] public async Task A() {{ {statements} }}")


def assertion(statement: str) -> Assertion:
    (found,) = body(statement).assertions
    return found


@pytest.mark.parametrize(
    ("statement", "strength", "subject", "expected"),
    [
        ("Assert.Equal(3, Add(1, 2));", EXACT, "Add(1, 2)", "3"),
        ('Assert.AreEqual(3, Add(1, 2), "sum {0}", x);', EXACT, "Add(1, 2)", "3"),
        ("Assert.Equal(expected: 3, actual: Add(1, 2));", EXACT, "Add(1, 2)", "3"),
        ("Assert.Equal(1.5, Mean(xs), 3);", CLOSE, "Mean(xs)", "1.5"),
        ("Assert.AreEqual(1.5, Mean(xs), 0.1);", CLOSE, "Mean(xs)", "1.5"),
        ("Assert.Equal(a, b, StringComparer.Ordinal);", EXACT, "b", "a"),
        ("Assert.Same(a, b);", EXACT, "b", "a"),
        ("Assert.NotEqual(3, x);", SHAPE, "x", "not 3"),
        ("Assert.True(Ok());", SHAPE, "Ok()", "true"),
        ('Assert.IsTrue(x == 3, "why");', EXACT, "x", "3"),
        ("Assert.True(a.Equals(b));", EXACT, "a", "b"),
        ("Assert.True(x is null);", EXACT, "x", "null"),
        ("Assert.True(x is not null);", PRESENCE, "x", "not null"),
        ("Assert.True(Math.Abs(a - b) < 0.5);", CLOSE, "a-b", None),
        ("Assert.False(xs.Any());", EXACT, "xs", "(empty)"),
        ("Assert.True(xs.Any());", PRESENCE, "xs", "not (empty)"),
        ("Assert.Null(x);", EXACT, "x", "null"),
        ("Assert.NotNull(x);", PRESENCE, "x", "not null"),
        ("Assert.Empty(xs);", EXACT, "xs", "(empty)"),
        ("Assert.NotEmpty(xs);", PRESENCE, "xs", "not (empty)"),
        ("Assert.Contains(3, xs);", SHAPE, "xs", "contain(3)"),
        ("Assert.Single(xs);", SHAPE, "xs", "single()"),
        ("Assert.IsType<Foo>(x);", SHAPE, "x", "instanceof(Foo)"),
        ("Assert.Throws<FooException>(() => F(1));", EXACT, "F(1)", "FooException"),
        ("Assert.Throws<FooException>(() => { F(1); });", EXACT, "F(1)", "FooException"),
        ("Assert.Throws<Exception>(() => F(1));", SHAPE, "F(1)", "Exception"),
        ("await Assert.ThrowsAsync<FooException>(async () => await F(1));", EXACT, "F(1)", "FooException"),
        ("Assert.ThrowsException<System.Exception>(() => F(1));", SHAPE, "F(1)", "System.Exception"),
        ('Assert.Fail("no");', SHAPE, "fail", None),
        ("Assert.That(x, Is.EqualTo(3));", EXACT, "x", "3"),
        ('Assert.That(x, Is.EqualTo(3), "why");', EXACT, "x", "3"),
        ("Assert.That(x, Is.EqualTo(1.0).Within(0.1));", CLOSE, "x", "1.0"),
        ("Assert.That(x, Is.Not.Null);", PRESENCE, "x", "not null"),
        ("Assert.That(x, Is.Null);", EXACT, "x", "null"),
        ("Assert.That(x, Is.Not.EqualTo(3));", SHAPE, "x", "not 3"),
        ("Assert.That(x, Is.GreaterThan(3));", SHAPE, "x", ">3"),
        ("Assert.That(x, Has.Count.EqualTo(3));", EXACT, "x.Count", "3"),
        ("Assert.That(x == 3);", EXACT, "x", "3"),
        ('Assert.That(x == 3, "why");', EXACT, "x", "3"),
        ("Assert.That(() => F(1), Throws.TypeOf<FooException>());", EXACT, "F(1)", "FooException"),
        ("Assert.That(() => F(1), Throws.Exception);", SHAPE, "F(1)", "Exception"),
        ("Assert.That(() => F(1), Throws.ArgumentNullException);", EXACT, "F(1)", "ArgumentNullException"),
        ("CollectionAssert.AreEqual(a, b);", EXACT, "b", "a"),
        ('StringAssert.Contains(text, "a");', SHAPE, "text", 'contain("a")'),
        ("x.Should().Be(3);", EXACT, "x", "3"),
        ('Foo(1).Bar.Should().Be(3, "because {0}", y);', EXACT, "Foo(1).Bar", "3"),
        ("x.Should().NotBeNull();", PRESENCE, "x", "not null"),
        ("x.Should().BeApproximately(1.0, 0.1);", CLOSE, "x", "1.0"),
        ("x.Should().BeTrue();", SHAPE, "x", "true"),
        ("xs.Should().Contain(3);", SHAPE, "xs", "contain(3)"),
        ("xs.Should().HaveCount(3);", EXACT, "xs.Count", "3"),
        ("xs.Should().BeEquivalentTo(ys);", EXACT, "xs", "ys"),
        ("act.Should().Throw<FooException>();", EXACT, "act", "FooException"),
        ("await act.Should().ThrowAsync<Exception>();", SHAPE, "act", "Exception"),
        ("x.ShouldBe(3);", EXACT, "x", "3"),
        ("x.ShouldBe(1.0, 0.1);", CLOSE, "x", "1.0"),
        ("x.ShouldNotBeNull();", PRESENCE, "x", "not null"),
        ("Should.Throw<FooException>(() => F(1));", EXACT, "F(1)", "FooException"),
        ("mock.Verify(m => m.Call(1), Times.Once());", EXACT, "mock", "m.Call(1)"),
        ("mock.Verify(m => m.Call(It.IsAny<int>()));", SHAPE, "mock", "m.Call(It.IsAny<int>())"),
        ("sub.Received().Call(1);", EXACT, "sub.Call", "Call(1)"),
        ("try { F(1); Assert.Fail(); } catch (FooException) { }", EXACT, "F(1)", "FooException"),
        ('if (x != 3) throw new XunitException("no");', SHAPE, "fail", None),
    ],
)
def test_what_an_assertion_demands(statement: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = assertion(statement)
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


@pytest.mark.parametrize(
    "statement",
    [
        "Assert.True(true);",
        "Assert.False(1 > 2);",
        "Assert.True(x == 3 || true);",
        "Assert.True(xs.Count >= 0);",
        "Assert.True(x == 3 || x != 3);",
        "Assert.Equal(1, 1);",
        "Assert.Equal(x, x);",
        'Assert.AreEqual("a", "a");',
        'Assert.NotNull("a");',
        "Assert.IsAssignableFrom<object>(x);",
        "Assert.That(true);",
        "Assert.That(x, Is.EqualTo(x));",
        "Assert.That(true, Is.True);",
        "Assert.Pass();",
        "x.Should();",
        "x.Should().Be(x);",
        "true.Should().BeTrue();",
        "x.ShouldBe(x);",
    ],
)
def test_an_assertion_that_always_holds(statement: str) -> None:
    assert assertion(statement).strength is VACUOUS


@pytest.mark.parametrize(
    ("statement", "tolerance"),
    [
        ("Assert.Equal(1.0, x, 2);", 0.005),
        ("Assert.Equal(1.0, x, precision: 2);", 0.005),
        ("Assert.Equal(1.0, x, 0.5);", 0.5),
        ("Assert.Equal(1.0, x, tolerance: 5);", 5.0),
        ("Assert.AreEqual(1.0, x, 1e9);", 1e9),
        ("Assert.AreEqual(1.0, x, delta);", None),
        ("Assert.That(x, Is.EqualTo(1.0).Within(50).Percent);", 0.5),
        ("Assert.That(x, Is.EqualTo(1.0).Within(0.25));", 0.25),
        ("x.Should().BeApproximately(1.0, 0.75);", 0.75),
        ("x.ShouldBe(1.0, 0.125);", 0.125),
        ("Assert.True(Math.Abs(x - 1) <= 0.125);", 0.125),
    ],
)
def test_the_tolerance_of_a_close_assertion(statement: str, tolerance: float | None) -> None:
    assert (assertion(statement).strength, assertion(statement).tolerance) == (CLOSE, tolerance)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Assert.Equal(3, Add(1, 2));", "Assert.Equal(\n    3,\n    Add( 1,2 )  // the sum\n);"),
        ("Assert.Equal(3, x);", "Xunit.Assert.Equal(3, x);"),
        ("Assert.Equal(3, x);", "Assert.Equal<int>(3, x);"),
        ("Assert.AreEqual(3, x);", 'ClassicAssert.AreEqual(3, x, "message");'),
        ("Assert.True(x == 3);", 'Assert.True((x == 3), "message");'),
        ('Assert.Equal("a", x);', 'Assert.Equal(@"a", x);'),
        ("x.Should().Be(3);", 'x\n  .Should()\n  .Be(3, "because");'),
        ("Assert.Equal(1_000, x);", "Assert.Equal(1000, x);"),
    ],
)
def test_the_same_assertion_laid_out_otherwise_is_the_same(one: str, other: str) -> None:
    assert assertion(one).text == assertion(other).text
    assert assertion(one).strength is assertion(other).strength


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Assert.Equal(3, x);", "Assert.AreEqual(3, x);"),
        ("Assert.Equal(3, x);", "x.Should().Be(3);"),
        ("Assert.Equal(3, x);", "x.ShouldBe(3);"),
        ("Assert.Equal(3, x);", "Assert.That(x, Is.EqualTo(3));"),
        ("Assert.NotNull(x);", "x.Should().NotBeNull();"),
        ("Assert.NotNull(x);", "Assert.That(x, Is.Not.Null);"),
        ("Assert.Null(x);", "x.ShouldBeNull();"),
        ("Assert.Empty(xs);", "xs.Should().BeEmpty();"),
        ("Assert.NotEmpty(xs);", "Assert.That(xs, Is.Not.Empty);"),
        ("Assert.Contains(3, xs);", "xs.Should().Contain(3);"),
        ("Assert.Contains(3, xs);", "Assert.That(xs, Does.Contain(3));"),
        ("Assert.DoesNotContain(3, xs);", "xs.ShouldNotContain(3);"),
        ("Assert.True(xs.Contains(3));", "CollectionAssert.Contains(xs, 3);"),
        ("Assert.True(x > 3);", "x.Should().BeGreaterThan(3);"),
        ("Assert.Greater(x, 3);", "Assert.That(x, Is.GreaterThan(3));"),
        ("Assert.Equal(2, xs.Count);", "xs.Should().HaveCount(2);"),
        ("Assert.Equal(new[] { 1, 2 }, xs);", "Assert.Equal(new List<int> { 1, 2 }, xs);"),
        ("Assert.Equal(new int[] { 1, 2 }, xs);", "Assert.Equal([1, 2], xs);"),
        ("Assert.IsType<Foo>(x);", "x.Should().BeOfType<Foo>();"),
        ("Assert.True(Ok(x));", "Ok(x).Should().BeTrue();"),
    ],
)
def test_the_same_demand_in_the_words_of_another_library(one: str, other: str) -> None:
    first, second = assertion(one), assertion(other)
    assert (first.strength, first.subject, first.expected) == (second.strength, second.subject, second.expected)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("var expected = 3; Assert.Equal(expected, F());", "3"),
        ("int[] expected = new[] { 1, 2 }; Assert.Equal(expected, F());", "[1, 2]"),
        ("var expected = 3; expected++; Assert.Equal(expected, F());", "expected"),
        ("var expected = G(); Assert.Equal(expected, F());", "expected"),
        ("Assert.Equal(Limit, F());", "9"),
    ],
)
def test_what_a_name_stands_for(statements: str, expected: str) -> None:
    test = only(f"private const int Limit = 9;\n[Fact] public void A() {{ {statements} }}")
    assert [one.expected for one in test.assertions] == [expected]


def test_a_name_that_hides_a_tautology() -> None:
    assert assertion("var result = 3; Assert.Equal(3, result);").strength is VACUOUS


@pytest.mark.parametrize(
    ("statements", "strength"),
    [
        ("if (x != null) { Assert.Equal(3, x); }", CLOSE),
        ("if (x is Foo y) Assert.Equal(3, y.Z); else Assert.Fail();", EXACT),
        ("foreach (var y in xs) { if (y > 0) { Assert.Equal(3, y); } }", EXACT),
    ],
)
def test_what_is_only_asked_now_and_then_demands_less(statements: str, strength: Strength) -> None:
    assert body(statements).assertions[0].strength is strength


def test_a_static_import_changes_nothing() -> None:
    bare = only("[Fact] public void A() { Equal(3, x); }", before="using static Xunit.Assert;\n")
    assert [one.text for one in bare.assertions] == ["Assert.Equal(3, x)"]


def test_every_check_of_a_chain_is_an_assertion() -> None:
    chained = body("x.Should().NotBeNull().And.Be(3);").assertions
    apart = body("x.Should().NotBeNull(); x.Should().Be(3);").assertions
    assert [one.text for one in chained] == [one.text for one in apart]


@pytest.mark.parametrize(
    "statements",
    [
        "if (false) { Assert.Equal(3, x); }",
        "if (1 > 2) Assert.Equal(3, x);",
        "return; Assert.Equal(3, x);",
        "if (true) return; Assert.Equal(3, x);",
        "if (x) { return; } else { return; } Assert.Equal(3, x);",
        "using (var y = F()) { return; } Assert.Equal(3, x);",
        "while (false) { Assert.Equal(3, x); }",
        "for (; false; ) { Assert.Equal(3, x); }",
        "for (int i = 5; i < 5; i++) { Assert.Equal(3, i); }",
        "new List<int>().ForEach(y => Assert.Equal(3, y));",
        "Enumerable.Empty<int>().ToList().ForEach(y => { Assert.Equal(3, y); });",
        "foreach (var y in new int[0]) { Assert.Equal(3, y); }",
        "foreach (var y in Enumerable.Empty<int>()) { Assert.Equal(3, y); }",
        "Environment.Exit(0); Assert.Equal(3, x);",
        "Assert.Pass(); Assert.Equal(3, x);",
        "throw new FooException(); Assert.Equal(3, x);",
        "bool run = false; if (run) { Assert.Equal(3, x); }",
        "const bool Run = false; if (Run) { Assert.Equal(3, x); }",
        "Action never = () => { Assert.Equal(3, x); };",
        "void Never() { Assert.Equal(3, x); }",
        "\n#if false\nAssert.Equal(3, x);\n#endif\n",
        "\n#if NEVER\nAssert.Equal(3, x);\n#endif\n",
        "\n#if MY_PROJECT_2\nAssert.Equal(3, x);\n#endif\n",
    ],
)
def test_code_that_never_runs_asserts_nothing(statements: str) -> None:
    assert not body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    "statements",
    [
        "if (x) { return; } Assert.Equal(3, x);",
        "if (x) { Assert.Equal(3, x); }",
        "while (true) { if (x) break; } Assert.Equal(3, x);",
        "for (int i = 0; i < 3; i++) { if (i == 1) continue; Assert.Equal(3, x); }",
        "xs.ForEach(x => { if (x == 1) { return; } Check(); }); Assert.Equal(3, x);",
        "switch (x) { case 1: return; default: break; } Assert.Equal(3, x);",
        "Check(1); return; void Check(int x) { Assert.Equal(3, x); }",
        "Action later = () => { Assert.Equal(3, x); }; later();",
        "bool run = false; run = true; if (run) { Assert.Equal(3, x); }",
        "\n#if DEBUG\nAssert.Equal(3, x);\n#endif\n",
        "\n#if !NEVER\nAssert.Equal(3, x);\n#endif\n",
        "Assert.Multiple(() => { Assert.Equal(3, x); });",
    ],
)
def test_code_that_may_run_asserts(statements: str) -> None:
    assert body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    ("statements", "swallowed"),
    [
        ("try { Assert.Equal(3, x); } catch { }", True),
        ("try { Assert.Equal(3, x); } catch (Exception) { }", True),
        ("try { Assert.Equal(3, x); } catch (Exception e) { Console.WriteLine(e); }", True),
        ("try { Assert.Equal(3, x); } catch (XunitException) { Assert.True(true); }", True),
        ("try { Assert.Equal(3, x); } catch (Exception e) when (true) { }", True),
        ("try { F(); Assert.Fail(); } catch (Exception) { }", True),
        ("try { Assert.Equal(3, x); } catch (Exception) { throw; }", False),
        ("try { Assert.Equal(3, x); } catch (Exception e) { Assert.Fail(e.Message); }", False),
        ("try { Assert.Equal(3, x); } catch (Exception e) { errors.Add(e); } Check(errors);", False),
        ("try { Assert.Equal(3, x); } catch (TimeoutException) { }", False),
        ("try { Assert.Equal(3, x); } catch (Exception e) when (e is FooException) { }", False),
        ("try { Assert.Equal(3, x); } finally { Close(); }", False),
        ("try { F(); } catch (Exception) { Assert.Equal(3, x); }", False),
        ("Record.Exception(() => Assert.Equal(3, x));", True),
        ("var error = Record.Exception(() => Assert.Equal(3, x)); Check(error);", False),
        ("Assert.ThrowsAsync<FooException>(() => F(1));", True),
        ("_ = Assert.ThrowsAsync<FooException>(() => F(1));", True),
        ("var task = Assert.ThrowsAsync<FooException>(() => F(1)); await task;", False),
        ("Assert.ThrowsAsync<FooException>(() => F(1)).Wait();", False),
        ("return Assert.ThrowsAsync<FooException>(() => F(1));", False),
        ("act.Should().ThrowAsync<FooException>();", True),
        ("_ = Task.Run(() => { Assert.Equal(3, x); });", True),
        ("await Task.Run(() => { Assert.Equal(3, x); });", False),
    ],
)
def test_a_failure_that_is_caught_or_forgotten(statements: str, swallowed: bool) -> None:
    assert body(statements).assertions[0].swallowed is swallowed


def test_what_nunit_calls_async_waits_by_itself() -> None:
    test = only("[Test] public void A() { Assert.ThrowsAsync<E>(() => F()); }", before="using NUnit.Framework;\n")
    assert not test.assertions[0].swallowed


@pytest.mark.parametrize(
    ("members", "kind", "conditional"),
    [
        ('[Fact(Skip = "later")] public void A() { }', "disabled", False),
        ('[Theory(Skip = "later")] [InlineData(1)] public void A(int x) { }', "disabled", False),
        ('[Xunit.FactAttribute(Skip = "later")] public void A() { }', "disabled", False),
        ('[Fact(DisplayName = "a", Skip = Reason)] public void A() { }', "disabled", False),
        ('[Fact(Skip = "later", SkipWhen = nameof(IsLinux))] public void A() { }', "disabled", True),
        ('[Test, Ignore("later")] public void A() { }', "disabled", False),
        ("[Test] [Explicit] public void A() { }", "disabled", False),
        ('[Test] [Platform("Win")] public void A() { }', "disabled", True),
        ('[TestCase(1, Ignore = "later")] public void A(int x) { }', "disabled", False),
        ('[TestCase(1)] [TestCase(2, Ignore = "later")] public void A(int x) { }', "disabled", True),
        ('[Test] public void A() { Assert.Ignore("later"); F(); }', "skip", False),
        ("[Test] public void A() { Assert.Inconclusive(); }", "skip", False),
        ('[Fact] public void A() { Assert.Skip("later"); }', "skip", False),
        ('[Fact] public void A() { Assert.SkipUnless(IsLinux, "later"); }', "skip", True),
        ("[SkippableFact] public void A() { Skip.If(true); }", "skip", False),
        ("[SkippableFact] public void A() { Skip.IfNot(IsLinux); }", "skip", True),
        ("[Test] public void A() { Assume.That(false); }", "skip", False),
        ("[Test] public void A() { if (x) Assert.Ignore(); }", "skip", True),
        ("[Test] public void A() { Assert.Pass(); Assert.That(x); }", "skip", False),
        ('[Fact] public void A() { throw new SkipException("later"); }', "skip", False),
        ("[Fact] public void A() { if (Slow()) { return; } Assert.Equal(3, x); }", "skip", True),
        ("[SetUp] public void S() { Assert.Ignore(); } [Test] public void A() { }", "skip", False),
        ('[Fact] public void A() { Guard(); } void Guard() { Assert.Skip("x"); }', "skip", False),
        ("\n#if false\n[Fact] public void A() { }\n#endif\n", "excluded", False),
        ("\n#if NEVER\n[Fact] public void A() { }\n#endif\n", "excluded", False),
        ("\n#if DEBUG\n#else\n[Fact] public void A() { }\n#endif\n", "excluded", True),
        ("\n#if true\n#else\n[Fact] public void A() { }\n#endif\n", "excluded", False),
        ("\n#if MY_PROJECT_2\n[Fact] public void A() { }\n#endif\n", "excluded", True),
        ("\n#if SKIP_FOR_NOW\n[Fact] public void A() { }\n#endif\n", "excluded", False),
        ("\n#if NET6_0_OR_GREATER\n[Fact] public void A() { }\n#endif\n", "excluded", True),
        ('\n#if NET472\n[Fact(Skip = "x")]\n#else\n[Fact]\n#endif\npublic void A() { }\n', "disabled", True),
    ],
)
def test_what_skips_a_test(members: str, kind: str, conditional: bool) -> None:
    (skip,) = only(members).skips
    assert (skip.kind, skip.conditional) == (kind, conditional)


@pytest.mark.parametrize(
    "members",
    [
        '[Fact] public void A() { Assert.Equal("Skip", ignore); /* [Ignore] */ } // Skip = "x"',
        '[Fact(DisplayName = "Skip = 1")] public void A() { }',
        "[Fact(Skip = null)] public void A() { }",
        "[Fact] public void A() { Skip.If(false); }",
        "[Fact] public void A() { if (false) { Assert.Ignore(); } }",
        "[Test] public void A() { F(); Assert.Pass(); }",
        "[Fact] public void A() { xs.Skip(1); Ignore(); }",
        "\n#if true\n[Fact] public void A() { }\n#endif\n",
        "\n#if !NEVER\n[Fact] public void A() { }\n#endif\n",
        "\n#region Skip\n[Fact] public void A() { }\n#endregion\n",
        '[Fact] [Trait("Category", "Ignore")] public void A() { }',
    ],
)
def test_what_skips_nothing(members: str) -> None:
    assert only(members).skips == ()


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
    code = read_csharp(
        'class OffFactAttribute : FactAttribute { public OffFactAttribute() { Skip = "later"; } }\n'
        "public class FooTests { [OffFact] public void A() { } }"
    )
    assert [len(test.skips) for test in code.tests] == [1]


@pytest.mark.parametrize(
    ("members", "collected"),
    [
        ("[Fact] public void A() { }", True),
        ("[Theory] [InlineData(1)] public void A(int x) { }", True),
        ("[Test] public void A() { }", True),
        ("[TestCase(1)] public void A(int x) { }", True),
        ("[Xunit.Fact] public void A() { }", True),
        ("[StaFact] public void A() { }", True),
        ("public void A() { Assert.Equal(3, x); }", False),
        ("public async Task A() { Assert.Equal(3, await x); }", False),
        ("// [Fact]\npublic void A() { Assert.Equal(3, x); }", False),
        ("public void TestA() { F(); }", False),
        ("[InlineData(1)] public void A(int x) { Assert.Equal(3, x); }", False),
        ('[Trait("a", "b")] public void A() { Assert.Equal(3, x); }', False),
        ("[Test] private void A() { Assert.That(x); }", False),
        ("\n#if NEVER\n[Fact]\n#endif\npublic void A() { Assert.Equal(3, x); }", False),
    ],
)
def test_whether_a_runner_collects_it(members: str, collected: bool) -> None:
    assert only(members).collected is collected


@pytest.mark.parametrize(
    "members",
    [
        "[SetUp] public void S() { Assert.NotNull(x); }",
        "public void Check(int x) { Assert.Equal(3, x); }",
        "private void Check() { Assert.Equal(3, x); }",
        "public override void Run() { Assert.Equal(3, x); }",
        "public void Dispose() { Assert.Equal(3, x); }",
        "public int Value() { Assert.Equal(3, x); return x; }",
        "public int Value { get { Assert.Equal(3, x); return x; } }",
    ],
)
def test_what_is_no_test(members: str) -> None:
    assert read_csharp(f"using Xunit;\npublic class FooTests {{ {members} }}").tests == ()


@pytest.mark.parametrize(
    ("members", "cases"),
    [
        ("[Fact] public void A() { }", 1),
        ("[Theory, InlineData(1, 2), InlineData(3, 4)] public void A(int x, int y) { }", 2),
        ("[Theory]\n[InlineData(1)]\n[InlineData(2)]\n[InlineData(3)]\npublic void A(int x) { }", 3),
        ("[TestCase(1)] [TestCase(2)] public void A(int x) { }", 2),
        ("[Theory] [MemberData(nameof(Rows))] public void A(int x) { }", None),
        ('[TestCaseSource("Rows")] public void A(int x) { }', None),
        ("[Test] public void A([Values(1, 2)] int x, [Values(1, 2, 3)] int y) { }", 6),
        ("[Test] public void A([Range(1, 9)] int x) { }", None),
    ],
)
def test_how_often_parameters_make_it_run(members: str, cases: int | None) -> None:
    assert only(members).cases == cases


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


def test_assertions_moved_into_a_method_of_the_file_still_count() -> None:
    test = only("[Fact] public void A() { Check(1); }\nprivate void Check(int x) { Assert.Equal(3, x); }")
    assert [one.text for one in test.assertions] == ["Assert.Equal(3, x)"]


def test_calls_of_a_conditional_method_are_not_built() -> None:
    test = only('[Fact] public void A() { Check(); }\n[Conditional("NEVER")] void Check() { Assert.Equal(3, x); }')
    assert test.assertions == ()


def test_of_two_twins_the_one_that_is_built_counts() -> None:
    test = only(
        "#if NEVER\n[Fact] public void A() { }\n#else\n[Fact] public void A() { Assert.Equal(3, x); }\n#endif"
    )
    assert (len(test.assertions), test.skips) == (1, ())


def test_branches_that_only_make_sense_alone() -> None:
    code = read_csharp(
        "public class FooTests {\n#if NET6_0\n[Fact] public void A(int x) {\n"
        "#else\n[Fact] public void A() {\n#endif\nAssert.Equal(3, x); } }"
    )
    assert (code.problems, [test.identity for test in code.tests]) == ((), ["FooTests > A"])


def test_classes_in_namespaces_and_in_classes() -> None:
    code = read_csharp(
        "namespace N.M { public class Outer { public class Inner { [Fact] public void A() { } } } }"
    )
    assert [test.identity for test in code.tests] == ["Outer > Inner > A"]


def test_an_expression_as_a_body() -> None:
    assert [one.text for one in only("[Fact] public void A() => Assert.Equal(3, x);").assertions] == [
        "Assert.Equal(3, x)"
    ]


def test_lines_and_the_languages_name() -> None:
    code = read_csharp("class FooTests {\n  [Fact]\n  public void A() {\n    Assert.Equal(3, x);\n  }\n}\n")
    assert code.language == "csharp"
    assert [(test.line, test.end_line, test.assertions[0].line) for test in code.tests] == [(2, 5, 4)]


def test_what_is_no_csharp_is_a_problem() -> None:
    assert read_csharp("class FooTests { [Fact] public void A( { Assert.Equal(3; ]] ) class }").problems


_PIECES = st.sampled_from(
    [
        "class A {", "[Fact] ", "public void A() {", "}", "(", ")", "Assert.Equal(3, x);", "x.Should()",
        ".Be(", "try {", "if (", "#if ", "\n#if X\n", "\n#else\n", "\n#endif\n", "catch {", "return;",
        "[Fact(Skip = ", '"', "'", '@"', '"""', "/*", "//", "\n", "=>", "<", ">", "#", "\x00", "\ud800", "é",
        "\\",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
def test_no_text_raises(text: str) -> None:
    assert read_csharp(text).language == "csharp"


@pytest.mark.parametrize(
    "piece", ["{", "(", "Assert.Multiple(() => ", "A(", "!", "if (true) {", "class A {", "\n#if A\n", "[Fact("]
)
def test_nesting_without_end_raises_nothing(piece: str) -> None:
    assert read_csharp("class A { [Fact] public void A() { " + piece * 3_000).language == "csharp"


def test_overloads_are_told_apart() -> None:
    code = read_csharp(
        "public class FooTests { [Fact] public void A() { }\n[TestCase(1)] public void A(int x) { } }"
    )
    assert [test.identity for test in code.tests] == ["FooTests > A", "FooTests > A(int x)"]


@pytest.mark.parametrize(
    ("attributes", "texts"),
    [
        ("[Theory] [InlineData(1, 3)] [InlineData(2, 4)]", ["Assert.Equal(3, F(1))", "Assert.Equal(4, F(2))"]),
        ('[TestCase(1, 3, TestName = "one")]', ["Assert.Equal(3, F(1))"]),
        ("[Theory] [MemberData(nameof(Rows))]", ["Assert.Equal(y, F(x))"]),
    ],
)
def test_rows_of_literals_are_written_out(attributes: str, texts: list[str]) -> None:
    test = only(f"{attributes} public void A(int x, [Foo(1)] int y = 0) {{ Assert.Equal(y, F(x)); }}")
    assert [one.text for one in test.assertions] == texts
