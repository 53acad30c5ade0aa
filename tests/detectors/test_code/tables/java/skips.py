"""What skips a test in Java."""

SKIPS = [
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
]

NO_SKIPS = [
    '@Test void a() { assertEquals("@Disabled", skip); /* @Ignore */ } // @Disabled',
    "@Test void a() { assumeTrue(true); }",
    "@Test void a() { if (false) { assumeTrue(false); } }",
    '@Test void a() { if (false) { throw new SkipException("x"); } }',
    "@Test(enabled = true) void a() { }",
    '@Test @DisplayName("disabled when ignored") void a() { }',
    '@Test @Tag("skip") void a() { }',
    '@Test @DisabledIf("never") void a() { } static boolean never() { return false; }',
    "@Test void a() { ignore(); skip(); disabled(); }",
]
