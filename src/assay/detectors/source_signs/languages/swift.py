"""Swift."""

from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("<==|isEqual|equals>",),
    inequality=("!=",),
    environment=("*.environment.*", "^getenv(*)"),
    outside=(
        "CommandLine.arguments",
        "*.arguments",
        "*.processName",
        "Bundle.allBundles",
        "Bundle.main.bundlePath",
    ),
    asks=("NSClassFromString(XCTest*)", "objc_getClass(XCTest*)"),
    stack=("Thread.callStackSymbols", "Thread.callStackReturnAddresses"),
    exits=("^<exit|_exit|Darwin.exit|Glibc.exit>(0)", "^<exit|_exit>(EXIT_SUCCESS)"),
    at_end=("^atexit",),
    shadows=("XCTestCase",),
    assertions=("XCTAssert*", "XCTFail"),
    hooks=(("<record|recordFailure>", "super"), ("<invokeTest|run|perform>", "super")),
)
