"""What the reader of Java test code understands, as tables of cases."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.formats.test_code.java import read_java
from assay.formats.test_code.model import Assertion, Strength, Test

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength

JUNIT5 = "import org.junit.jupiter.api.*;\n"


def only(members: str, head: str = "class FooTest", before: str = JUNIT5) -> Test:
    """The one test of a class with these members."""
    code = read_java(f"{before}{head} {{\n{members}\n}}\n")
    assert code.problems == ()
    (test,) = code.tests
    return test


def body(statements: str) -> Test:
    return only(f"@Test void a() {{ {statements} }}")


def assertion(statement: str) -> Assertion:
    (found,) = body(statement).assertions
    return found


@pytest.mark.parametrize(
    ("statement", "strength", "subject", "expected"),
    [
        ("assertEquals(3, add(1, 2));", EXACT, "add(1, 2)", "3"),
        ("assertEquals(add(1, 2), 3);", EXACT, "add(1, 2)", "3"),
        ('assertEquals(3, add(1, 2), "sum");', EXACT, "add(1, 2)", "3"),
        ('assertEquals("sum", 3, add(1, 2));', EXACT, "add(1, 2)", "3"),
        ('assertEquals(expected, actual, () -> "why");', EXACT, "actual", "expected"),
        ("assertEquals(1.5, mean(xs), 0.01);", CLOSE, "mean(xs)", "1.5"),
        ("assertEquals(1.5, mean(xs), EPSILON);", CLOSE, "mean(xs)", "1.5"),
        ("assertEquals(true, ok());", SHAPE, "ok()", "true"),
        ("assertSame(a, b);", EXACT, "b", "a"),
        ("assertNotEquals(3, x);", SHAPE, "x", "not 3"),
        ("assertArrayEquals(new int[] {1, 2}, xs);", EXACT, "xs", "[1, 2]"),
        ("assertTrue(ok());", SHAPE, "ok()", "true"),
        ('assertTrue("why", x == 3);', EXACT, "x", "3"),
        ("assertTrue(a.equals(b));", EXACT, "a", "b"),
        ("assertTrue(x > 2);", SHAPE, "x", ">2"),
        ("assertTrue(x != null);", PRESENCE, "x", "not null"),
        ("assertTrue(found.isPresent());", PRESENCE, "found", "not (empty)"),
        ("assertTrue(Math.abs(a - b) < 0.5);", CLOSE, "a-b", None),
        ("assertTrue(x == 3 || x > 1);", SHAPE, "x==3||x>1", None),
        ("assertTrue(x == 3 && x > 1);", EXACT, "x==3&&x>1", None),
        ("assertFalse(x != 3);", EXACT, "x", "3"),
        ("assertFalse(xs.isEmpty());", PRESENCE, "xs", "not (empty)"),
        ("assertNull(x);", EXACT, "x", "null"),
        ("assertNotNull(x);", PRESENCE, "x", "not null"),
        ("assertInstanceOf(Foo.class, x);", SHAPE, "x", "instanceof(Foo)"),
        ("assertThrows(FooException.class, () -> f(1));", EXACT, "f(1)", "FooException"),
        ("assertThrows(FooException.class, () -> { f(1); });", EXACT, "f(1)", "FooException"),
        ("assertThrows(Exception.class, () -> f(1));", SHAPE, "f(1)", "Exception"),
        ("assertDoesNotThrow(() -> f(1));", PRESENCE, "f(1)", None),
        ("assertThat(x).isEqualTo(3);", EXACT, "x", "3"),
        ('assertThat(x).as("why").isEqualTo(3);', EXACT, "x", "3"),
        ("assertThat(x).isNotNull();", PRESENCE, "x", "not null"),
        ("assertThat(xs).contains(1);", SHAPE, "xs", "contain(1)"),
        ("assertThat(xs).containsExactly(1, 2);", EXACT, "xs", "[1, 2]"),
        ("assertThat(xs).hasSize(2);", EXACT, "xs.size()", "2"),
        ("assertThat(x).isCloseTo(1.0, within(0.1));", CLOSE, "x", "1.0"),
        ("assertThat(x == 3).isTrue();", EXACT, "x", "3"),
        ('assertThat(p).extracting("name").isEqualTo("a");', EXACT, 'p.extracting("name")', '"a"'),
        ("assertThat(x).isWithin(0.25).of(1.0);", CLOSE, "x", "1.0"),
        ('assertWithMessage("why").that(x).isEqualTo(3);', EXACT, "x", "3"),
        ("assertThatThrownBy(() -> f()).isInstanceOf(FooException.class);", EXACT, "()->f()", "FooException"),
        ("assertThatThrownBy(() -> f()).isInstanceOf(Exception.class);", SHAPE, "()->f()", "Exception"),
        ("assertThat(x, is(3));", EXACT, "x", "3"),
        ('assertThat("why", x, is(equalTo(3)));', EXACT, "x", "3"),
        ("assertThat(x, is(notNullValue()));", PRESENCE, "x", "not null"),
        ("assertThat(x, closeTo(1.0, 0.1));", CLOSE, "x", "1.0"),
        ("assertThat(x, anyOf(equalTo(3), notNullValue()));", PRESENCE, "x", "not null"),
        ("assertThat(xs, hasItem(3));", SHAPE, "xs", "contain(3)"),
        ("verify(mock).call(1);", EXACT, "mock.call", "call(1)"),
        ("verify(mock, atLeastOnce()).call(1);", SHAPE, "mock.call", "call(1)"),
        ('assert x == 3 : "why";', EXACT, "x", "3"),
        ('fail("not here");', SHAPE, "fail", None),
        ("if (x != 3) throw new AssertionError(x);", SHAPE, "fail", None),
        ("try { f(1); fail(); } catch (FooException e) { }", EXACT, "f(1)", "FooException"),
        ("try { f(1); fail(); } catch (Exception e) { }", SHAPE, "f(1)", "Exception"),
        ('assertMyDocument(x, "a");', EXACT, 'x, "a"', "assertMyDocument"),
        ('mvc.perform(get("/")).andExpect(status().isOk());', EXACT, 'mvc.perform(get("/"))', "status().isOk()"),
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
        "assertTrue(true);",
        "assertFalse(1 > 2);",
        "assertTrue(x == 3 || true);",
        "assertTrue(xs.size() >= 0);",
        "assertTrue(!false);",
        "assertTrue(x == 3 || x != 3);",
        "assertTrue(x > 0 || !(x > 0));",
        "assertEquals(1, 1);",
        "assertEquals(x, x);",
        'assertEquals("a", "a");',
        "assertTrue(x.equals(x));",
        "assertTrue(x instanceof Object);",
        'assertNotNull("a");',
        "assertThat(x);",
        'assertThat(x).as("only a description");',
        "assertThat(x).isEqualTo(x);",
        "assertThat(true).isTrue();",
        "assertThat(x, anything());",
        "verify(mock, atLeast(0)).call();",
        "assert true;",
    ],
)
def test_an_assertion_that_always_holds(statement: str) -> None:
    assert assertion(statement).strength is VACUOUS


@pytest.mark.parametrize(
    ("statement", "tolerance"),
    [
        ("assertEquals(1.0, x, 0.5);", 0.5),
        ("assertEquals(1.0, x, 1e9);", 1e9),
        ("assertEquals(1.0f, x, 0.5f);", 0.5),
        ("assertEquals(1.0, x, delta);", None),
        ("assertThat(x).isCloseTo(1.0, offset(0.25));", 0.25),
        ("assertThat(x).isCloseTo(1.0, withPercentage(50));", 0.5),
        ("assertTrue(Math.abs(x - 1) <= 0.125);", 0.125),
        ("assertThat(x, closeTo(1.0, 0.75));", 0.75),
    ],
)
def test_the_tolerance_of_a_close_assertion(statement: str, tolerance: float | None) -> None:
    assert (assertion(statement).strength, assertion(statement).tolerance) == (CLOSE, tolerance)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assertEquals(3, add(1, 2));", "assertEquals(\n    3,\n    add( 1,2 )  // the sum\n);"),
        ("assertEquals(3, x);", "Assertions.assertEquals(3, x);"),
        ("assertEquals(3, x);", "org.junit.Assert.assertEquals(3, x);"),
        ("assertEquals(3, x);", 'assertEquals(3, x, "message");'),
        ("assertTrue(x == 3);", "assertTrue((x == 3));"),
        ("assertThat(x).isEqualTo(3);", 'Assertions.assertThat(x)\n  .as("why")\n  .isEqualTo(3);'),
        ("assertEquals(1_000, x);", "assertEquals(1000, x);"),
        ("assertThat(x, is(3));", 'assertThat("reason", x, is(3));'),
    ],
)
def test_the_same_assertion_laid_out_otherwise_is_the_same(one: str, other: str) -> None:
    assert assertion(one).text == assertion(other).text
    assert assertion(one).strength is assertion(other).strength


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("assertEquals(3, x);", "assertThat(x).isEqualTo(3);"),
        ("assertEquals(3, x);", "assertThat(x, is(equalTo(3)));"),
        ("assertNotNull(x);", "assertThat(x).isNotNull();"),
        ("assertNotNull(x);", "assertThat(x, notNullValue());"),
        ("assertNotNull(x);", "assertTrue(x != null);"),
        ("assertNull(x);", "assertThat(x).isNull();"),
        ("assertTrue(xs.isEmpty());", "assertThat(xs).isEmpty();"),
        ("assertFalse(xs.isEmpty());", "assertThat(xs).isNotEmpty();"),
        ("assertTrue(found.isPresent());", "assertThat(found).isPresent();"),
        ("assertTrue(xs.contains(3));", "assertThat(xs).contains(3);"),
        ("assertFalse(xs.contains(3));", "assertThat(xs).doesNotContain(3);"),
        ('assertTrue(s.startsWith("a"));', 'assertThat(s, startsWith("a"));'),
        ("assertTrue(x > 3);", "assertThat(x).isGreaterThan(3);"),
        ("assertFalse(x > 3);", "assertThat(x, lessThanOrEqualTo(3));"),
        ("assertEquals(2, xs.size());", "assertThat(xs).hasSize(2);"),
        ("assertEquals(List.of(1, 2), xs);", "assertEquals(Arrays.asList(1, 2), xs);"),
        ("assertEquals(List.of(1, 2), xs);", "assertThat(xs).containsExactly(1, 2);"),
        ("assertTrue(x instanceof Foo);", "assertInstanceOf(Foo.class, x);"),
        ("assertTrue(ok(x));", "assertThat(ok(x)).isTrue();"),
        ("assertThrows(FooException.class, () -> f(1));", "try { f(1); fail(); } catch (FooException e) { }"),
    ],
)
def test_the_same_demand_in_the_words_of_another_library(one: str, other: str) -> None:
    first, second = assertion(one), assertion(other)
    assert (first.strength, first.subject, first.expected) == (second.strength, second.subject, second.expected)


@pytest.mark.parametrize(
    ("statements", "expected"),
    [
        ("int expected = 3; assertEquals(expected, f());", "3"),
        ('String expected = "a"; assertEquals(expected, f());', '"a"'),
        ("List<Integer> expected = List.of(1, 2); assertEquals(expected, f());", "[1, 2]"),
        ("int expected = 3; expected += 1; assertEquals(expected, f());", "expected"),
        ("int expected = g(); assertEquals(expected, f());", "expected"),
        ("assertEquals(LIMIT, f());", "9"),
    ],
)
def test_what_a_name_stands_for(statements: str, expected: str) -> None:
    test = only(f"static final int LIMIT = 9;\n@Test void a() {{ {statements} }}")
    assert [one.expected for one in test.assertions] == [expected]


def test_a_name_that_hides_a_tautology() -> None:
    assert assertion("int result = 3; assertEquals(3, result);").strength is VACUOUS


@pytest.mark.parametrize(
    ("statements", "strength"),
    [
        ("if (x != null) { assertEquals(3, x); }", CLOSE),
        ("if (x != null) assertNotNull(x.y);", PRESENCE),
        ("if (x != null) { assertEquals(3, x); } else { fail(); }", EXACT),
        ("for (int x : xs) { if (x != 0) { assertEquals(3, x); } }", EXACT),
        ("if (true) { assertEquals(3, x); }", EXACT),
        ("if (x != 3) fail();", SHAPE),
    ],
)
def test_what_is_only_asked_now_and_then_demands_less(statements: str, strength: Strength) -> None:
    assert body(statements).assertions[0].strength is strength


def test_a_condition_on_parameters_chooses_among_cases() -> None:
    source = '@ParameterizedTest @MethodSource("rows")'
    test = only(f"{source} void a(boolean ok) {{ if (ok) {{ assertEquals(3, f()); }} }}")
    assert [one.strength for one in test.assertions] == [EXACT]


def test_every_check_of_a_chain_is_an_assertion() -> None:
    chained = body("assertThat(x).isNotNull().isEqualTo(3);").assertions
    apart = body("assertThat(x).isNotNull(); assertThat(x).isEqualTo(3);").assertions
    assert [one.text for one in chained] == [one.text for one in apart]


@pytest.mark.parametrize(
    "statements",
    [
        "if (false) { assertEquals(3, x); }",
        "if (1 > 2) assertEquals(3, x);",
        "if (true) return; assertEquals(3, x);",
        "if (true) { return; } assertEquals(3, x);",
        "if (x) { return; } else { return; } assertEquals(3, x);",
        "{ if (true) { return; } } assertEquals(3, x);",
        "while (false) { assertEquals(3, x); }",
        "for (; false; ) { assertEquals(3, x); }",
        "for (int i = 0; i < 0; i++) { assertEquals(3, i); }",
        "Collections.emptyList().forEach(x -> { assertEquals(3, x); });",
        "Optional.empty().ifPresent(x -> assertEquals(3, x));",
        "for (int i : List.of()) { assertEquals(3, i); }",
        "for (int i : new int[0]) { assertEquals(3, i); }",
        "while (more()) { break; assertEquals(3, x); }",
        "System.exit(0); assertEquals(3, x);",
        "do { if (true) return; } while (false); assertEquals(3, x);",
        "boolean run = false; if (run) { assertEquals(3, x); }",
        "if (true || x) { } else { assertEquals(3, x); }",
        "Runnable never = () -> { assertEquals(3, x); };",
        "synchronized (this) { if (true) return; } assertEquals(3, x);",
        "try { if (true) return; } finally { close(); } assertEquals(3, x);",
    ],
)
def test_code_that_never_runs_asserts_nothing(statements: str) -> None:
    assert not body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    "statements",
    [
        "if (x) { return; } assertEquals(3, x);",
        "if (x) { assertEquals(3, x); }",
        "while (true) { if (x) break; } assertEquals(3, x);",
        "for (int i = 0; i < 3; i++) { if (i == 1) continue; assertEquals(3, x); }",
        "xs.forEach(x -> { if (x == 1) { return; } check(); }); assertEquals(3, x);",
        "switch (x) { case 1: return; case 2: break; } assertEquals(3, x);",
        "switch (x) { case 1 -> { return; } default -> { } } assertEquals(3, x);",
        "try { f(); return; } catch (FooException e) { } assertEquals(3, x);",
        "Runnable later = () -> { assertEquals(3, x); }; later.run();",
        "boolean run = false; run = true; if (run) { assertEquals(3, x); }",
        "Foo foo = new Foo() { public void run() { return; } }; assertEquals(3, x);",
        "assertAll(() -> assertEquals(3, x));",
    ],
)
def test_code_that_may_run_asserts(statements: str) -> None:
    assert body(statements).assertions[-1].reachable


@pytest.mark.parametrize(
    ("statements", "swallowed"),
    [
        ("try { assertEquals(3, x); } catch (AssertionError e) { }", True),
        ("try { assertEquals(3, x); } catch (Throwable t) { t.printStackTrace(); }", True),
        ('try { assertEquals(3, x); } catch (Exception | AssertionError e) { log.info("fail", e); }', True),
        ("try { assertEquals(3, f()); } catch (Exception ignored) { }", True),
        ("try { assertEquals(3, x); } catch (Error e) { assertTrue(true); }", True),
        ("try { assertEquals(3, x); } finally { return; }", True),
        ("try { if (y) { assertEquals(3, x); } } catch (Throwable t) { int unused = 1; }", True),
        ("try { assertEquals(3, x); } catch (AssertionError e) { throw e; }", False),
        ("try { assertEquals(3, x); } catch (Throwable t) { fail(t); }", False),
        ("try { assertEquals(3, x); } catch (Throwable t) { errors.add(t); } check(errors);", False),
        ("try { assertEquals(3, x); } catch (Throwable t) { return t; }", False),
        ("Throwable seen = null; try { assertEquals(3, x); } catch (Throwable t) { seen = t; }", True),
        (
            "Throwable seen = null; try { assertEquals(3, x); } catch (Throwable t) { seen = t; } check(seen);",
            False,
        ),
        ("try { assertEquals(3, x); } catch (InterruptedException e) { }", False),
        ("try { assertEquals(3, x); } finally { close(); }", False),
        ("try { f(); } catch (Throwable t) { assertEquals(3, x); }", False),
        ("SoftAssertions softly = new SoftAssertions(); softly.assertThat(x).isEqualTo(3);", True),
        (
            "SoftAssertions softly = new SoftAssertions(); softly.assertThat(x).isEqualTo(3); softly.assertAll();",
            False,
        ),
    ],
)
def test_a_failure_that_is_caught_and_dropped(statements: str, swallowed: bool) -> None:
    assert body(statements).assertions[0].swallowed is swallowed


def test_catching_fail_itself_is_dropped() -> None:
    assert body("try { f(); fail(); } catch (Throwable t) { }").assertions[0].swallowed


@pytest.mark.parametrize(
    ("members", "kind", "conditional"),
    [
        ("@Test @Disabled void a() { }", "disabled", False),
        ('@Disabled("later") @Test void a() { }', "disabled", False),
        ("@org.junit.Ignore @Test public void a() { }", "disabled", False),
        ("@Test(enabled = false) public void a() { }", "disabled", False),
        ("@Test @DisabledOnOs(OS.WINDOWS) void a() { }", "disabled", True),
        ("@Test @DisabledOnOs({OS.LINUX, OS.MAC, OS.WINDOWS}) void a() { }", "disabled", False),
        ('@Test @EnabledIfEnvironmentVariable(named = "CI", matches = "x") void a() { }', "disabled", True),
        ('@Test @DisabledIf("always") void a() { } static boolean always() { return true; }', "disabled", False),
        ('@Test @EnabledIf("never") void a() { } static boolean never() { return false; }', "disabled", False),
        ("@Test void a() { Assumptions.assumeTrue(false); f(); }", "skip", False),
        ('@Test void a() { assumeFalse(true, "why"); }', "skip", False),
        ('@Test void a() { Assume.assumeTrue("why", isLinux()); }', "skip", True),
        ("@Test void a() { assumeThat(x, is(3)); }", "skip", True),
        ("@Test void a() { Assumptions.abort(); }", "skip", False),
        ('@Test public void a() { throw new SkipException("later"); }', "skip", False),
        ("@Test void a() { throw new TestAbortedException(); }", "skip", False),
        ('@Test void a() { if (x) throw new AssumptionViolatedException("later"); }', "skip", True),
        ("@Test void a() { if (slow()) { return; } assertEquals(3, x); }", "skip", True),
        ("@BeforeEach void b() { assumeTrue(false); } @Test void a() { }", "skip", False),
        ("@Test void a() { guard(); } private void guard() { assumeTrue(1 > 2); }", "skip", False),
        ('@Test void a() { guard(); } private void guard() { throw new SkipException("x"); }', "skip", False),
    ],
)
def test_what_skips_a_test(members: str, kind: str, conditional: bool) -> None:
    (skip,) = only(members).skips
    assert (skip.kind, skip.conditional) == (kind, conditional)


@pytest.mark.parametrize(
    "members",
    [
        '@Test void a() { assertEquals("@Disabled", skip); /* @Ignore */ } // @Disabled',
        "@Test void a() { assumeTrue(true); }",
        "@Test void a() { if (false) { assumeTrue(false); } }",
        '@Test void a() { if (false) { throw new SkipException("x"); } }',
        "@Test(enabled = true) void a() { }",
        '@Test @DisplayName("disabled when ignored") void a() { }',
        '@Test @Tag("skip") void a() { }',
        '@Test @DisabledIf("never") void a() { } static boolean never() { return false; }',
        "@Test void a() { ignore(); skip(); disabled(); }",
    ],
)
def test_what_skips_nothing(members: str) -> None:
    assert only(members).skips == ()


def test_a_class_and_the_classes_around_it_skip_their_tests() -> None:
    code = read_java(
        JUNIT5 + "@Disabled class FooTest { @Test void a() { } @Nested class Inner { @Test void b() { } } }\n"
    )
    assert [(test.identity, len(test.skips)) for test in code.tests] == [
        ("FooTest > a", 1),
        ("FooTest > Inner > b", 1),
    ]


def test_an_annotation_of_the_files_own_that_stands_for_a_skip() -> None:
    code = read_java("@Disabled @interface Off { } class FooTest { @Off @Test void a() { } }")
    assert [skip.kind for skip in code.tests[0].skips] == ["disabled"]


def test_an_abstract_class_waits_for_another_to_run_it() -> None:
    (skip,) = only("@Test public void a() { }", head="abstract class FooTest").skips
    assert skip.conditional


@pytest.mark.parametrize(
    ("members", "head", "collected"),
    [
        ("@Test void a() { }", "class FooTest", True),
        ("@org.junit.Test public void a() { }", "public class FooTest", True),
        ("@org.junit.jupiter.api.Test void a() { }", "class FooTest", True),
        ("@RepeatedTest(3) void a() { }", "class FooTest", True),
        ("@TestFactory Stream<DynamicTest> a() { return null; }", "class FooTest", True),
        ("public void testA() { assertEquals(3, x); }", "class FooTest extends TestCase", True),
        ("public void checkA() { assertEquals(3, x); }", "class FooTest extends TestCase", False),
        ("public void testA() { assertEquals(3, x); }", "class FooTest extends BaseMapTest", False),
        ("public void a() { assertEquals(3, x); }", "@Test public class FooTest", True),
        ("public void a() { assertEquals(3, x); }", "public class FooTest", False),
        ("void testA() { f(); }", "class FooTest", False),
        ("// @Test\nvoid a() { assertEquals(3, x); }", "class FooTest", False),
        ("@ValueSource(ints = {1}) void a(int x) { assertEquals(3, x); }", "class FooTest", False),
        ("@Test private void a() { assertEquals(3, x); }", "class FooTest", False),
        ("@Test static void a() { assertEquals(3, x); }", "class FooTest", False),
        ("@Test int a() { assertEquals(3, x); return 1; }", "class FooTest", False),
        ("@Disabled void a() { assertEquals(3, x); }", "class FooTest", False),
        ("class Inner { @Test void a() { } }", "class FooTest", False),
        ("@Nested class Inner { @Test void a() { } }", "class FooTest", True),
    ],
)
def test_whether_a_runner_collects_it(members: str, head: str, collected: bool) -> None:
    assert only(members, head).collected is collected


@pytest.mark.parametrize(
    "members",
    [
        "@BeforeEach void setUp() { assertNotNull(x); }",
        "void check(int x) { assertEquals(3, x); }",
        "@Override public void run() { assertEquals(3, x); }",
        "int value() { assertEquals(3, x); return x; }",
        "Runnable r = new Runnable() { public void run() { assertEquals(3, x); } };",
        "void f() { g(); }",
    ],
)
def test_what_is_no_test(members: str) -> None:
    assert read_java(f"{JUNIT5}class FooTest {{ {members} }}").tests == ()


@pytest.mark.parametrize(
    ("annotations", "cases"),
    [
        ("@ParameterizedTest @ValueSource(ints = {1, 2, 3})", 3),
        ('@ParameterizedTest @ValueSource(strings = "a")', 1),
        ('@ParameterizedTest @CsvSource({"1, 2", "3, 4"})', 2),
        ("@ParameterizedTest @CsvSource(value = {\"1;2\"}, delimiter = ';')", 1),
        ('@ParameterizedTest @CsvSource(textBlock = """\n  1, 2\n  # not one\n  3, 4\n  """)', 2),
        ('@ParameterizedTest @NullAndEmptySource @ValueSource(strings = {"a"})', 3),
        ("@ParameterizedTest @EnumSource(Color.class)", None),
        ('@ParameterizedTest @EnumSource(names = {"RED", "BLUE"})', 2),
        ('@ParameterizedTest @MethodSource("elsewhere")', None),
        ('@ParameterizedTest @MethodSource("here")', 2),
        ('@Test(dataProvider = "rows")', 3),
        ("@RepeatedTest(5)", 5),
        ("@Test", 1),
    ],
)
def test_how_often_parameters_make_it_run(annotations: str, cases: int | None) -> None:
    providers = (
        "static Stream<Arguments> here() { return Stream.of(arguments(1, 2), arguments(3, 4)); }\n"
        '@DataProvider(name = "rows") public Object[][] r() { return new Object[][] {{1, 2}, {3, 4}, {5, 6}}; }\n'
    )
    assert only(f"{annotations} void a(int x) {{ f(x); }}\n{providers}").cases == cases


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


def test_assertions_moved_into_a_method_of_the_file_still_count() -> None:
    inline = body("assertEquals(3, x); assertNull(y);")
    moved = only("@Test void a() { check(); }\nprivate void check() { assertEquals(3, x); assertNull(y); }")
    assert [one.text for one in moved.assertions] == [one.text for one in inline.assertions]


def test_a_call_that_never_happens_lends_no_assertions() -> None:
    test = only("@Test void a() { if (false) { check(); } }\nprivate void check() { assertEquals(3, x); }")
    assert not test.assertions[0].reachable


def test_the_old_style_behind_a_class_of_the_projects_own() -> None:
    assert only("public void testA() { assertEquals(3, x); }", "class FooTest extends BaseMapTest", "").collected


def test_a_return_in_another_method_skips_nothing() -> None:
    listener = "new Listener() { public void on(int x) { if (x == 1) { return; } f(); } }"
    assert body(f"add({listener}); assertEquals(3, x);").skips == ()


def test_lines_and_the_languages_name() -> None:
    code = read_java("class FooTest {\n  @Test\n  void a() {\n    assertEquals(3, x);\n  }\n}\n")
    assert code.language == "java"
    assert [(test.line, test.end_line, test.assertions[0].line) for test in code.tests] == [(2, 5, 4)]


def test_what_is_no_java_is_a_problem() -> None:
    assert read_java("class FooTest { @Test void a( { assertEquals(3; ]] ) class }").problems


_PIECES = st.sampled_from(
    [
        "class A {", "@Test ", "void a() {", "}", "(", ")", "assertEquals(3, x);", "assertThat(x)",
        ".isEqualTo(", "try {", "if (", "catch (Throwable t) {", "return;", "@Disabled(", '"', "'", "/*",
        "//", "\n", "->", "<", ">", "@", "\x00", "\ud800", "é", "\\",
    ]
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.lists(_PIECES).map("".join)))
def test_no_text_raises(text: str) -> None:
    assert read_java(text).language == "java"


@pytest.mark.parametrize(
    "piece", ["{", "(", "assertAll(() -> ", "a(", "!", "if (true) {", "class A {", "assertEquals(x, "]
)
def test_nesting_without_end_raises_nothing(piece: str) -> None:
    assert read_java("class A { @Test void a() { " + piece * 3_000).language == "java"


def test_overloads_are_told_apart() -> None:
    code = read_java(
        "class FooTest { @Test void a() { }\n@ParameterizedTest @ValueSource(ints = 1) void a(int x) { } }"
    )
    assert [test.identity for test in code.tests] == ["FooTest > a", "FooTest > a(int x)"]


@pytest.mark.parametrize(
    ("source", "takes", "texts"),
    [
        ('@CsvSource({"1, 3", "2, 4"})', "int x, int y", ["assertEquals(3, f(1))", "assertEquals(4, f(2))"]),
        ('@CsvSource({"a, 3"})', "String x, final int y", ['assertEquals(3, f("a"))']),
        ("@CsvSource(value = {\"1;3\"}, delimiter = ';')", "int x, int y", ["assertEquals(3, f(1))"]),
        (
            '@CsvSource(textBlock = """\n  1, 3\n  2, 4\n""")',
            "int x, int y",
            ["assertEquals(3, f(1))", "assertEquals(4, f(2))"],
        ),
        ("@ValueSource(ints = {1, 2})", "int x", ["assertEquals(y, f(1))", "assertEquals(y, f(2))"]),
        ('@MethodSource("elsewhere")', "int x, int y", ["assertEquals(y, f(x))"]),
    ],
)
def test_rows_of_literals_are_written_out(source: str, takes: str, texts: list[str]) -> None:
    test = only(f"@ParameterizedTest {source} void a({takes}) {{ assertEquals(y, f(x)); }}")
    assert [one.text for one in test.assertions] == texts
