"""Go."""

from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("<Equal|Equals|IsEqual|Eq>",),
    environment=("os.<Getenv|LookupEnv>(*)", "syscall.Getenv(*)"),
    outside=("os.Args", "os.Executable(*)", "flag.CommandLine", "debug.ReadBuildInfo(*)"),
    asks=("testing.Testing()", "flag.Lookup(test.*)"),
    stack=("runtime.<Caller|Callers|Stack|CallersFrames|FuncForPC>(*)", "debug.Stack(*)"),
    freezes=("<monkey|gomonkey|mpatch>.<Patch|ApplyFunc|PatchMethod>(time.Now,*)",),
    exits=("os.Exit(0)", "syscall.Exit(0)"),
    early=("init",),
    exits_anywhere_in_tests=False,
)
