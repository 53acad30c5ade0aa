"""What runs and what counts of the statements of a test in Go."""

NEVER_RUNS = [
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

SWALLOWED = [
    "defer func() { recover() }()\nassert.Equal(t, 1, a)",
    "defer func() { _ = recover() }()\nif a != 1 { t.Error() }",
    "t = &testing.T{}\nassert.Equal(t, 1, a)",
    "t := new(testing.T)\nif a != 1 { t.Error() }",
    "assert.Equal(&testing.T{}, 1, a)",
    "assert.New(&testing.T{}).Equal(1, a)",
]

COUNTS = [
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
