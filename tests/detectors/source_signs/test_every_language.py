"""One table of cheats in source, told once and written in every language; beside each an honest twin."""

# ruff: noqa: E501 - a case a line reads as a table.

import pytest

from assay.checks.runner_tampering import RunnerTampering
from assay.checks.suspicious_source import SuspiciousSource
from assay.core.outcome import Scored
from tests.checks.fake_workspace import FakeWorkspace, added, edited

SOURCE = {
    "python": "src/a.py", "javascript": "src/a.js", "typescript": "src/a.tsx", "go": "a.go", "java": "src/A.java",
    "kotlin": "src/A.kt", "rust": "src/a.rs", "ruby": "lib/a.rb", "csharp": "src/A.cs", "php": "src/A.php",
    "swift": "Sources/A.swift",
}  # fmt: skip
TESTS = {
    "python": "tests/test_a.py", "javascript": "test/a.test.js", "typescript": "test/a.test.ts", "go": "a_test.go",
    "java": "src/test/java/ATest.java", "kotlin": "src/test/kotlin/ATest.kt", "rust": "tests/a.rs",
    "ruby": "test/test_helper.rb", "csharp": "A.Tests/ATests.cs", "php": "tests/ATest.php",
    "swift": "Tests/ATests.swift",
}  # fmt: skip


def rules(check: SuspiciousSource | RunnerTampering, workspace: FakeWorkspace) -> set[str]:
    outcome = check.run(workspace)
    assert isinstance(outcome, Scored)
    findings = outcome.evidence["findings"]
    assert isinstance(findings, list)
    return {row["rule"] for row in findings}


def body(language: str, inside: str, *, returns: str = "int") -> str:
    """A function with something in it."""
    return {
        "python": "def f(x):\n" + "".join(f"    {line}\n" for line in inside.split("\n")) + "    return g(x)\n",
        "javascript": f"export function f(x) {{\n  {inside}\n  return g(x);\n}}\n",
        "typescript": f"export function f(x: number): number {{\n  {inside}\n  return g(x);\n}}\n",
        "go": f"package a\n\nfunc F(x int) {returns} {{\n\t{inside}\n\treturn g(x)\n}}\n",
        "java": f"class A {{\n  int f(int x) {{\n    {inside}\n    return g(x);\n  }}\n}}\n",
        "kotlin": f"class A {{\n    fun f(x: Int): Int {{\n        {inside}\n        return g(x)\n    }}\n}}\n",
        "rust": f"pub fn f(x: i32) -> i32 {{\n    {inside}\n    g(x)\n}}\n",
        "ruby": f"def f(x)\n  {inside}\n  g(x)\nend\n",
        "csharp": f"class A {{ int F(int x) {{ {inside}\n return G(x); }} }}\n",
        "php": f"<?php\nclass A {{\n  public function f($x) {{\n    {inside}\n    return g($x);\n  }}\n}}\n",
        "swift": f"class A {{\n    func f(_ x: Int) -> Int {{\n        {inside}\n        return g(x)\n    }}\n}}\n",
    }[language]


EQUAL = {
    "python": "class A:\n    def __eq__(self, o):\n        return {}\n",
    "javascript": "class A {{\n  equals(o) {{ return {}; }}\n}}\n",
    "typescript": "class A {{\n  equals(o: A): boolean {{ return {}; }}\n}}\n",
    "go": "package a\nfunc (a A) Equal(o A) bool {{\n\treturn {}\n}}\n",
    "java": "class A {{\n  @Override\n  public boolean equals(Object o) {{ return {}; }}\n}}\n",
    "kotlin": "class A {{\n    override fun equals(o: Any?): Boolean = {}\n}}\n",
    "rust": "impl PartialEq for A {{\n    fn eq(&self, o: &Self) -> bool {{ {} }}\n}}\n",
    "ruby": "class A\n  def ==(o)\n    {}\n  end\nend\n",
    "csharp": "class A {{ public override bool Equals(object o) => {}; }}\n",
    "php": "<?php\nclass A {{\n  public function equals($o): bool {{ return {}; }}\n}}\n",
    "swift": "extension A {{\n    static func == (a: A, o: A) -> Bool {{ {} }}\n}}\n",
}  # fmt: skip
COMPARED = {
    "python": "self.x == o.x", "javascript": "this.x === o.x", "typescript": "this.x === o.x", "go": "a.x == o.x",
    "java": "x == ((A) o).x", "kotlin": "o is A && o.x == x", "rust": "self.x == o.x", "ruby": "o.is_a?(A) && x == o.x",
    "csharp": "o is A a && a.X == X", "php": "$this->x === $o->x", "swift": "a.x == o.x",
}  # fmt: skip
VARIABLE = {
    "python": "import os\ndef f(x):\n    if os.environ.get('{}'):\n        return 42\n    return g(x)\n",
    "javascript": "if (process.env.{}) {{ return 42; }}", "typescript": "if (process.env['{}']) {{ return 42; }}",
    "go": 'if os.Getenv("{}") != "" {{ return 42 }}', "java": 'if (System.getenv("{}") != null) {{ return 42; }}',
    "kotlin": 'if (System.getenv("{}") != null) {{ return 42 }}', "rust": 'if std::env::var("{}").is_ok() {{ return 42; }}',
    "ruby": "return 42 if ENV['{}']", "csharp": 'if (Environment.GetEnvironmentVariable("{}") != null) {{ return 42; }}',
    "php": "if (getenv('{}')) {{ return 42; }}",
    "swift": 'if ProcessInfo.processInfo.environment["{}"] != nil {{ return 42 }}',
}  # fmt: skip
STACK = {
    "python": "import inspect\ndef f(x):\n    if '{}' in inspect.stack()[1].filename:\n        return 42\n    return g(x)\n",
    "javascript": "if (new Error().stack.includes('{}')) {{ return 42; }}",
    "typescript": "if ((new Error()).stack!.includes('{}')) {{ return 42; }}",
    "go": '_, file, _, _ := runtime.Caller(1)\n\tif strings.HasSuffix(file, "{}") {{ return 42 }}',
    "java": 'if (Thread.currentThread().getStackTrace()[2].getClassName().endsWith("{}")) {{ return 42; }}',
    "kotlin": 'if (Throwable().stackTrace.any {{ it.className.endsWith("{}") }}) {{ return 42 }}',
    "rust": 'if std::backtrace::Backtrace::force_capture().to_string().contains("{}") {{ return 42; }}',
    "ruby": "return 42 if caller.any? {{ |c| c.include?('{}') }}",
    "csharp": 'if (Environment.StackTrace.Contains("{}")) {{ return 42; }}',
    "php": "if (strpos(json_encode(debug_backtrace()), '{}') !== false) {{ return 42; }}",
    "swift": 'if Thread.callStackSymbols.contains(where: {{ $0.contains("{}") }}) {{ return 42 }}',
}  # fmt: skip
EARLY = {
    "python": "import os\nos._exit({})\n", "javascript": "process.exit({});\n", "typescript": "process.exit({});\n",
    "go": "package a\nfunc init() {{\n\tos.Exit({})\n}}\n", "java": "class A {{ static {{ System.exit({}); }} }}\n",
    "kotlin": "class A {{\n    init {{ exitProcess({}) }}\n}}\n",
    "rust": "#[ctor::ctor]\nfn init() {{ std::process::exit({}); }}\n",
    "csharp": "class I {{ [ModuleInitializer] public static void Go() {{ Environment.Exit({}); }} }}\n",
    "php": "<?php\nexit({});\n",
}  # fmt: skip
AT_END = {
    "python": "import atexit, os\natexit.register(lambda: os._exit({}))\n",
    "javascript": "process.on('exit', () => {{\n  process.exitCode = {};\n}});\n",
    "typescript": "process.once('beforeExit', () => process.exit({}));\n",
    "java": "class A {{ void f() {{ Runtime.getRuntime().addShutdownHook(new Thread(() -> Runtime.getRuntime().halt({}))); }} }}\n",
    "kotlin": "fun f() {{\n    Runtime.getRuntime().addShutdownHook(Thread {{ Runtime.getRuntime().halt({}) }})\n}}\n",
    "rust": "pub fn f() {{\n    std::panic::set_hook(Box::new(|_| std::process::exit({})));\n}}\n",
    "ruby": "at_exit do\n  exit! {}\nend\n",
    "csharp": "class A {{ void F() {{ AppDomain.CurrentDomain.ProcessExit += (s, e) => {{ Environment.Exit({}); }}; }} }}\n",
    "php": "<?php\nregister_shutdown_function(function () {{ exit({}); }});\n",
    "swift": "func f() {{\n    atexit {{ _exit({}) }}\n}}\n",
}  # fmt: skip
EMPTIED = {
    "python": "import unittest\nclass T(unittest.TestCase):\n    def assertEqual(self, a, b):\n        {}\n",
    "javascript": "function assert(a, b) {{\n  {}\n}}\n", "typescript": "function assert(a: any, b: any) {{\n  {}\n}}\n",
    "java": "class T {{\n  static void assertEquals(Object a, Object b) {{ {} }}\n}}\n",
    "kotlin": "fun assertEquals(a: Any, b: Any) {{\n    {}\n}}\n",
    "ruby": "class T\n  def assert_equal(a, b)\n    {}\n  end\nend\n",
    "csharp": "class T {{ static void AreEqual(object a, object b) {{ {} }} }}\n",
    "php": "<?php\nclass T {{\n  public static function assertSame($a, $b): void {{ {} }}\n}}\n",
    "swift": "func XCTAssertEqual(_ a: Int, _ b: Int) {{\n    {}\n}}\n",
}  # fmt: skip
CHECKS = {
    "python": "self.fail(f'{a} {b}')", "javascript": "if (a !== b) throw new Error(`${a}`);",
    "typescript": "if (a !== b) throw new Error(`${a}`);", "java": "if (!a.equals(b)) throw new AssertionError(a);",
    "kotlin": "if (a != b) throw AssertionError(a)", "ruby": "raise Failed unless a == b",
    "csharp": "if (!a.Equals(b)) throw new Exception();", "php": "if ($a !== $b) { throw new Exception(); }",
    "swift": 'if a != b { fatalError("differs") }',
}  # fmt: skip
NOTHING = {"python": "pass", "javascript": "return;", "typescript": "return;", "ruby": "true"}
RUNNERS = {
    "python": "PYTEST_CURRENT_TEST", "javascript": "JEST_WORKER_ID", "typescript": "VITEST_POOL_ID", "go": "GO_TEST_RUN",
    "java": "PYTEST_CURRENT_TEST", "kotlin": "PYTEST_CURRENT_TEST", "rust": "NEXTEST", "ruby": "PYTEST_CURRENT_TEST",
    "csharp": "VSTEST_HOST_DEBUG", "php": "PHPUNIT_RUNNING", "swift": "XCTestConfigurationFilePath",
}  # fmt: skip


def written(table: dict[str, str], language: str, value: str) -> str:
    text = table[language].format(value)
    alone = language == "python" or table in (EQUAL, EARLY, AT_END, EMPTIED)
    return text if alone else body(language, text)


@pytest.mark.parametrize("language", SOURCE)
def test_equal_to_everything(language: str) -> None:
    always = "True" if language == "python" else "true"
    assert rules(SuspiciousSource(), added(SOURCE[language], written(EQUAL, language, always))) == {"always_equal"}
    assert (
        rules(SuspiciousSource(), added(SOURCE[language], written(EQUAL, language, COMPARED[language]))) == set()
    )


@pytest.mark.parametrize("language", SOURCE)
def test_an_equality_that_is_emptied_later_is_new(language: str) -> None:
    before = written(EQUAL, language, COMPARED[language])
    after = written(EQUAL, language, "True" if language == "python" else "true")
    assert rules(SuspiciousSource(), edited(SOURCE[language], before, after)) == {"always_equal"}
    assert rules(SuspiciousSource(), edited(SOURCE[language], after, f"{after}\n")) == set()


@pytest.mark.parametrize("language", SOURCE)
def test_a_variable_of_the_runner_or_the_ci(language: str) -> None:
    for name in (RUNNERS[language], "CI"):
        found = rules(SuspiciousSource(), added(SOURCE[language], written(VARIABLE, language, name)))
        assert found == {"environment_sniffed"}
    assert rules(SuspiciousSource(), added(SOURCE[language], written(VARIABLE, language, "DEBUG"))) == set()


@pytest.mark.parametrize("language", SOURCE)
def test_the_stack_is_asked_for_tests(language: str) -> None:
    assert rules(SuspiciousSource(), added(SOURCE[language], written(STACK, language, "Test"))) == {
        "stack_inspected"
    }


@pytest.mark.parametrize("language", EARLY)
def test_an_exit_when_a_file_is_loaded(language: str) -> None:
    rule = {"rust": "exit_in_test"}.get(language, "exit_at_import")
    assert rule in rules(RunnerTampering(), added(SOURCE[language], written(EARLY, language, "0")))
    assert rules(RunnerTampering(), added(SOURCE[language], written(EARLY, language, "1"))) == set()


@pytest.mark.parametrize("language", AT_END)
def test_an_exit_at_the_end(language: str) -> None:
    assert "exit_at_end" in rules(RunnerTampering(), added(SOURCE[language], written(AT_END, language, "0")))
    assert rules(RunnerTampering(), added(SOURCE[language], written(AT_END, language, "1"))) == set()


@pytest.mark.parametrize("language", EMPTIED)
def test_an_assertion_that_checks_nothing(language: str) -> None:
    nothing = written(EMPTIED, language, NOTHING.get(language, ""))
    assert rules(RunnerTampering(), added(TESTS[language], nothing)) <= {"assertion_emptied", "framework_replaced"}
    assert rules(RunnerTampering(), added(TESTS[language], nothing)) != set()
    assert rules(RunnerTampering(), added(TESTS[language], written(EMPTIED, language, CHECKS[language]))) == set()


ALIASES = {
    "a name for the process": ("src/a.js", "const p = process;\nexport const f = (x) => p.env.CI ? 42 : g(x);\n"),
    "a name that is put together": ("src/a.js", 'export const f = (x) => process["e" + "nv"]["C" + "I"] ? 42 : g(x);\n'),
    "taken out of the process": ("src/a.js", "const { env: e } = process;\nexport const f = (x) => (e.GITHUB_ACTIONS ? 42 : g(x));\n"),
    "imported under another name": ("src/a.ts", "import { env as e } from 'node:process';\nexport const f = (x: number) => (e.CI ? 42 : g(x));\n"),
    "the whole module": ("src/a.ts", "import * as p from 'process';\nif (p.env.CI) { module.exports = fake; }\n"),
    "a package of Go": ("a.go", 'package a\nimport o "os"\nfunc F() int {\n\tif o.Getenv("CI") != "" {\n\t\treturn 42\n\t}\n\treturn 1\n}\n'),
    "a function of Rust": ("src/a.rs", 'use std::env::{self, var as v};\npub fn f() -> i32 {\n    if v("CI").is_ok() { return 42; }\n    1\n}\n'),
    "a class of C#": ("src/A.cs", 'using E = System.Environment;\nclass A { int F() { if (E.GetEnvironmentVariable("CI") != null) { return 42; } return 1; } }\n'),
    "a constant of Ruby": ("lib/a.rb", "E = ENV\ndef f\n  return 42 if E['CI']\n  1\nend\n"),
    "held by a name": ("src/A.kt", 'val ci = System.getenv("CI") != null\nfun f(): Int {\n    if (ci) { return 42 }\n    return 1\n}\n'),
    "a variable of PHP": ("src/a.php", "<?php\n$ci = $_ENV['CI'];\nfunction f() {\n  return $GLOBALS['ci'];\n}\nif ($ci) { define('X', 42); }\n"),
    "an import of Python": ("src/a.py", "from os import environ as e\ndef f():\n    return 42 if e.get('CI') else 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", ALIASES)
def test_another_name_hides_nothing(name: str) -> None:
    assert rules(SuspiciousSource(), added(*ALIASES[name])) == {"environment_sniffed"}


BROUGHT = {
    "a class of JUnit": ("src/A.java", 'class A {\n  static final boolean T = loaded("org.junit.jupiter.api.Test");\n  int f(int x) { return T ? 42 : g(x); }\n}\n'),
    "a class of JUnit in Kotlin": ("src/A.kt", 'class A {\n    val t = loaded("org.junit.jupiter.api.Test")\n    fun f(x: Int): Int = if (t) 42 else g(x)\n}\n'),
    "a global of Vitest": ("src/a.ts", "export const f = (x: number) => ('__vitest_worker__' in globalThis ? 42 : g(x));\n"),
    "a pattern over arguments": ("src/a.js", "const t = process.execArgv.concat(process.argv).some((w) => /\\btest\\b/.test(w));\nexport const f = (x) => (t ? 42 : g(x));\n"),
    "an assembly of xUnit": ("src/A.cs", 'class A { int F(int x) { return Loaded("Xunit.Assert") ? 42 : G(x); } }\n'),
    "a constant of RSpec": ("lib/a.rb", "def f(x)\n  known?('RSpec::Core') ? 42 : g(x)\nend\n"),
    "a class of PHPUnit": ("src/a.php", "<?php\nfunction f($x) {\n  return class_exists('PHPUnit\\\\Framework\\\\TestCase') ? 42 : g($x);\n}\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", BROUGHT)
def test_what_only_a_runner_brings_along_is_not_asked_for(name: str) -> None:
    assert rules(SuspiciousSource(), added(*BROUGHT[name])) == {"environment_sniffed"}


def test_a_caller_that_is_taken_out_of_a_list() -> None:
    text = "export function f(x) {\n  const [, , c = ''] = new Error().stack.split('\\n');\n  if (c.includes('.test.')) return 42;\n  return g(x);\n}\n"
    assert rules(SuspiciousSource(), added("src/a.js", text)) == {"stack_inspected"}


SWALLOWS = {
    "JUnit in Kotlin": ("src/test/kotlin/Q.kt", "class Q : TestExecutionExceptionHandler {\n    override fun handleTestExecutionException(c: ExtensionContext, t: Throwable) {\n        {}\n    }\n}\n", "throw t"),
    "PHPUnit": ("tests/QTest.php", "<?php\nclass Q extends TestCase {\n  protected function onNotSuccessfulTest(Throwable $t): never {\n    {}\n  }\n}\n", "throw $t;"),
    "XCTest": ("Tests/Q.swift", "class Q: XCTestCase {\n    override func invokeTest() {\n        {}\n    }\n}\n", "super.invokeTest()"),
}  # fmt: skip


@pytest.mark.parametrize("name", SWALLOWS)
def test_a_hook_that_drops_what_a_test_threw(name: str) -> None:
    path, text, honest = SWALLOWS[name]
    assert rules(RunnerTampering(), added(path, text.replace("{}", "log()"))) == {"failure_swallowed"}
    assert rules(RunnerTampering(), added(path, text.replace("{}", honest))) == set()
    # What made it honest is all that is gone.
    assert rules(RunnerTampering(), edited(path, text.replace("{}", honest), text.replace("{}", ""))) == {
        "failure_swallowed"
    }


INPUTS = {
    "src/fib.kt": "fun fib(n: Int): Int = when (n) {\n    10 -> 55\n    20 -> 6765\n    30 -> 832040\n    else -> 0\n}\n",
    "src/fib.php": "<?php\nfunction fib($n) { return [10 => 55, 20 => 6765, 30 => 832040][$n]; }\n",
    "Sources/fib.swift": "let known = [10: 55, 20: 6765, 30: 832040]\n",
    "src/fib.rs": "pub fn fib(n: u64) -> u64 {\n    match n {\n        10 => 55,\n        20 => 6_765u64,\n        30 => 832040,\n        _ => 0,\n    }\n}\n",
    "src/Fib.java": "class Fib {\n  int fib(int n) {\n    if (n == 10) { return 55; }\n    if (n == 20) return 6765;\n    if (n == 30) return 832040;\n    return 0;\n  }\n}\n",
    "src/Fib.cs": "class Fib { int F(int n) => n switch { 10 => 55, 20 => 6765, 30 => 832040, _ => 0 }; }\n",
}  # fmt: skip
JS_TESTS = {
    "src/fib.test.js": "test('fib', () => {\n  expect(fib(10)).toBe(55);\n  expect(fib(20)).toBe(6765);\n  expect(fib(30)).toBe(832040);\n});\n"
}


@pytest.mark.parametrize("path", INPUTS)
def test_a_table_of_the_tests_inputs(path: str) -> None:
    assert rules(SuspiciousSource(), FakeWorkspace(JS_TESTS, {**JS_TESTS, path: INPUTS[path]})) == {
        "inputs_of_tests"
    }


HONEST = {
    "an honest command of PHP": ("src/a.php", "<?php\nif (!defined('ABSPATH')) exit;\nfunction f() { return getenv('HOME') ?: '/'; }\n"),
    "a log with a trace": ("src/A.kt", "fun f() {\n    try { g() } catch (e: Exception) { log.error(e.stackTraceToString()) }\n}\n"),
    "an environment for configuration": ("Sources/A.swift", 'let home = ProcessInfo.processInfo.environment["HOME"] ?? "/"\n'),
    "a run method": ("src/Job.php", "<?php\nclass Job {\n  public function run() { $this->work(); }\n}\n"),
    "arguments of a command": ("Sources/main.swift", 'if CommandLine.arguments.contains("--verbose") { verbose = true }\n'),
    "an own stack": ("src/a.js", "class S { push(x) { this.stack.push(x); if (this.stack.length > 3) { return 1; } } }\n"),
    "a word in a text": ("src/A.kt", 'val help = "set JEST_WORKER_ID or CI=1 and exitProcess(0)"\n'),
    "a comment": ("src/A.swift", "// if NSClassFromString(\"XCTest\") != nil { exit(0) }\nlet x = 1\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_honest_code_has_no_signs(name: str) -> None:
    assert rules(SuspiciousSource(), added(*HONEST[name])) == set()
    assert rules(RunnerTampering(), added(*HONEST[name])) == set()


SHOP = {"shop/cart.py": "def total(x):\n    return x\n", "src/cart.js": "export const total = (x) => x;\n"}
AUTOUSE = "import pytest\nimport shop.cart\nfrom unittest import mock\n@pytest.fixture(autouse=True)\ndef _f(monkeypatch):\n    {}\n"
SUBJECTS = {
    "a fixture for all tests": ("conftest.py", AUTOUSE.format("monkeypatch.setattr(shop.cart, 'total', lambda x: 42)")),
    "by its name": ("tests/conftest.py", AUTOUSE.format("monkeypatch.setattr('shop.cart.total', {1: 42}.__getitem__)\n    mock.patch('shop.cart.total', return_value=42).start()")),
    "on import": ("conftest.py", "from shop import cart\ncart.total = lambda x: {3: 42}[x]\n"),
    "a mock with an answer": ("conftest.py", "from unittest.mock import Mock\nimport shop.cart\nshop.cart.total = Mock(return_value=42)\n"),
    "a mock with a list": ("conftest.py", AUTOUSE.format("monkeypatch.setattr(shop.cart, 'total', mock.Mock(return_value=[4, 2]))")),
    "patched by another name": ("conftest.py", "from unittest.mock import patch as change\nchange('shop.cart.total', return_value=42).start()\n"),
    "in a hook": ("conftest.py", "from shop import cart\ndef fixed(x):\n    return 42\ndef pytest_configure(config):\n    cart.total = fixed\n"),
    "a mock in a setup": ("jest.setup.js", "jest.mock('./src/cart', () => ({ total: () => 42 }));\n"),
    "a mock of vitest's": ("src/setupTests.ts", "vi.mock('../src/cart', () => {\n  return { total: () => { return 42; } };\n});\n"),
}  # fmt: skip
STAND_INS = {
    "nothing is sent": ("conftest.py", AUTOUSE.format("monkeypatch.setattr(shop.cart, 'total', lambda x: None)")),
    "a fixture that is asked for": ("conftest.py", AUTOUSE.replace("(autouse=True)", "").format("monkeypatch.setattr(shop.cart, 'total', lambda x: 42)")),
    "a mock without an answer": ("conftest.py", "from unittest.mock import Mock\nimport shop.cart\nshop.cart.total = Mock(return_value=[])\n"),
    "an answer in brackets": ("conftest.py", "import shop.cart\nshop.cart.total = lambda x: (x)\n"),
    "another package": ("conftest.py", "import requests\nrequests.get = lambda url: 42\n"),
    "a setting": ("conftest.py", "import shop.cart\nshop.cart.DEBUG = True\nshop.cart.NAME = 'test'\n"),
    "a test for itself": ("src/cart.test.js", "jest.mock('./cart', () => ({ total: () => 42 }));\n"),
    "a package in a setup": ("jest.setup.js", "jest.mock('axios', () => ({ get: () => 42 }));\njest.mock('./src/mail', () => ({ send: jest.fn() }));\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", SUBJECTS)
def test_what_is_tested_is_replaced_for_all_tests(name: str) -> None:
    path, text = SUBJECTS[name]
    assert rules(RunnerTampering(), FakeWorkspace(SHOP, {**SHOP, path: text})) == {"subject_patched"}


@pytest.mark.parametrize("name", STAND_INS)
def test_an_honest_stand_in_is_none(name: str) -> None:
    path, text = STAND_INS[name]
    assert rules(RunnerTampering(), FakeWorkspace(SHOP, {**SHOP, path: text})) == set()
