"""PHP."""

from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("<equals|equal|isEqual|isEqualTo|sameAs>",),
    environment=("^<getenv|env>(*)", "^<$_ENV|$_SERVER>.*", "^env(*,…)"),
    outside=(
        "^$argv",
        "^$_SERVER.<argv|SCRIPT_NAME|PHP_SELF|SCRIPT_FILENAME>",
        "get_included_files()",
    ),
    asks=(
        "defined(PHPUNIT*)",
        "defined(__PHPUNIT*)",
        "<class_exists|interface_exists>(PHPUnit*)",
        "<class_exists|interface_exists>(\\PHPUnit*)",
        "*.runningUnitTests()",
        "app().environment(testing)",
    ),
    stack=("^debug_backtrace(*)", "*.getTrace()", "*.getTraceAsString()", "^debug_backtrace"),
    freezes=("<Carbon|CarbonImmutable|Date>.setTestNow(*)",),
    exits=("^<exit|die>(0)", "^<exit|die>()", "^<exit|die>"),
    at_end=("^register_shutdown_function(*)", "^register_shutdown_function"),
    shadows=("<Assert|TestCase>",),
    assertions=("assert<Equals|Same|True|False|Null|Count|NotEquals|ArrayHasKey|Contains>",),
    hooks=(("onNotSuccessfulTest", "throw|parent"), ("<runTest|runBare|run>", "parent")),
    top_level_runs=True,
)
