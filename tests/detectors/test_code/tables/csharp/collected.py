"""What is a test in C#, what it is called, how often it runs and what it asserts in all."""

COLLECTED = [
    ("[Fact] public void A() { }", True),
    ("[Theory] [InlineData(1)] public void A(int x) { }", True),
    ("[Test] public void A() { }", True),
    ("[TestCase(1)] public void A(int x) { }", True),
    ("[Xunit.Fact] public void A() { }", True),
    ("[StaFact] public void A() { }", True),
    ("public void A() { Assert.Equal(3, x); }", False),
    ("public async Task A() { Assert.Equal(3, await x); }", False),
    ("// [Fact]\npublic void A() { Assert.Equal(3, x); }", False),
    ("[InlineData(1)] public void A(int x) { Assert.Equal(3, x); }", False),
    ('[Trait("a", "b")] public void A() { Assert.Equal(3, x); }', False),
    ("[Test] private void A() { Assert.That(x); }", False),
    ("\n#if NEVER\n[Fact]\n#endif\npublic void A() { Assert.Equal(3, x); }", False),
]

NO_TESTS = [
    "[SetUp] public void S() { Assert.NotNull(x); }",
    "public void Check(int x) { Assert.Equal(3, x); }",
    "private void Check() { Assert.Equal(3, x); }",
    "public override void Run() { Assert.Equal(3, x); }",
    "public void Dispose() { Assert.Equal(3, x); }",
    "public int Value() { Assert.Equal(3, x); return x; }",
    "public int Value { get { Assert.Equal(3, x); return x; } }",
]

IDENTITIES = [
    (
        "[Fact] public void A() { }\n[TestCase(1)] public void A(int x) { }",
        ["FooTests > A", "FooTests > A(int x)"],
    ),
]

CASES = [
    ("[Fact] public void A() { }", 1),
    ("[Theory, InlineData(1, 2), InlineData(3, 4)] public void A(int x, int y) { }", 2),
    ("[Theory]\n[InlineData(1)]\n[InlineData(2)]\n[InlineData(3)]\npublic void A(int x) { }", 3),
    ("[TestCase(1)] [TestCase(2)] public void A(int x) { }", 2),
    ("[Theory] [MemberData(nameof(Rows))] public void A(int x) { }", None),
    ('[TestCaseSource("Rows")] public void A(int x) { }', None),
    ("[Test] public void A([Values(1, 2)] int x, [Values(1, 2, 3)] int y) { }", 6),
    ("[Test] public void A([Range(1, 9)] int x) { }", None),
]

WRITTEN_OUT = [
    (f"{attributes} public void A(int x, [Foo(1)] int y = 0) {{ Assert.Equal(y, F(x)); }}", texts)
    for attributes, texts in [
        ("[Theory] [InlineData(1, 3)] [InlineData(2, 4)]", ["Assert.Equal(3, F(1))", "Assert.Equal(4, F(2))"]),
        ('[TestCase(1, 3, TestName = "one")]', ["Assert.Equal(3, F(1))"]),
        ("[Theory] [MemberData(nameof(Rows))]", ["Assert.Equal(y, F(x))"]),
    ]
]

HELPERS = [
    (
        "[Fact] public void A() { Check(1); }\nprivate void Check(int x) { Assert.Equal(3, x); }",
        ["Assert.Equal(3, 1)"],
    ),
]
