"""What the reader makes of tests in Go."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_code.go import read_go
from assay.formats.test_code.model import Assertion, Strength, Test, TestCode

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def only(code: TestCode) -> Test:
    assert len(code.tests) == 1
    return code.tests[0]


def body(statements: str) -> TestCode:
    return read_go("package x\n\nfunc TestA(t *testing.T) {\n" + statements + "\n}\n")


def asserted(statements: str) -> tuple[Assertion, ...]:
    return only(body(statements)).assertions


COLLECTED = [
    ("func TestA(t *testing.T) {}", "TestA", True),
    ("func Test(t *testing.T) {}", "Test", True),
    ("func Test_a(t *testing.T) {}", "Test_a", True),
    ("func TestÄ(t *testing.T) {}", "TestÄ", True),
    ("func (s *ParserSuite) TestA() {}", "ParserSuite > TestA", True),
    ("func testA(t *testing.T) {}", "testA", False),
    ("func Testa(t *testing.T) {}", "Testa", False),
    ("func _TestA(t *testing.T) {}", "_TestA", False),
    ("func XTestA(t *testing.T) {}", "XTestA", False),
    ("func DisabledTestA(t *testing.T) {}", "DisabledTestA", False),
    ("func TestA() {}", "TestA", False),
    ("func TestA(t *testing.B) {}", "TestA", False),
    ("func TestA(t *testing.T, more int) {}", "TestA", False),
]


@pytest.mark.parametrize(("code", "identity", "collected"), COLLECTED)
def test_what_the_runner_collects(code: str, identity: str, collected: bool) -> None:
    found = only(read_go("package x\n" + code))
    assert (found.identity, found.collected) == (identity, collected)


NO_TESTS = [
    "func BenchmarkA(b *testing.B) {}",
    "func FuzzA(f *testing.F) {}",
    "func ExampleA() { fmt.Println(1) }",
    "func setup(t *testing.T) *DB { return nil }",
    "func helper(t *testing.T) {}",
    "// func TestA(t *testing.T) {}",
    'var s = "func TestA(t *testing.T) {}"',
]


@pytest.mark.parametrize("code", NO_TESTS)
def test_what_is_no_test(code: str) -> None:
    assert read_go("package x\n" + code).tests == ()


def test_a_helper_that_is_called_is_no_test_but_its_assertions_count() -> None:
    code = read_go(
        "package x\nfunc testAll(t *testing.T) { if a != 1 { t.Error() } }\n"
        "func TestB(t *testing.T) { testAll(t) }"
    )
    assert [(test.identity, [found.subject for found in test.assertions]) for test in code.tests] == [
        ("TestB", ["a"])
    ]


def test_an_example_is_a_test_where_its_output_is_written_down() -> None:
    found = only(read_go("package x\nfunc ExampleA() {\n\tfmt.Println(1)\n\t// Output:\n\t// 1\n}\n"))
    assert (found.identity, found.assertions[0].strength, found.assertions[0].expected) == ("ExampleA", EXACT, "1")


def test_subtests_and_tables() -> None:
    code = body(
        'tests := []struct{ name string; n int }{\n{"a", 1},\n{"b", 2},\n}\n'
        "for _, tc := range tests {\n t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.n, f()) })\n}\n"
        't.Run("fixed", func(t *testing.T) { t.Run("deeper", testDeeper) })'
    )
    found = [(test.identity, test.cases) for test in code.tests]
    # A loop counts for the test around it too: it may make subtests of its rows or not.
    assert found == [("TestA", 2), ("TestA > tc.name", 2), ("TestA > fixed", 1), ("TestA > fixed > deeper", 1)]


CASES = [
    ("for _, c := range []int{1, 2, 3} {\n if f(c) != 1 { t.Error() }\n}", 3),
    ('tests := map[string]int{"a": 1, "b": 2}\nfor n, c := range tests {\n if f(c) != 1 { t.Error(n) }\n}', 2),
    ("for _, c := range load() {\n if f(c) != 1 { t.Error() }\n}", 1),
    ("if f() != 1 { t.Error() }", 1),
]


@pytest.mark.parametrize(("statements", "cases"), CASES)
def test_a_loop_over_a_table_runs_once_for_each_row(statements: str, cases: int) -> None:
    assert only(body(statements)).cases == cases


SKIPS = [
    ("t.Skip()", ["skip"], False),
    ('t.Skipf("%d", 1)', ["skip"], False),
    ("t.SkipNow()", ["skip"], False),
    ("if true { t.Skip() }", ["skip"], False),
    ("const off = true\nif off { t.Skip() }", ["skip"], False),
    ('if testing.Short() { t.Skip("slow") }', ["skip"], True),
    ('if runtime.GOOS == "windows" { t.Skip() }', ["skip"], True),
    ("os.Exit(0)", ["disabled"], False),
    ("return\nif a != 1 { t.Error() }", ["disabled"], False),
    ('t.Log("t.Skip()") // t.Skip()', [], False),
    ("reader.Skip()\nscanner.SkipNow(3)", [], False),
    ("if false { t.Skip() }", [], False),
    ("if linux { return }\nt.Skip()", ["skip"], True),
    ("run(func() { t.Skip() })", ["skip"], True),
]


@pytest.mark.parametrize(("statements", "kinds", "conditional"), SKIPS)
def test_skips(statements: str, kinds: list[str], conditional: bool) -> None:
    found = only(body(statements)).skips
    assert [skip.kind for skip in found] == kinds
    assert [skip.conditional for skip in found] == [conditional] * len(kinds)


FILE_SKIPS = [
    ("//go:build ignore\n\npackage x\n", [("excluded", False)]),
    ("// +build never\n\npackage x\n", [("excluded", False)]),
    ("//go:build integration && linux\n\npackage x\n", [("excluded", False)]),
    ("//go:build !integration\n\npackage x\n", []),
    ("//go:build go1.18\n\npackage x\n", []),
    ("//go:build linux || darwin\n\npackage x\n", [("excluded", True)]),
    ("//go:build !windows\n\npackage x\n", [("excluded", True)]),
    ("//go:build (linux && off) || (gc && !off)\n\npackage x\n", []),
    ("// +build linux,off\n\npackage x\n", [("excluded", False)]),
    ("package x\n\n//go:build ignore\n", []),
    ("/*\n//go:build ignore\n*/\npackage x\n", []),
    ("package x\nfunc TestMain(m *testing.M) { os.Exit(0) }\n", [("disabled", False)]),
    ("package x\nfunc TestMain(m *testing.M) {}\n", [("disabled", False)]),
    ("package x\nfunc TestMain(m *testing.M) { m.Run(); os.Exit(0) }\n", [("disabled", False)]),
    ("package x\nfunc TestMain(m *testing.M) { return; m.Run() }\n", [("disabled", False)]),
    ("package x\nfunc TestMain(m *testing.M) { os.Exit(m.Run()) }\n", []),
    ("package x\nfunc TestMain(m *testing.M) { code := m.Run(); clean(); os.Exit(code) }\n", []),
    ("package x\nfunc TestMain(m *testing.M) { os.Exit(testMain(m)) }\n", []),
    ("package x\nfunc TestMain(m *testing.M) { if help { m.Run(); os.Exit(1) }; os.Exit(0) }\n", []),
    ("package x\nfunc init() { os.Exit(0) }\n", [("disabled", False)]),
    ("package x\nfunc init() { if !child { return }; os.Exit(0) }\n", [("disabled", True)]),
]


@pytest.mark.parametrize(("head", "skips"), FILE_SKIPS)
def test_what_keeps_a_whole_file_from_counting(head: str, skips: list[tuple[str, bool]]) -> None:
    code = read_go(head + "func TestA(t *testing.T) {}\n")
    assert [(skip.kind, skip.conditional) for skip in code.skips] == skips
    assert [(skip.kind, skip.conditional) for skip in code.tests[0].skips] == skips


ASSERTIONS = [
    ("if got != 3 { t.Errorf(x) }", EXACT, "got", "3"),
    ("if got := f(1, 2); got != 3 { t.Fatalf(x) }", EXACT, "got", "3"),
    ("if 3 != got { t.Fail() }", EXACT, "got", "3"),
    ("if got == 3 { ok() } else { t.Error(x) }", EXACT, "got", "3"),
    ("if len(got) != 3 { t.FailNow() }", EXACT, "len(got)", "3"),
    ("if !reflect.DeepEqual(got, want) { t.Error(x) }", EXACT, "got", "want"),
    ("if !bytes.Equal(got, want) { t.Error(x) }", EXACT, "got", "want"),
    ('if diff := cmp.Diff(want, got); diff != "" { t.Error(diff) }', EXACT, "got", "want"),
    ("if !errors.Is(err, ErrGone) { t.Error(x) }", EXACT, "err", "ErrGone"),
    ("if got < 3 { t.Error(x) }", SHAPE, "got", "3"),
    ("if !strings.Contains(got, sub) { t.Error(x) }", SHAPE, "got", "sub"),
    ("if err == nil { t.Error(x) }", SHAPE, "err", "nil"),
    ("if err != nil { t.Fatal(err) }", PRESENCE, "err", "nil"),
    ("if got == nil { t.Fatal(x) }", PRESENCE, "got", "nil"),
    ("if !ok { t.Fatal(x) }", PRESENCE, "ok", None),
    ("if false { t.Fatal(x) }", VACUOUS, "false", "false"),
    ("if got != got { t.Fatal(x) }", VACUOUS, "got != got", "false"),
    ("if len(got) < 0 { t.Fatal(x) }", VACUOUS, "len(got)", "0"),
    ("assert.Equal(t, 3, got)", EXACT, "got", "3"),
    ('assert.Equalf(t, 3, got, "why %d", 1)', EXACT, "got", "3"),
    ("require.NoError(t, err)", PRESENCE, "err", "nil"),
    ("assert.NotNil(t, got)", PRESENCE, "got", None),
    ("assert.Nil(t, err)", PRESENCE, "err", "nil"),
    ("assert.Nil(t, got)", EXACT, "got", "nil"),
    ("assert.Contains(t, got, 3)", SHAPE, "got", "3"),
    ("assert.Len(t, got, 3)", SHAPE, "got", "3"),
    ("assert.Error(t, err)", SHAPE, "err", None),
    ("assert.ErrorIs(t, err, ErrGone)", EXACT, "err", "ErrGone"),
    ("assert.True(t, got == 3)", EXACT, "got", "3"),
    ("assert.True(t, ok)", EXACT, "ok", "true"),
    ("assert.True(t, true)", VACUOUS, "true", "true"),
    ("assert.Equal(t, got, got)", VACUOUS, "got", "got"),
    ("assert.Equal(t, 1, 1)", VACUOUS, "1", "1"),
    ("assert.GreaterOrEqual(t, len(got), 0)", VACUOUS, "len(got)", "0"),
    ("is := assert.New(t)\nis.Equal(3, got)", EXACT, "got", "3"),
    ("check := require.New(t)\ncheck.Equal(3, got)", EXACT, "got", "3"),
    ("Expect(got).To(Equal(3))", EXACT, "got", "3"),
    ("g.Expect(got).To(gomega.Equal(3))", EXACT, "got", "3"),
    ("Expect(err).NotTo(HaveOccurred())", PRESENCE, "err", None),
    ("Expect(got).NotTo(BeNil())", PRESENCE, "got", "nil"),
    ("Expect(got).To(HaveLen(3))", SHAPE, "got", "3"),
    ("Expect(got)", VACUOUS, "got", None),
    ("Expect(true).To(BeTrue())", VACUOUS, "true", "true"),
    ("c.Assert(got, qt.Equals, 3)", EXACT, "got", "3"),
    ("checkTotal(t, got, 3)", SHAPE, "got", "3"),
]


@pytest.mark.parametrize(("statements", "strength", "subject", "expected"), ASSERTIONS)
def test_assertions(statements: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = asserted(statements)[-1]
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


@pytest.mark.parametrize(
    "statements", ["if got != 3 { t.Log(x) }", "_ = got", "fmt.Println(got)", "if got != 3 { return }"]
)
def test_what_asserts_nothing(statements: str) -> None:
    assert asserted(statements) == ()


def test_each_part_of_a_condition_is_an_assertion() -> None:
    assert [found.subject for found in asserted("if a != 1 || b != 2 { t.Error() }")] == ["a", "b"]


TOLERANCES = [
    ("assert.InDelta(t, 3.0, got, 0.01)", 0.01),
    ("assert.InEpsilon(t, 3.0, got, 0.5)", 0.5),
    ("if math.Abs(got-want) > 1e-9 { t.Error() }", 1e-9),
    ('Expect(got).To(BeNumerically("~", 3, 0.1))', 0.1),
]


@pytest.mark.parametrize(("statements", "tolerance"), TOLERANCES)
def test_tolerances(statements: str, tolerance: float) -> None:
    found = asserted(statements)[0]
    assert found.strength is CLOSE
    assert found.tolerance == pytest.approx(tolerance)


UNREACHABLE = [
    "return\nif a != 1 { t.Error() }",
    "if false {\n if a != 1 { t.Error() }\n}",
    "if true { return }\nassert.Equal(t, 1, a)",
    'panic("x")\nassert.Equal(t, 1, a)',
    "os.Exit(0)\nassert.Equal(t, 1, a)",
    "for false { assert.Equal(t, 1, a) }",
    "for _, c := range []int{} { assert.Equal(t, 1, c) }",
    "tests := []int{}\nfor _, c := range tests { assert.Equal(t, 1, c) }",
    "if x { return } else { return }\nassert.Equal(t, 1, a)",
]


@pytest.mark.parametrize("statements", UNREACHABLE)
def test_unreachable(statements: str) -> None:
    assert [found.reachable for found in asserted(statements)] == [False]


SWALLOWED = [
    "defer func() { recover() }()\nassert.Equal(t, 1, a)",
    "defer func() { _ = recover() }()\nif a != 1 { t.Error() }",
    "t = &testing.T{}\nassert.Equal(t, 1, a)",
    "t := new(testing.T)\nif a != 1 { t.Error() }",
    "assert.Equal(&testing.T{}, 1, a)",
    "assert.New(&testing.T{}).Equal(1, a)",
]


@pytest.mark.parametrize("statements", SWALLOWED)
def test_swallowed(statements: str) -> None:
    assert [found.swallowed for found in asserted(statements)] == [True]


KEPT = [
    "defer func() { if r := recover(); r == nil { t.Error() } }()\nassert.Equal(t, 1, a)",
    "defer clean()\nassert.Equal(t, 1, a)",
    "switch { case x: return }\nassert.Equal(t, 1, a)",
    "if x { return }\nassert.Equal(t, 1, a)",
    "for _, c := range cases { if c.off { continue }\nassert.Equal(t, 1, c) }",
    "go func() { return }()\nassert.Equal(t, 1, a)",
    'func() { defer func() { recover() }(); f(); t.Fatal("no panic") }()',
    "n := 0\nn++\nif n == 0 { return }\nassert.Equal(t, 1, a)",
    "for i := range [2]int{} { assert.Equal(t, 1, i) }",
    "seen := map[string]int{}\nseen[a]++\nfor k := range seen { assert.Equal(t, 1, k) }",
]


@pytest.mark.parametrize("statements", KEPT)
def test_what_runs_and_counts(statements: str) -> None:
    found = asserted(statements)[-1]
    assert found.reachable
    assert not found.swallowed


SAME = [
    ("assert.Equal(t, 3, got)", "assert.Equal(\n\tt,\n\t3,\n\tgot,\n)"),
    ('assert.Equal(t, "a", got)', "assert.Equal(t, `a`, got)"),
    ("assert.Equal(t, []int{1, 2}, got)", "assert.Equal(t, []int{\n1,\n2,\n}, got)"),
    ("if got != 3 { t.Error(x) }", "if (got) != (3) {\n\t// told\n\tt.Error(x)\n}"),
    ("if got != 3 { t.Error(x) }", 'if got != 3 {\n\tt.Fatalf("other words")\n}'),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_layout_changes_nothing(one: str, other: str) -> None:
    first, second = asserted(one)[0], asserted(other)[0]
    assert (first.text, first.subject, first.expected) == (second.text, second.subject, second.expected)


def test_suites_of_testify() -> None:
    code = read_go("package x\nfunc (s *S) TestA() { s.Equal(3, got); s.Require().NotNil(b); s.T().Skip() }")
    assert [(found.subject, found.strength) for found in only(code).assertions] == [
        ("got", EXACT),
        ("b", PRESENCE),
    ]
    assert [skip.kind for skip in only(code).skips] == ["skip"]


def test_ginkgo() -> None:
    code = read_go(
        'package x\nvar _ = Describe("d", func() {\n It("a", func() { Expect(x).To(BeTrue()) })\n'
        ' XIt("b", func() {})\n PDescribe("p", func() { It("c", func() {}) })\n It("e", Pending, func() {})\n})'
    )
    found = {test.identity: [skip.kind for skip in test.skips] for test in code.tests}
    assert found == {"d > a": [], "d > b": ["skip"], "d > p > c": ["skip"], "d > e": ["skip"]}


def test_focus_in_ginkgo() -> None:
    code = read_go('package x\nvar _ = Describe("d", func() { It("a", func() {}); FIt("b", func() {}) })')
    assert {test.identity: [skip.kind for skip in test.skips] for test in code.tests} == {
        "d > a": ["focus"],
        "d > b": [],
    }


def test_lines_and_problems() -> None:
    code = body("\tassert.Equal(t, 1, a)")
    assert (only(code).line, only(code).end_line, only(code).assertions[0].line) == (3, 5, 4)
    assert read_go("package x\nfunc TestA(t *testing.T) {").problems


PIECES = st.lists(
    st.sampled_from(
        ["package x\n", "func TestA(t *testing.T) {", "}", "{", "(", ")", "if a != 1 ", "t.Error()", "t.Run(",
         "for ", "range ", "`", '"', "'", "//", "/*", "\n", " ", "//go:build ", "!", "&&", "||", "return",
         "assert.Equal(", "Expect(", ").To(", ",", "a", "defer func() ", "recover()", "\x00", "\ud800", "é",
         ":=", "switch ", "case ", "// Output:", "[]int", ";"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
def test_no_text_raises(text: str) -> None:
    assert isinstance(read_go(text), TestCode)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("if a {", "}"), ("(", ")"), ("!", ""), ("f(", ")"), ("assert.Equal(t, 1, ", ")"), ("func() {", "}()")],
)
def test_deep_nesting_costs_no_more_than_its_length(opening: str, closing: str) -> None:
    def spent(depth: int) -> float:
        text = "package x\nfunc TestA(t *testing.T) {\n" + opening * depth + "x" + closing * depth + "\n}"
        begin = time.process_time()
        read_go(text)
        return time.process_time() - begin

    assert spent(3000) < 20 * spent(500) + 3
