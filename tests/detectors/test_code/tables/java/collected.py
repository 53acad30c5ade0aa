"""What is a test in Java, what it is called, how often it runs and what it asserts in all."""

COLLECTED = [
    ("@Test void a() { }", True),
    ("@org.junit.jupiter.api.Test void a() { }", True),
    ("@RepeatedTest(3) void a() { }", True),
    ("@TestFactory Stream<DynamicTest> a() { return null; }", True),
    ("// @Test\nvoid a() { assertEquals(3, x); }", False),
    ("@ValueSource(ints = {1}) void a(int x) { assertEquals(3, x); }", False),
    ("@Test private void a() { assertEquals(3, x); }", False),
    ("@Test static void a() { assertEquals(3, x); }", False),
    ("@Test int a() { assertEquals(3, x); return 1; }", False),
    ("@Disabled void a() { assertEquals(3, x); }", False),
    ("class Inner { @Test void a() { } }", False),
    ("@Nested class Inner { @Test void a() { } }", True),
]

NO_TESTS = [
    "@BeforeEach void setUp() { assertNotNull(x); }",
    "void check(int x) { assertEquals(3, x); }",
    "@Override public void run() { assertEquals(3, x); }",
    "int value() { assertEquals(3, x); return x; }",
    "Runnable r = new Runnable() { public void run() { assertEquals(3, x); } };",
    "void f() { g(); }",
]

IDENTITIES = [
    (
        "@Test void a() { }\n@ParameterizedTest @ValueSource(ints = 1) void a(int x) { }",
        ["FooTest > a", "FooTest > a(int x)"],
    ),
]

_PROVIDERS = (
    "static Stream<Arguments> here() { return Stream.of(arguments(1, 2), arguments(3, 4)); }\n"
    '@DataProvider(name = "rows") public Object[][] r() { return new Object[][] {{1, 2}, {3, 4}, {5, 6}}; }\n'
)

CASES = [
    (f"{annotations} void a(int x) {{ f(x); }}\n{_PROVIDERS}", cases)
    for annotations, cases in [
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
    ]
]

WRITTEN_OUT = [
    (f"@ParameterizedTest {source} void a({takes}) {{ assertEquals(y, f(x)); }}", texts)
    for source, takes, texts in [
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
    ]
]

HELPERS = [
    (
        "@Test void a() { check(); }\nprivate void check() { assertEquals(3, x); assertNull(y); }",
        ["assertEquals(3, x)", "assertNull(y)"],
    ),
]
