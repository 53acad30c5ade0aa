"""What is particular to the reader of tests in Go."""

from functools import partial

import pytest

from assay.detectors.test_code.engine.reader import read
from assay.detectors.test_code.languages.go import LANGUAGE
from assay.detectors.test_code.model import Strength
from tests.detectors.test_code.languages import GO

EXACT, PRESENCE = Strength.EXACT, Strength.PRESENCE

read_go = partial(read, LANGUAGE)


def test_a_helper_that_is_called_is_no_test_but_its_assertions_count() -> None:
    code = read_go(
        "package x\nfunc testAll(t *testing.T) { if a != 1 { t.Error() } }\n"
        "func TestB(t *testing.T) { testAll(t) }"
    )
    assert [(test.identity, [found.subject for found in test.assertions]) for test in code.tests] == [
        ("TestB", ["a"])
    ]


def test_an_example_is_a_test_where_its_output_is_written_down() -> None:
    found = GO.only("func ExampleA() {\n\tfmt.Println(1)\n\t// Output:\n\t// 1\n}\n")
    assert (found.identity, found.assertions[0].strength, found.assertions[0].expected) == ("ExampleA", EXACT, "1")


def test_subtests_and_tables() -> None:
    code = GO.code(
        GO.test_of(
            'tests := []struct{ name string; n int }{\n{"a", 1},\n{"b", 2},\n}\n'
            "for _, tc := range tests {\n t.Run(tc.name, func(t *testing.T) { assert.Equal(t, tc.n, f()) })\n}\n"
            't.Run("fixed", func(t *testing.T) { t.Run("deeper", testDeeper) })'
        )
    )
    found = [(test.identity, test.cases) for test in code.tests]
    # A loop counts for the test around it too: it may make subtests of its rows or not.
    assert found == [("TestA", 2), ("TestA > tc.name", 2), ("TestA > fixed", 1), ("TestA > fixed > deeper", 1)]


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


@pytest.mark.parametrize(
    "statements", ["if got != 3 { t.Log(x) }", "_ = got", "fmt.Println(got)", "if got != 3 { return }"]
)
def test_what_asserts_nothing(statements: str) -> None:
    assert GO.asserted(statements) == ()


def test_each_part_of_a_condition_is_an_assertion() -> None:
    assert [found.subject for found in GO.asserted("if a != 1 || b != 2 { t.Error() }")] == ["a", "b"]


def test_suites_of_testify() -> None:
    test = GO.only("func (s *S) TestA() { s.Equal(3, got); s.Require().NotNil(b); s.T().Skip() }")
    assert [(found.subject, found.strength) for found in test.assertions] == [
        ("got", EXACT),
        ("b", PRESENCE),
    ]
    assert [skip.kind for skip in test.skips] == ["skip"]


def test_a_method_of_a_stand_in_makes_no_handle_of_its_receiver() -> None:
    test = "func TestA(t *testing.T) { w.Write(1) }\n"
    method = "func (w *writer) Header() int { return 1 }\n"
    texts = [f"package a\n{test}", f"package a\n{test}{method}"]
    found = [[each.text for each in GO.read(text).tests[0].assertions] for text in texts]
    assert found[0] == found[1] != []
