"""C#."""

from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("<Equals|==>",),
    inequality=("!=",),
    environment=("GetEnvironmentVariable(*)",),
    outside=("<GetAssemblies|GetEntryAssembly>()", "<FriendlyName|ProcessName>", "GetCommandLineArgs()"),
    stack=(
        "Environment.StackTrace", "<StackTrace|StackFrame>(*)", "GetCallingAssembly(*)",
        "*.<StackTrace|StackFrame>(*)",
    ),
    exits=("Environment.Exit(0)", "Environment.Exit()"),
    exit_codes=("Environment.ExitCode",),
    at_end=("<ProcessExit|FirstChanceException|UnhandledException|DomainUnload>",),
    early=("<ModuleInitializer|AssemblyInitialize|OneTimeSetUp|AssemblyCleanup>",),
    shadows=("Assert",),
    assertions=("<AreEqual|AreNotEqual|IsTrue|IsFalse|AreSame>",),
)  # fmt: skip
