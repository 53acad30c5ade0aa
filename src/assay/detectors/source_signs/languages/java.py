"""Java, and what Kotlin takes from it."""

from assay.detectors.source_signs.words import Words

ENVIRONMENT = ("getenv(*)", "getenv().get(*)", "<System|Boolean|Integer>.<getProperty|getBoolean>(*)")
OUTSIDE = (
    "System.getProperty(<java.class.path|sun.java.command>)", "ManagementFactory.getRuntimeMXBean()",
    "ProcessHandle.current()", "Package.getPackages()", "Thread.getAllStackTraces()",
)  # fmt: skip
ASKS = (
    "getProperty(<surefire|org.gradle.test|idea.test>.*)", "<forName|loadClass|findClass>(org.<junit|testng>*)",
)  # fmt: skip
STACK = ("getStackTrace()", "StackWalker.*", "StackWalker(*)", "getCallerClass(*)")
EXITS = ("System.exit(0)", "getRuntime().<halt|exit>(0)")
HOOKS = (
    ("handle<TestExecution|BeforeEach*|LifecycleMethod*>Exception", "throw"),
    ("intercept<Test*>Method", "proceed"),
)
ASSERTIONS = ("assert<Equals|True|False|That|Null|NotNull|Same|NotEquals|Throws|ArrayEquals|Contains|Fails*>",)

WORDS = Words(
    equality=("equals",),
    environment=ENVIRONMENT,
    outside=OUTSIDE,
    asks=ASKS,
    stack=STACK,
    freezes=("mockStatic(<Instant|LocalDate*|Clock|System>.class*)",),
    exits=EXITS,
    at_end=("addShutdownHook(*)",),
    early_blocks=("static_initializer",),
    shadows=("<Assert|Assertions|Assume>",),
    assertions=ASSERTIONS,
    hooks=HOOKS,
)
