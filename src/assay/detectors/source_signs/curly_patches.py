"""Code in other languages than Python that replaces a test framework's functions or ends a test run with success."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterator

from assay.detectors.source_signs.code_text import CodeText, found_in
from assay.detectors.source_signs.sign import Sign, sign

_GLOBAL = r"(?:(?:this|context|environment)\.)?(?:global|globalThis|window|self)"
_FUNCTIONS = r"(?:expect|it|test|describe|assert|beforeEach|afterEach|beforeAll|afterAll|jest|vi|chai|should)"
_JS_ASSIGNED = re.compile(
    rf"(?<![\w$.])(?:{_GLOBAL}(?:\.|\[['\"]){_FUNCTIONS}(?:['\"]\])?(?:\.\w+)?|(?:expect|assert|chai|jest|vi|QUnit|jasmine|Mocha|Assertion|it|test|describe)"
    r"(?:\.\w+){1,4}|require\(['\"](?:node:)?(?:assert|chai|expect|vitest|@jest/globals)[^'\"\n]{0,40}['\"]\)(?:\.\w+){1,4}|"
    rf"(?:expect|assert|it|test|describe))\s{{0,8}}=(?![=>])\s{{0,8}}(?=(?P<value>[^;\n]{{1,200}}))"
)
_JS_DEFINED = re.compile(
    rf"Object\.(?:defineProperty|assign)\(\s{{0,8}}(?:{_GLOBAL}\s{{0,4}},\s{{0,4}}(?:['\"]{_FUNCTIONS}['\"]|\{{\s{{0,8}}{_FUNCTIONS}\s{{0,4}}[:,(])|(?:assert|expect|chai\.\w+)\b)"
)
_FUNCTION_LIKE = re.compile(
    r"(?:async\s+)?function\b|(?:async\s*)?\([^()\n]{0,120}\)\s*+(?::\s*+(?:[\w<>\[\]| ]++|(?<= )))?=>|(?:async\s+)?[\w$]+\s*=>|new\s+Proxy\b|\{|Object\.|noop\b"
)
_BUILT_IN = (
    r"toBe|toEqual|toStrictEqual|toBeTruthy|toBeFalsy|toBeNull|toBeUndefined|toBeDefined|toContain|toContainEqual|toMatch|"
    r"toMatchObject|toThrow|toThrowError|toHaveLength|toHaveBeenCalled|toHaveBeenCalledWith|toHaveBeenCalledTimes|toBeCloseTo|"
    r"toBeGreaterThan|toBeLessThan|toBeInstanceOf|toHaveProperty|toMatchSnapshot|toMatchInlineSnapshot|toBeNaN"
)
_MATCHERS = re.compile(rf"expect\.extend\(\s{{0,8}}\{{[^}}]{{0,400}}?\b(?:{_BUILT_IN})\s{{0,4}}[:(]")
_OWN = re.compile(
    r"(?:function\s{1,4}(?:expect|assert)\s{0,4}\(|(?:const|let|var)\s{1,4}(?:expect|assert)\s{0,4}=\s{0,4}(?:function\b|(?:async\s{0,4})?\([^()\n]{0,80}\)\s{0,4}=>|\w+\s{0,4}=>))"
)
_JS_LOADER = re.compile(
    r"\bModule\._(?:load|resolveFilename|extensions)[^=\n]{0,20}=(?!=)|Module\.prototype\.require\s{0,4}=(?!=)|require\.cache\[[^\]\n]{0,120}(?:assert|jest|expect|chai|vitest|mocha)[^\]\n]{0,60}\]\s{0,4}="
)
# What comparing rests on, with an answer that depends on nothing.
_JS_BUILT_IN = re.compile(
    r"\b(?:Object\.is|Array\.isArray|[A-Z]\w{2,20}\.prototype\.\w+|Number\.is\w+)\s{0,4}=(?![=>])\s{0,8}(?:function\s{0,4}\w{0,20}\([^()\n]{0,60}\)\s{0,4}\{\s{0,8}return\s{1,4}(?:true|!0|1)\b|\([^()\n]{0,60}\)\s{0,4}=>\s{0,4}(?:true|!0)\b)"
)
_JS_ERRORS = re.compile(
    r"\b(?:test|task|spec|\w*[rR]esult)\.(?:(?:errors|failedExpectations|failures)(?:\s{0,4}=\s{0,4}\[\s{0,4}\]|\.length\s{0,4}=\s{0,4}0\b)|(?:state|status)\s{0,4}=\s{0,4}['\"]pass(?:ed)?['\"])"
)
_GO_LINKED = re.compile(
    r"^//go:linkname[ \t]{1,4}\S{1,80}[ \t]{1,4}(?:testing\.|os\.runtime_beforeExit|os\.Exit)[^\n]{0,80}",
    re.MULTILINE,
)
_JS_EXIT = re.compile(r"\bprocess\.(?:exit|reallyExit)\(\s{0,4}0?\s{0,4}\)|\bprocess\.exitCode\s{0,4}=\s{0,4}0\b")
_JS_LISTENER = re.compile(
    r"process\.(?:on|once|addListener|prependListener)\(\s{0,4}['\"](?:exit|beforeExit|uncaughtException|unhandledRejection)['\"]"
)
_JS_NO_EXIT = re.compile(r"\bprocess\.(?:exit|reallyExit|abort)\s{0,4}=(?!=)\s{0,8}(?P<value>[^;\n]{1,120})")
_RUBY_FRAMEWORK = re.compile(
    r"^[ \t]{0,40}(?:module|class)[ \t]{1,4}(?:::)?(?:RSpec::(?:Core|Expectations|Matchers|Mocks)\S{0,80}|Minitest(?:::(?:Assertions|Test|Reporter\w*))|MiniTest::\w+|Test::Unit::\w+)"
    r"(?![^\n]{0,80}(?:;[ \t]*end|<))|^[ \t]{0,40}(?:RSpec|Minitest|Test::Unit)(?:::\w+){1,4}\.(?:class_eval|prepend|send|define_method|alias_method|include|singleton_class)\b",
    re.MULTILINE,
)
_RUBY_METHODS = re.compile(
    r"\bdef[ \t]{1,4}(?:self\.)?(?:assert\w*|refute\w*|run\w*|passed\?|failures?|to|not_to|to_not|expect|flunk|"
    r"handle_failure|finish|matches\?|report\w*|exit_code|exception)\b|alias_method|define_method|prepend"
)
_RUBY_ASSERT = re.compile(
    r"^[ \t]{0,40}def[ \t]{1,4}(?:assert(?:_\w+)?|refute(?:_\w+)?|expect|flunk)\b[^\n]{0,120}", re.MULTILINE
)
_RUBY_CONFIG = re.compile(
    r"\.failure_exit_code\s{0,4}=\s{0,4}0\b|\.(?:filter_run_excluding|exclusion_filter\s{0,4}=|filter_run_including|dry_run\s{0,4}=\s{0,4}true)|"
    r"\.set_exception\(\s{0,4}nil|instance_variable_set\(\s{0,4}[:'\"]{1,2}@(?:exception|failures)|\.failures\.clear\b"
)
_RUBY_AROUND = re.compile(
    r"\baround(?:\(:?\w{0,8}\))?[ \t]{1,4}(?:do|\{)[ \t]{0,4}\|[ \t]{0,4}(\w{1,40})[^|\n]{0,20}\|"
)
_RUBY_EXIT = re.compile(
    r"(?:at_exit|after_run|after\(:suite\)|TracePoint\.new\([^()\n]{0,60}\))[ \t]{0,4}(?:\{|do)[^}]{0,400}?\b(?:exit!?|Process\.exit!?|Kernel\.exit!?)[ \t(]{0,4}(?:0|true|(?=[\s})]))"
)
_RUBY_TOP_EXIT = re.compile(
    r"^(?:exit!?|Kernel\.exit!?|Process\.exit!?)[ \t(]{0,4}(?:0|true)?\)?[ \t]{0,8}$", re.MULTILINE
)
_JAVA_EXIT = re.compile(r"\bSystem\.exit\(\s{0,4}0\s{0,4}\)|\bgetRuntime\(\)\.(?:halt|exit)\(\s{0,4}0\s{0,4}\)")
_JAVA_EARLY = re.compile(r"\bstatic\s{0,8}\{")
_JAVA_HOOK = re.compile(r"\baddShutdownHook\(")
_CSHARP_HOOK = re.compile(r"\b(?:ProcessExit|FirstChanceException|UnhandledException|DomainUnload)\s{0,4}\+=")
_CSHARP_EXIT = re.compile(r"\bEnvironment\.Exit\(\s{0,4}0?\s{0,4}\)|\bEnvironment\.ExitCode\s{0,4}=\s{0,4}0\b")
_CSHARP_EARLY = re.compile(
    r"\[(?:\w+\.)*ModuleInitializer\]|\[(?:AssemblyInitialize|OneTimeSetUp|AssemblyCleanup)\]|\bstatic\s{1,4}\w+\(\)\s{0,8}\{"
)
_SHADOW_ASSERT = {
    "java": re.compile(r"\bclass\s{1,4}(?:Assert|Assertions|Assume)\b(?!\w)"),
    "csharp": re.compile(r"(?<!partial )\bclass\s{1,4}Assert\b(?!\w)"),
    "rust": re.compile(r"\bmacro_rules!\s{0,4}(?:assert|assert_eq|assert_ne|panic|debug_assert\w*)\b"),
}  # fmt: skip
_RUST_EARLY = re.compile(r"#\[(?:ctor(?:::ctor)?|dtor|test|tokio::test)\b")
_RUST_EXIT = re.compile(r"\bprocess::exit\(\s{0,4}0\s{0,4}\)|\bexit\(\s{0,4}0\s{0,4}\)")
_JUNIT_HOOKS = (
    (
        re.compile(r"\bhandle(?:TestExecution|BeforeEach\w*|LifecycleMethod\w*)Exception\s{0,4}\("),
        re.compile(r"\bthrow\b"),
    ),
    (re.compile(r"\bintercept(?:Test\w*)Method\s{0,4}\("), re.compile(r"\bproceed\b")),
)


def framework_patches(text: str, language: str) -> Iterator[Sign]:
    """Functions of a framework that are replaced by others."""
    code = CodeText("javascript" if language == "typescript" else language, text)
    if code.language == "javascript":
        yield from _javascript_patches(code)
    elif code.language == "ruby":
        yield from _ruby_patches(code)
    elif code.language == "go":
        # What a compiler is told stands in a comment.
        yield from (_sign("framework_patched", code, found.start()) for found in found_in(_GO_LINKED, text))
    elif code.language in _SHADOW_ASSERT:
        yield from _at("framework_replaced", code, _SHADOW_ASSERT[code.language])
    if code.language == "java":
        yield from _junit_hooks(code)


def exits(text: str, language: str, *, in_tests: bool) -> Iterator[Sign]:
    """Ways to end a run with success. Outside of tests only what runs when a file is loaded."""
    code = CodeText("javascript" if language == "typescript" else language, text)
    if code.language == "javascript":
        yield from _javascript_exits(code, in_tests)
    elif code.language == "go":
        yield from _go_exits(code)
    elif code.language == "ruby":
        yield from _at("exit_at_end", code, _RUBY_EXIT)
        if in_tests:
            yield from _at("exit_at_import", code, _RUBY_TOP_EXIT)
    elif code.language == "java":
        yield from _at("exit_in_test", code, _JAVA_EXIT) if in_tests else _java_exits(code)
    elif code.language == "csharp":
        yield from _csharp_exits(code, in_tests)
    elif code.language == "rust":
        yield from _rust_exits(code, in_tests)


def _at(rule: str, code: CodeText, pattern: re.Pattern[str]) -> Iterator[Sign]:
    for found in found_in(pattern, code.code):
        yield _sign(rule, code, found.start() + len(found[0]) - len(found[0].lstrip()))


def _sign(rule: str, code: CodeText, offset: int) -> Sign:
    return sign(rule, code.line(offset), code.source_line(offset))


def _javascript_patches(code: CodeText) -> Iterator[Sign]:
    for found in found_in(_JS_ASSIGNED, code.code):
        if _is_replacement(found["value"], code):
            yield _sign("framework_patched", code, found.start())
    for pattern in (_JS_DEFINED, _MATCHERS, _JS_LOADER, _JS_BUILT_IN, _JS_ERRORS):
        yield from _at("framework_patched", code, pattern)
    for found in found_in(_OWN, code.code):
        span = code.body(found.end() - 1)
        body = code.code[span[0] : span[1]] if span else code.code[found.end() : found.end() + 200]
        if not re.search(
            r"\bthrow\b|\bfail\(|AssertionError|reject|chai|jest|\b(?>\w*?assert)\w*+\.|console\.assert|process\.exit",
            body,
        ):
            yield _sign("framework_replaced", code, found.start())


def _is_replacement(value: str, code: CodeText) -> bool:
    """A function that is written here, not one that another library brings."""
    if re.match(r"(?:jest|vi|sinon)\.|(?:await\s+)?(?:require|import)\b", value):
        return False
    if _FUNCTION_LIKE.match(value):
        return True
    name = re.fullmatch(r"\s*([A-Za-z_$][\w$]*)\s*", value)
    return bool(
        name
        and re.search(
            rf"function\s+{re.escape(name[1])}\b|\b{re.escape(name[1])}\s*=\s*(?:async\s*)?(?:function|\(|new Proxy)",
            code.bare,
        )
    )


def _javascript_exits(code: CodeText, in_tests: bool) -> Iterator[Sign]:
    for found in found_in(_JS_LISTENER, code.code):
        # Looks as far as one handler reaches.
        if _JS_EXIT.search(code.code, found.end(), found.end() + 300):
            yield _sign("exit_at_end", code, found.start())
    for found in found_in(_JS_NO_EXIT, code.code):
        if not in_tests and _FUNCTION_LIKE.match(found["value"]):
            yield _sign("framework_patched", code, found.start())
    for found in found_in(_JS_EXIT, code.code):
        zero = not re.search(r"\(\s*\)", found[0])
        if (in_tests and zero) or (zero and code.depth(found.start()) == 0):
            yield _sign("exit_in_test" if in_tests else "exit_at_import", code, found.start())


def _go_exits(code: CodeText) -> Iterator[Sign]:
    """A ``TestMain`` that drops what the tests said, and an ``init`` that ends the program."""
    for found in found_in(re.compile(r"\bfunc\s{1,4}TestMain\s{0,4}\([^()\n]{0,80}\)"), code.bare):
        span = code.body(found.end())
        if span is None:
            continue
        if _drops_result(code.code[span[0] : span[1]], re.search(r"\(\s*(\w+)", found[0])):
            yield _sign("result_changed", code, found.start())
    for found in found_in(re.compile(r"\bfunc\s{1,4}init\s{0,4}\(\)"), code.bare):
        span = code.body(found.end())
        exiting = re.compile(r"\bos\.Exit\(\s*0\s*\)").search(code.bare, *span) if span else None
        if exiting:
            yield _sign("exit_at_import", code, exiting.start())


def _drops_result(body: str, parameter: re.Match[str] | None) -> bool:
    """Whether a ``TestMain`` never runs the tests, or ends with success whatever they said."""
    ran = body.rfind(".Run(")
    if ran < 0:
        return parameter is None or re.search(rf"[(,]\s*{parameter[1]}\b", body) is None
    held = re.search(r"\b(\w+)\s*+:?=\s*+\w+\.Run\(", body)
    reset = held is not None and re.search(rf"\b{held[1]}\s*=\s*0\b", body[held.end() :]) is not None
    late = re.search(r"\bos\.Exit\(\s*0\s*\)", body[ran:])
    return reset or late is not None or re.search(r"defer\s+os\.Exit\(\s*0", body) is not None


def _ruby_patches(code: CodeText) -> Iterator[Sign]:
    for found in found_in(_RUBY_FRAMEWORK, code.code):
        # A framework's class may be opened to include helpers; not to give its methods another meaning.
        if "." in found[0] or _RUBY_METHODS.search(code.code, found.end(), found.end() + 1500):
            yield _sign("framework_patched", code, found.start())
    yield from _at("result_changed", code, _RUBY_CONFIG)
    for found in found_in(_RUBY_ASSERT, code.code):
        body = code.code[found.end() : found.end() + 200].partition("end")[0]
        if re.fullmatch(r"[\s;]*+(?:true|nil|return(?: true)?|self)?+[\s;]*+", body):
            yield _sign("assertion_emptied", code, found.start())
    for found in found_in(_RUBY_AROUND, code.code):
        if not re.search(rf"\b{found[1]}\b", code.code[found.end() : found.end() + 600]):
            yield _sign("test_not_run", code, found.start())


def _junit_hooks(code: CodeText) -> Iterator[Sign]:
    """Extensions that swallow what a test threw, or never run it."""
    for head, needed in _JUNIT_HOOKS:
        for found in found_in(head, code.bare):
            span = code.body(found.end())
            if span is not None and not needed.search(code.bare, *span):
                yield _sign("failure_swallowed", code, found.start())


def _java_exits(code: CodeText) -> Iterator[Sign]:
    """Exits in what runs when a class is loaded, and when the machine ends."""
    for found in found_in(_JAVA_EARLY, code.bare):
        span = code.body(found.end() - 1)
        if span is not None and (exiting := _JAVA_EXIT.search(code.bare, *span)):
            yield _sign("exit_at_import", code, exiting.start())
    for found in found_in(_JAVA_HOOK, code.bare):
        if _JAVA_EXIT.search(code.bare, found.end(), _call_end(code, found.end())):
            yield _sign("exit_at_end", code, found.start())


def _call_end(code: CodeText, start: int) -> int:
    """Where the arguments end that begin at an offset."""
    depth = 1
    for bracket in re.compile(r"[()]").finditer(code.bare, start, start + 2000):
        depth += 1 if bracket[0] == "(" else -1
        if depth == 0:
            return bracket.start()
    return start


def _csharp_exits(code: CodeText, in_tests: bool) -> Iterator[Sign]:
    if in_tests:
        yield from _at("exit_in_test", code, _CSHARP_EXIT)
        return
    for found in found_in(_CSHARP_EARLY, code.bare):
        span = code.body(found.end() - 1)
        if span is not None and _CSHARP_EXIT.search(code.bare, *span):
            yield _sign("exit_at_import", code, found.start())
    for found in found_in(_CSHARP_HOOK, code.bare):
        line_end = code.bare.find("\n", found.end())
        span = code.body(found.end())
        end = span[1] if span and span[0] - found.end() < 40 else line_end
        if _CSHARP_EXIT.search(code.bare, found.end(), end):
            yield _sign("exit_at_end", code, found.start())


def _rust_exits(code: CodeText, in_tests: bool) -> Iterator[Sign]:
    """Exits in tests, in what runs before and after the program, and in what is done where a test panics."""
    for found in found_in(_RUST_EARLY, code.bare):
        span = code.body(found.end())
        if span is not None and span[0] - found.end() < 400 and _RUST_EXIT.search(code.bare, *span):
            yield _sign("exit_in_test", code, found.start())
    for found in found_in(re.compile(r"\bset_hook\("), code.bare):
        if _RUST_EXIT.search(code.bare, found.end(), _call_end(code, found.end())):
            yield _sign("exit_at_end", code, found.start())
    # A library has no reason to end the program that uses it, unless it reads the command line.
    if not in_tests and not re.search(r"\b(?:args|usage|help|clap|main|Command)\b", code.bare):
        yield from _at("exit_in_library", code, _RUST_EXIT)
