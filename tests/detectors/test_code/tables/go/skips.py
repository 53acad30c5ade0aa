"""What skips a test in Go."""

from tests.detectors.test_code.languages import GO

SKIPS = [
    (GO.test_of(statements), kind, conditional)
    for statements, kind, conditional in [
        ("t.Skip()", "skip", False),
        ('t.Skipf("%d", 1)', "skip", False),
        ("t.SkipNow()", "skip", False),
        ("if true { t.Skip() }", "skip", False),
        ("const off = true\nif off { t.Skip() }", "skip", False),
        ('if testing.Short() { t.Skip("slow") }', "skip", True),
        ('if runtime.GOOS == "windows" { t.Skip() }', "skip", True),
        ("os.Exit(0)", "disabled", False),
        ("return\nif a != 1 { t.Error() }", "disabled", False),
        ("if linux { return }\nt.Skip()", "skip", True),
        ("run(func() { t.Skip() })", "skip", True),
    ]
]

NO_SKIPS = [
    GO.test_of(statements)
    for statements in [
        't.Log("t.Skip()") // t.Skip()',
        "reader.Skip()\nscanner.SkipNow(3)",
        "if false { t.Skip() }",
    ]
]

SKIPS_OF_EACH = [
    (
        'var _ = Describe("d", func() { It("a", func() {}); FIt("b", func() {}) })',
        {"d > a": ["focus"], "d > b": []},
    ),
    (
        'var _ = Describe("d", func() {\n It("a", func() { Expect(x).To(BeTrue()) })\n'
        ' XIt("b", func() {})\n PDescribe("p", func() { It("c", func() {}) })\n'
        ' It("e", Pending, func() {})\n})',
        {"d > a": [], "d > b": ["skip"], "d > p > c": ["skip"], "d > e": ["skip"]},
    ),
]
