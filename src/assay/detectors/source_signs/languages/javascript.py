"""JavaScript and TypeScript."""

from assay.detectors.source_signs.words import Words
from assay.detectors.test_code.word_sets import word_set

_RUNNER = "<jest|vi|describe|it|expect|jasmine|mocha|beforeEach>"
_GLOBALS = "<expect|it|test|describe|assert|beforeEach|afterEach|beforeAll|afterAll|jest|vi|chai|should>"
_GLOBAL = "<global|globalThis|window|self>"

WORDS = Words(
    equality=("<equals|equal|isEqual|deepEqual|deepEquals|eq|asymmetricMatch|Symbol.hasInstance>",),
    environment=("process.env.*", "import.meta.env.*", "Deno.env.get(*)", "Bun.env.*"),
    outside=(
        "process.<argv|argv0|title|execArgv|mainModule>", "require.<cache|main>", "module.<parent|children>",
        "Deno.<args|mainModule>", "process.env.npm_lifecycle_<event|script>",
    ),
    asks=(
        f"typeof({_RUNNER})", "process.env.<VITEST|TAP|AVA_PATH|MOCHA*|JEST*>", "import.meta.env.<VITEST|JEST*>",
        "import.meta.vitest", "Symbol.for(jest.*)",
    ),
    modes=(f"^{_GLOBAL}.<jest|describe|it|expect|jasmine>",),
    stack=("Error(*).stack", "captureStackTrace(*)", "*.stack", "<callsites|callsite>(*)", "arguments.callee"),
    clocks=(f"^<Date|Date.now|performance.now|{_GLOBAL}.<Date|performance>*>", f"^{_GLOBAL}.Date.now"),
    freezes=("useFakeTimers(*)", "<mockdate|MockDate|timekeeper>.<set|freeze|travel>(*)"),
    exits=("process.<exit|reallyExit>(0)", "process.<exit|reallyExit>()", "Deno.exit(*)"),
    exit_codes=("process.exitCode",),
    at_end=(
        "process.<on|once|addListener|prependListener>(<exit|beforeExit|uncaughtException|unhandledRejection>*)",
        "process.<on|once|addListener|prependListener>(<exit|beforeExit|uncaughtException|unhandledRejection>,…)",
    ),
    framework=(
        f"^<this.|context.|environment.|this.context.>{_GLOBAL}.{_GLOBALS}", f"^{_GLOBAL}.{_GLOBALS}",
        "^<expect|assert|chai|jest|vi|QUnit|jasmine|Mocha|Assertion|it|test|describe|vitest|@jest/globals>.*",
        "^assert/strict.*", "^<expect|assert|it|test|describe>",
    ),
    results=(
        "<test|task|spec|result|*Result>.<errors|failedExpectations|failures>",
        "<test|task|spec|result|*Result>.<errors|failedExpectations|failures>.length",
        "<test|task|spec|result|*Result>.<state|status>",
    ),
    setters=("Object.<defineProperty|assign>(*)", "Reflect.<set|defineProperty>(*)"),
    mocks=("<jest|vi>.<mock|doMock|setMock>(*)",),
    assertions=("<expect|assert>",),
    top_level_runs=True,
)  # fmt: skip

BUILT_IN_MATCHERS = word_set(
    "toBe toEqual toStrictEqual toBeTruthy toBeFalsy toBeNull toBeUndefined toBeDefined toContain toContainEqual "
    "toMatch toMatchObject toThrow toThrowError toHaveLength toHaveBeenCalled toHaveBeenCalledWith "
    "toHaveBeenCalledTimes toBeCloseTo toBeGreaterThan toBeLessThan toBeInstanceOf toHaveProperty toMatchSnapshot "
    "toMatchInlineSnapshot toBeNaN"
)
LOADERS = (
    "Module.<_load|_resolveFilename|_extensions>", "Module.prototype.require", "module.<_load|_resolveFilename>",
    "Module._extensions.*",
)  # fmt: skip
COMPARING = ("^<Object.is|Array.isArray|Number.is*>", "^*.prototype.*")
"""What comparing rests on."""
