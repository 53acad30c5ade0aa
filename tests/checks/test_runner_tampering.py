"""Which changes lead a run of tests astray, and which only look like it."""

# ruff: noqa: E501 - a case a line reads as a table.

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.checks.runner_tampering import RunnerTampering
from assay.core.outcome import NotApplicable, Scored
from tests.checks.fake_workspace import FakeWorkspace, added, edited
from tests.sampling import examples


def rules(workspace: FakeWorkspace) -> list[str]:
    outcome = RunnerTampering().run(workspace)
    assert isinstance(outcome, Scored)
    findings = outcome.evidence["findings"]
    assert isinstance(findings, list)
    assert (outcome.score, outcome.passed) == ((0.0, False) if findings else (1.0, True))
    return sorted({row["rule"] for row in findings})


def hook(name: str, body: str, arguments: str = "item, call", decorator: str = "") -> str:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return f"import pytest, os, sys\n{decorator}\ndef {name}({arguments}):\n{lines}"


WRAPPER = "@pytest.hookimpl(hookwrapper=True)"
CONTENT: dict[str, tuple[str, str, str]] = {
    # Hooks of pytest.
    "outcome passed": ("result_changed", "conftest.py", hook("pytest_runtest_makereport", "out = yield\nrep = out.get_result()\nrep.outcome = 'passed'", decorator=WRAPPER)),
    "outcome by setattr": ("result_changed", "tests/conftest.py", hook("pytest_runtest_logreport", "setattr(report, 'outcome', 'passed')", "report")),
    "force_result": ("result_changed", "conftest.py", hook("pytest_runtest_makereport", "out = yield\nout.force_result(good)", decorator=WRAPPER)),
    "excinfo dropped": ("result_changed", "conftest.py", hook("pytest_runtest_makereport", "call.excinfo = None")),
    "private excinfo dropped": ("result_changed", "conftest.py", hook("pytest_runtest_call", "out = yield\nout._excinfo = None", "item", WRAPPER)),
    "longrepr dropped": ("result_changed", "conftest.py", hook("pytest_runtest_logreport", "report.longrepr = None", "report")),
    "exit status": ("result_changed", "conftest.py", hook("pytest_sessionfinish", "session.exitstatus = 0", "session, exitstatus")),
    "testsfailed": ("result_changed", "conftest.py", hook("pytest_sessionfinish", "session.testsfailed = 0", "session")),
    "wasxfail": ("result_changed", "conftest.py", hook("pytest_runtest_makereport", "rep = make()\nrep.wasxfail = 'x'")),
    "stats emptied": ("result_changed", "conftest.py", hook("pytest_terminal_summary", "terminalreporter.stats['failed'] = []", "terminalreporter")),
    "stats popped": ("result_changed", "conftest.py", hook("pytest_terminal_summary", "terminalreporter.stats.pop('failed', None)", "terminalreporter")),
    "exit in a hook": ("exit_in_hook", "conftest.py", hook("pytest_sessionfinish", "os._exit(0)", "session")),
    "sys.exit in a hook": ("exit_in_hook", "conftest.py", hook("pytest_unconfigure", "raise SystemExit(0)", "config")),
    "pytest.exit": ("exit_in_hook", "conftest.py", hook("pytest_sessionstart", "pytest.exit('done', returncode=0)", "session")),
    "status of a report": ("result_changed", "conftest.py", hook("pytest_report_teststatus", "return 'passed', '.', 'PASSED'", "report")),
    "function not called": ("test_not_run", "conftest.py", hook("pytest_pyfunc_call", "return True", "pyfuncitem")),
    "protocol not run": ("test_not_run", "conftest.py", hook("pytest_runtest_protocol", "print(item)\nreturn True", "item, nextitem")),
    "failure caught": ("failure_swallowed", "conftest.py", hook("pytest_pyfunc_call", "try:\n    pyfuncitem.obj()\nexcept AssertionError:\n    pass\nreturn True", "pyfuncitem")),
    "failure caught round a yield": ("failure_swallowed", "conftest.py", hook("pytest_runtest_call", "try:\n    return (yield)\nexcept BaseException:\n    return None", "item", "@pytest.hookimpl(wrapper=True)")),
    "fixture that catches": ("failure_swallowed", "conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef quiet():\n    try:\n        yield\n    except Exception:\n        pass\n"),
    "by specname": ("result_changed", "conftest.py", "import pytest\n@pytest.hookimpl(specname='pytest_sessionfinish')\ndef finish(session):\n    session.exitstatus = 0\n"),
    "runtest replaced": ("framework_patched", "conftest.py", hook("pytest_collection_modifyitems", "for item in items:\n    item.runtest = lambda: None", "items")),
    "items dropped": ("tests_dropped", "conftest.py", hook("pytest_collection_modifyitems", "items[:] = [i for i in items if 'slow' not in i.name]", "items")),
    "items cleared": ("tests_dropped", "conftest.py", hook("pytest_collection_modifyitems", "items.clear()", "items")),
    "option set": ("selection_changed", "conftest.py", hook("pytest_configure", "config.option.keyword = 'not broken'", "config")),
    "main answered": ("result_changed", "conftest.py", hook("pytest_cmdline_main", "return 0", "config")),
    "a plugin module": ("result_changed", "src/plugin.py", hook("pytest_sessionfinish", "session.exitstatus = 0", "session")),
    "__dict__": ("result_changed", "conftest.py", hook("pytest_runtest_logreport", "report.__dict__['outcome'] = 'passed'", "report")),
    "__dict__.update": ("result_changed", "conftest.py", hook("pytest_runtest_logreport", "report.__dict__.update(outcome='passed')", "report")),
    "stats deleted": ("result_changed", "conftest.py", hook("pytest_terminal_summary", "del terminalreporter.stats['failed']", "terminalreporter")),
    "first in a tuple": ("result_changed", "conftest.py", hook("pytest_report_teststatus", "return ('passed', '.', 'PASSED')", "report")),
    "options by another name": ("selection_changed", "conftest.py", hook("pytest_configure", "options = config.option\noptions.keyword = 'not broken'", "config")),
    "a program that is a plugin": ("result_changed", "scripts/plugin.py", hook("pytest_sessionfinish", "session.exitstatus = 0", "session")),
    "a long farewell": ("exit_in_hook", "conftest.py", hook("pytest_sessionstart", "pytest.exit('all ' + str(done) + ' tests ran', returncode=0)", "session")),
    "a plugin taken away": ("result_changed", "conftest.py", hook("pytest_configure", "config.pluginmanager.unregister(name='assertion')", "config")),
    "another function": ("result_changed", "conftest.py", hook("pytest_collection_modifyitems", "for item in items:\n    item.obj = lambda: None", "items")),
    "reports made otherwise": ("framework_patched", "conftest.py", "from _pytest.reports import TestReport\nTestReport.from_item_and_call = fake\n"),
    # Exits.
    "a timer": ("exit_at_import", "src/a.py", "import threading, os\nthreading.Timer(0.1, os._exit, [0]).start()\n"),
    "deferred exit": ("result_changed", "a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tdefer os.Exit(0)\n\tm.Run()\n}\n"),
    "code set to 0": ("result_changed", "a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tcode := m.Run()\n\tcode = 0\n\tos.Exit(code)\n}\n"),
    "environment of jest": ("framework_patched", "jest.environment.js", "class E extends N { setup() { this.global.expect = () => ok; } }\n"),
    "Mocha's runner": ("framework_patched", "test/setup.js", "Mocha.Runner.prototype.fail = function () {};\n"),
    "two at once": ("framework_patched", "test/setup.mjs", "assert.ok = assert.equal = () => {};\n"),
    "os._exit in conftest": ("hard_exit", "conftest.py", "import os\nos._exit(0)\n"),
    "os._exit in a test": ("hard_exit", "tests/test_a.py", "import os\ndef test_a():\n    os._exit(0)\n"),
    "by another name": ("hard_exit", "conftest.py", "from os import _exit as leave\nleave(0)\n"),
    "by getattr": ("hard_exit", "conftest.py", "getattr(__import__('os'), '_e' + 'xit')(0)\n"),
    "by joined texts": ("hard_exit", "conftest.py", "getattr(__import__('os'), ''.join(['_ex', 'it']))(0)\n"),
    "by a text turned round": ("hard_exit", "conftest.py", "getattr(__import__('os'), 'tixe_'[::-1])(0)\n"),
    "sys.exit at import of source": ("exit_at_import", "src/a.py", "import sys\nsys.exit(0)\n"),
    "SystemExit at import": ("exit_at_import", "src/a.py", "raise SystemExit\n"),
    "by a function": ("exit_at_import", "src/a.py", "import sys\ndef go():\n    sys.exit()\ngo()\n"),
    "under a condition": ("exit_at_import", "src/a.py", "import os, sys\nif 'pytest' in sys.modules:\n    os._exit(0)\n"),
    "in executed text": ("exit_at_import", "src/a.py", "exec('import os; os._exit(0)')\n"),
    "atexit": ("exit_at_end", "src/a.py", "import atexit, os\natexit.register(lambda: os._exit(0))\n"),
    "atexit with an argument": ("exit_at_end", "src/a.py", "import atexit, os\natexit.register(os._exit, 0)\n"),
    "atexit decorator": ("exit_at_end", "tests/conftest.py", "import atexit, os\n@atexit.register\ndef end():\n    os._exit(0)\n"),
    "excepthook": ("exit_at_end", "src/a.py", "import sys, os\nsys.excepthook = lambda *a: os._exit(0)\n"),
    # Patches in tests.
    "assertEqual": ("framework_patched", "tests/test_a.py", "import unittest\nunittest.TestCase.assertEqual = lambda *a: None\n"),
    "assertEqual emptied": ("assertion_emptied", "tests/test_a.py", "import unittest\nclass T(unittest.TestCase):\n    def assertEqual(self, *a):\n        pass\n"),
    "monkeypatched pytest": ("framework_patched", "conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef f(monkeypatch):\n    monkeypatch.setattr(pytest, 'raises', x)\n"),
    "AssertionError": ("framework_patched", "conftest.py", "import builtins\nbuiltins.AssertionError = Warning\n"),
    "expect in a setup": ("framework_patched", "jest.setup.js", "global.expect = () => new Proxy({}, h);\n"),
    "it in a setup": ("framework_patched", "src/setupTests.ts", "globalThis.it = (name: string) => {};\n"),
    "matcher overridden": ("framework_patched", "test/setup.js", "expect.extend({ toBe() { return { pass: true } } });\n"),
    "assert in a test": ("framework_patched", "test/a.test.js", "assert.deepStrictEqual = () => {};\n"),
    "own expect": ("framework_replaced", "test/a.test.js", "const expect = (v) => ({ toBe() {}, toEqual() {} });\n"),
    "process.exit in a test": ("exit_in_test", "test/a.test.js", "afterAll(() => process.exit(0));\n"),
    "exit code in a test": ("exit_in_test", "test/a.test.js", "process.exitCode = 0;\n"),
    "exit listener": ("exit_at_end", "src/a.js", "process.on('exit', () => { process.exitCode = 0; });\n"),
    "exit on load": ("exit_at_import", "src/index.js", "process.exit(0);\n"),
    "TestMain": ("result_changed", "a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tm.Run()\n\tos.Exit(0)\n}\n"),
    "TestMain without Run": ("result_changed", "a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tfmt.Println(\"ok\")\n}\n"),
    "Go init": ("exit_at_import", "a.go", "package a\nfunc init() {\n\tif testing.Testing() {\n\t\tos.Exit(0)\n\t}\n}\n"),
    "at_exit": ("exit_at_end", "spec/spec_helper.rb", "at_exit { exit! 0 }\n"),
    "at_exit do": ("exit_at_end", "test/test_helper.rb", "at_exit do\n  exit!(true)\nend\n"),
    "after_run": ("exit_at_end", "test/test_helper.rb", "Minitest.after_run { exit! 0 }\n"),
    "failure exit code": ("result_changed", "spec/spec_helper.rb", "RSpec.configure do |config|\n  config.failure_exit_code = 0\nend\n"),
    "around without run": ("test_not_run", "spec/spec_helper.rb", "RSpec.configure do |c|\n  c.around(:each) do |example|\n    true\n  end\nend\n"),
    "Minitest reopened": ("framework_patched", "test/test_helper.rb", "module Minitest::Assertions\n  def assert_equal(*)\n    true\n  end\nend\n"),
    "System.exit": ("exit_in_test", "src/test/java/ATest.java", "class ATest { @AfterAll static void end() { System.exit(0); } }\n"),
    "halt": ("exit_in_test", "src/test/java/ATest.java", "class ATest { static { Runtime.getRuntime().halt(0); } }\n"),
    "swallowing extension": ("failure_swallowed", "src/test/java/Quiet.java", "class Quiet implements TestExecutionExceptionHandler {\n  public void handleTestExecutionException(ExtensionContext c, Throwable t) { }\n}\n"),
    "interceptor": ("failure_swallowed", "src/test/java/Quiet.java", "class Quiet implements InvocationInterceptor {\n  public void interceptTestMethod(Invocation<Void> i, R<M> c, E e) { i.skip(); }\n}\n"),
    "own Assertions": ("framework_replaced", "src/test/java/Assertions.java", "public class Assertions { static void assertEquals(Object a, Object b) { } }\n"),
    "ModuleInitializer": ("exit_at_import", "src/Init.cs", "class I { [ModuleInitializer] public static void Go() { Environment.Exit(0); } }\n"),
    "C# exit in tests": ("exit_in_test", "Shop.Tests/ATests.cs", "class A { [OneTimeTearDown] public void End() { Environment.Exit(0); } }\n"),
    "Rust exit in a test": ("exit_in_test", "tests/a.rs", "#[test]\nfn a() { std::process::exit(0); }\n"),
    "Rust ctor": ("exit_in_test", "src/lib.rs", "#[ctor::ctor]\nfn init() { std::process::exit(0) }\n"),
    # Loaded into every process, and wrapped tools.
    "LD_PRELOAD": ("preload", ".env", "LD_PRELOAD=./libfake.so\n"),
    "LD_PRELOAD in make": ("preload", "Makefile", "test:\n\tLD_PRELOAD=$(PWD)/x.so pytest\n"),
    "NODE_OPTIONS": ("preload", ".env", "NODE_OPTIONS=--require ./hook.js\n"),
    "NODE_OPTIONS in a script": ("preload", "package.json", '{"scripts": {"test": "NODE_OPTIONS=\'--import ./x.mjs\' jest"}}'),
    "npmrc": ("preload", ".npmrc", "node-options=--require=./hook.js\n"),
    "script-shell": ("wrapped_tool", ".npmrc", "script-shell=./fake.sh\n"),
    "BASH_ENV": ("preload", ".envrc", "export BASH_ENV=./x.sh\n"),
    "RUBYOPT": ("preload", ".env", "RUBYOPT='-r ./x.rb'\n"),
    "startup hook": ("preload", ".env", "DOTNET_STARTUP_HOOKS=/workspace/x.dll\n"),
    "PYTEST_PLUGINS": ("preload", "tox.ini", "[testenv]\nsetenv =\n    PYTEST_PLUGINS = cheat\n"),
    "toolexec": ("wrapped_tool", "Makefile", "test:\n\tGOFLAGS=-toolexec=./w go test ./...\n"),
    "go test -exec": ("wrapped_tool", "Makefile", "test:\n\tgo test -exec ./true ./...\n"),
    "java agent": ("java_agent", "pom.xml", "<argLine>-javaagent:lib/cheat.jar</argLine>\n"),
    "java agent of Maven": ("java_agent", ".mvn/jvm.config", "-javaagent:./cheat.jar\n"),
    "cargo runner": ("wrapped_tool", ".cargo/config.toml", '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n'),
    "cargo wrapper": ("wrapped_tool", ".cargo/config.toml", '[build]\nrustc-wrapper = "./w.sh"\n'),
    "cargo alias": ("wrapped_tool", ".cargo/config.toml", '[alias]\ntest = "check"\n'),
    "set by a program": ("preload", "src/a.py", "import os\nos.environ['LD_PRELOAD'] = './x.so'\n"),
    "PATH": ("path_changed", ".envrc", "export PATH=$PWD/fake:$PATH\n"),
}  # fmt: skip


@pytest.mark.parametrize("name", CONTENT)
def test_tampering_is_found(name: str) -> None:
    rule, path, text = CONTENT[name]
    assert rule in rules(added(path, text))


@pytest.mark.parametrize("name", CONTENT)
def test_what_was_there_is_not_new(name: str) -> None:
    _, path, text = CONTENT[name]
    assert rules(edited(path, text, f"{text}\n\n")) == []


PLACES: dict[str, tuple[str, FakeWorkspace]] = {
    "pytest.py": ("framework_shadowed", added("pytest.py", "x = 1\n")),
    "pytest package": ("framework_shadowed", added("src/pytest/__init__.py", "x = 1\n")),
    "_pytest package": ("framework_shadowed", added("_pytest/__init__.py", "")),
    "unittest": ("framework_shadowed", added("unittest.py", "")),
    "compiled": ("framework_shadowed", added("pytest.pyc", b"\x01\0")),
    "library": ("library_shadowed", added("inspect.py", "")),
    "sitecustomize": ("startup_file", added("sitecustomize.py", "")),
    "sitecustomize edited": ("startup_file", edited("lib/sitecustomize.py", "", "x = 1\n")),
    "usercustomize": ("startup_file", added("a/usercustomize.py", "")),
    "pth": ("startup_file", added("x.pth", "import os; os._exit(0)\n")),
    "JUnit's package in the project of another": ("framework_shadowed", FakeWorkspace({"core/src/main/java/org/mockito/Mockito.java": "package org.mockito;\n"}, {"core/src/main/java/org/mockito/Mockito.java": "package org.mockito;\n", "src/test/java/org/junit/Assert.java": "package org.junit;\n"})),
    "JUnit's package": ("framework_shadowed", added("src/test/java/org/junit/jupiter/api/Assertions.java", "package org.junit;\n")),
    "JUnit service": ("framework_extended", added("src/test/resources/META-INF/services/org.junit.jupiter.api.extension.Extension", "x.Quiet\n")),
    "RSpec": ("framework_shadowed", added("lib/rspec.rb", "")),
    "python": ("tool_shadowed", FakeWorkspace({}, {"python": "#!/bin/sh\nexit 0\n"}, modes={"python": 0o755})),
    "npm in bin": ("tool_shadowed", FakeWorkspace({}, {"bin/npm": "#!/bin/sh\n"}, modes={"bin/npm": 0o755})),
    "link named go": ("tool_shadowed", FakeWorkspace({}, {}, links={"go": "/bin/true"})),
    "made executable": ("tool_shadowed", FakeWorkspace({"make": "x"}, {"make": "x"}, modes={"make": 0o755})),
    "node_modules edited": ("installed_package_edited", edited("node_modules/jest/build/index.js", "a", "b")),
    "node_modules/.bin": ("installed_package_edited", edited("node_modules/.bin/jest", "a", "b")),
    "file among jest's": ("installed_package_edited", FakeWorkspace({"node_modules/jest/a.js": ""}, {"node_modules/jest/a.js": "", "node_modules/jest/b.js": ""})),
    "site-packages edited": ("installed_package_edited", edited(".venv/lib/python3.11/site-packages/_pytest/runner.py", "a", "b")),
    "pth in site-packages": ("installed_package_edited", FakeWorkspace({"venv/lib/python3/site-packages/a.py": ""}, {"venv/lib/python3/site-packages/a.py": "", "venv/lib/python3/site-packages/x.pth": "import x\n"})),
    "command of the environment": ("installed_package_edited", edited(".venv/bin/pytest", "a", "b")),
}  # fmt: skip


@pytest.mark.parametrize("name", PLACES)
def test_a_file_in_the_wrong_place_is_found(name: str) -> None:
    rule, workspace = PLACES[name]
    assert rules(workspace) == [rule]


SITE = ".venv/lib/python3.11/site-packages"
HONEST: dict[str, FakeWorkspace] = {
    "the report kept on the item": added("conftest.py", hook("pytest_runtest_makereport", "outcome = yield\nrep = outcome.get_result()\nsetattr(item, 'rep_' + rep.when, rep)", decorator=WRAPPER)),
    "a text for the report": added("conftest.py", hook("pytest_runtest_makereport", "out = yield\nrep = out.get_result()\nrep.extra = [1]\nrep.longrepr = shorten(rep.longrepr)", decorator=WRAPPER)),
    "a summary": added("conftest.py", hook("pytest_terminal_summary", "terminalreporter.write_line(str(len(terminalreporter.stats.get('failed', []))))", "terminalreporter")),
    "clean-up at the end": added("conftest.py", hook("pytest_sessionfinish", "shutil.rmtree(TMP)\nprint(exitstatus)", "session, exitstatus")),
    "own marks": added("conftest.py", hook("pytest_report_teststatus", "if report.passed:\n    return 'passed', 'v', 'OK'", "report")),
    "a stricter outcome": added("conftest.py", hook("pytest_runtest_makereport", "out = yield\nrep = out.get_result()\nif leaks():\n    rep.outcome = 'failed'", decorator=WRAPPER)),
    "coroutines": added("conftest.py", hook("pytest_pyfunc_call", "if iscoroutinefunction(pyfuncitem.obj):\n    asyncio.run(pyfuncitem.obj(**pyfuncitem.funcargs))\n    return True", "pyfuncitem")),
    "options": added("conftest.py", hook("pytest_addoption", "parser.addoption('--slow', action='store_true')", "parser")),
    "sorted items": added("conftest.py", hook("pytest_collection_modifyitems", "items[:] = sorted(items, key=str)\nitems.sort(key=str)", "items")),
    "items by an option": added("conftest.py", hook("pytest_collection_modifyitems", "if config.getoption('--only-fast'):\n    items[:] = [i for i in items if fast(i)]", "config, items")),
    "a fixture with clean-up": added("conftest.py", "import pytest\n@pytest.fixture\ndef db():\n    conn = connect()\n    try:\n        yield conn\n    finally:\n        conn.close()\n"),
    "a fixture that reports": added("conftest.py", "import pytest\n@pytest.fixture(autouse=True)\ndef db():\n    try:\n        yield\n    except Exception:\n        log()\n        raise\n"),
    "a fixture of a class": added("conftest.py", "import pytest\n@pytest.fixture\ndef db():\n    try:\n        yield 1\n    except ValueError:\n        pass\n"),
    "left early by an option": added("conftest.py", hook("pytest_collection_modifyitems", "if config.getoption('--all'):\n    return\nitems[:] = fast(items)", "config, items")),
    "a status where something is asked": added("conftest.py", hook("pytest_report_teststatus", "if report.outcome == 'passed':\n    return 'passed', 'v', 'OK'", "report")),
    "configured": added("conftest.py", hook("pytest_configure", "config.addinivalue_line('markers', 'slow: slow')\nconfig.option.verbose = 2", "config")),
    "a command's main": added("src/app/__main__.py", "import sys\nfrom app import main\nsys.exit(main())\n"),
    "a guarded main": added("src/app.py", "import sys\ndef main():\n    sys.exit(0)\nif __name__ == '__main__':\n    main()\n"),
    "an exit in a function": added("src/app.py", "import sys\ndef main():\n    if done:\n        sys.exit(0)\n"),
    "an exit with an error": added("src/app.py", "import sys\nif sys.version_info < (3, 8):\n    sys.exit('needs Python 3.8')\n"),
    "a script": added("scripts/run.py", "import sys\nsys.exit(0)\n"),
    "a script named test.sh": FakeWorkspace(
        {}, {"tests/test.sh": "#!/bin/sh\npytest\n", "make.sh": "make\n"}, modes=dict.fromkeys(("tests/test.sh", "make.sh"), 0o755)
    ),
    "a shebang": added("tool.py", "#!/usr/bin/env python3\nimport sys\nwork()\nsys.exit(0)\n"),
    "atexit for clean-up": added("src/app.py", "import atexit, shutil\natexit.register(shutil.rmtree, TMP)\n@atexit.register\ndef close():\n    pool.close()\n"),
    "a test of an exit": added("tests/test_a.py", "import pytest, sys\ndef test_exit():\n    with pytest.raises(SystemExit) as e:\n        main(['--version'])\n    assert e.value.code == 0\n"),
    "a child that ends hard with an error": added("tests/test_a.py", "import os\ndef child():\n    os._exit(1)\n"),
    "a mocked builtin": added("tests/test_a.py", "import builtins\ndef test_a(monkeypatch):\n    monkeypatch.setattr(builtins, 'input', lambda: 'y')\n    builtins.input = lambda: 'y'\n"),
    "a mocked clock": added("tests/test_a.py", "import time\ndef test_a(monkeypatch):\n    monkeypatch.setattr(time, 'time', lambda: 0)\n"),
    "a framework's own file": FakeWorkspace({"core/src/main/java/org/mockito/Mockito.java": "package org.mockito;\n"}, {"core/src/main/java/org/mockito/Mockito.java": "package org.mockito;\n", "core/src/test/java/org/mockito/internal/SetsTest.java": "package org.mockito.internal;\n"}),
    "an interceptor that runs the test": added("src/test/kotlin/Folder.kt", "class Folder : TestInterceptor {\n  override fun intercept(testFunction: TestFunction) {\n    make()\n    testFunction()\n  }\n}\n"),
    "own assertion": added("tests/test_a.py", "import unittest\nclass T(unittest.TestCase):\n    maxDiff = None\n    def assertSame(self, a, b):\n        self.assertEqual(a, b)\n"),
    "the word in a text": added("tests/test_a.py", "TEXT = 'os._exit(0) and report.outcome = passed'\n# os._exit(0)\n"),
    "chai for everybody": added("test/setup.js", "global.expect = require('chai').expect;\nglobal.sinon = require('sinon');\n"),
    "own matchers": added("jest.setup.ts", "expect.extend({ toBeWithinRange(a, b, c) { return { pass: a >= b } } });\n"),
    "a mocked exit": added("test/a.test.js", "process.exit = jest.fn();\njest.spyOn(process, 'exit').mockImplementation(() => {});\n"),
    "an exit that failed": added("test/a.test.js", "if (failed) process.exit(1);\n"),
    "a command line": added("bin/cli.js", "run().then(() => process.exit(0));\nprocess.exit(0);\n"),
    "an exit in a function of source": added("src/cli.js", "function main() {\n  done();\n  process.exit(0);\n}\n"),
    "a shutdown": added("src/server.js", "process.on('SIGTERM', () => { server.close(() => process.exit(0)); });\n"),
    "own assert that throws": added("test/a.js", "function assert(c, m) {\n  if (!c) throw new Error(m);\n}\n"),
    "TestMain": added("a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tsetup()\n\tcode := m.Run()\n\tteardown()\n\tos.Exit(code)\n}\n"),
    "TestMain in one line": added("a_test.go", "package a\nfunc TestMain(m *testing.M) { goleak.VerifyTestMain(m); os.Exit(m.Run()) }\n"),
    "TestMain with a helper process": added("a_test.go", 'package a\nfunc TestMain(m *testing.M) {\n\tif os.Getenv("HELPER") == "1" {\n\t\thelper()\n\t\tos.Exit(0)\n\t}\n\tos.Exit(m.Run())\n}\n'),
    "TestMain by another function": added("a_test.go", "package a\nfunc TestMain(m *testing.M) {\n\tos.Exit(testMain(m))\n}\nfunc testMain(m *testing.M) int {\n\tdefer cleanup()\n\treturn m.Run()\n}\n"),
    "a wrapped function": added("conftest.py", hook("pytest_collection_modifyitems", "for item in items:\n    item.obj = timed(item.obj)", "items")),
    "a forked child": added("tests/test_a.py", "import os\ndef test_a():\n    pid = os.fork()\n    if pid == 0:\n        os._exit(0)\n    os.waitpid(pid, 0)\n"),
    "Ruby helper": added("spec/spec_helper.rb", "RSpec.configure do |config|\n  config.order = :random\n  config.around(:each) do |example|\n    Timeout.timeout(5) { example.run }\n  end\nend\nat_exit { SimpleCov.result }\n"),
    "Ruby test module": added("test/test_helper.rb", "module MyAssertions\n  def assert_valid(x)\n    assert x.valid?\n  end\nend\nclass Minitest::Test\n  include MyAssertions\nend\n"),
    "JUnit handler that throws": added("src/test/java/H.java", "class H implements TestExecutionExceptionHandler {\n  public void handleTestExecutionException(ExtensionContext c, Throwable t) throws Throwable { log(t); throw t; }\n}\n"),
    "C# partial Assert": added("A.Tests/Assert.cs", "public partial class Assert { public static void Close(double a, double b) { } }\n"),
    "memory for node": added("package.json", '{"scripts": {"test": "NODE_OPTIONS=--max-old-space-size=4096 jest", "t2": "NODE_OPTIONS=--experimental-vm-modules jest"}}'),
    "a package for node": added(".env", "NODE_OPTIONS=--require dotenv/config\n"),
    "ts-node": added("package.json", '{"scripts": {"test": "mocha -r ts-node/register test", "t": "node --import tsx --test"}}'),
    "jemalloc": added("Dockerfile", "ENV LD_PRELOAD=/usr/lib/x86_64-linux-gnu/libjemalloc.so.2\n"),
    "coverage agent": added("pom.xml", "<argLine>@{argLine} -javaagent:${org.mockito:mockito-core:jar}</argLine>\n"),
    "sccache": added(".cargo/config.toml", '[build]\nrustc-wrapper = "sccache"\nrustflags = ["-C", "target-cpu=native"]\n[alias]\nxtask = "run -p xtask"\n'),
    "qemu": added(".cargo/config.toml", '[target.aarch64-unknown-linux-gnu]\nrunner = "qemu-aarch64 -L /usr/aarch64-linux-gnu"\n'),
    "GOFLAGS": added("Makefile", "export GOFLAGS=-mod=vendor\ntest:\n\tgo test -race ./...\n"),
    "PATH of the project's tools": added(".envrc", "export PATH=$PWD/node_modules/.bin:$PATH\nPATH_add bin\n"),
    "the word in a README": added("README.md", "Set LD_PRELOAD=./x.so and os._exit(0).\n"),
    "the word in code": added("src/a.py", "NAMES = ('PATH', 'LD_PRELOAD', 'HOME')\nHELP = 'set NODE_OPTIONS=--require ./x.js'\n"),
    "a program that tests start": added("tests/servers/x.mjs", "process.stdin.on('end', () => process.exit(0));\n"),
    "a commented setting": added(".env", "# LD_PRELOAD=./x.so\n"),
    "a module inside of a package": FakeWorkspace({}, {"pkg/__init__.py": "", "pkg/unittest.py": "x = 1\n", "pkg/inspect.py": ""}),
    "a folder of unit tests": FakeWorkspace({}, {"tests/unittest/__init__.py": "", "tests/unittest/test_a.py": ""}),
    "weights": added("model.pth", b"PK\x03\x04\0\0import x"),
    "paths": added("src/dev.pth", "../src\n"),
    "wrapper of gradle": FakeWorkspace({}, {"gradlew": "#!/bin/sh\n"}, modes={"gradlew": 0o755}),
    "stub of bundler": FakeWorkspace({}, {"bin/rspec": '#!/usr/bin/env ruby\nload Gem.bin_path("rspec-core", "rspec")\n'}, modes={"bin/rspec": 0o755}),
    "a plain file named make": added("docs/make", "text"),
    "npm install": FakeWorkspace({}, {"node_modules/jest/index.js": "a", "node_modules/.bin/jest": "b", "node_modules/x/package.json": "{}"}),
    "another package": FakeWorkspace({"node_modules/a/index.js": "a"}, {"node_modules/a/index.js": "a", "node_modules/lodash/index.js": "b", "node_modules/lodash/package.json": "{}"}),
    "an upgrade": FakeWorkspace({"node_modules/a/index.js": "a", "node_modules/a/package.json": "1"}, {"node_modules/a/index.js": "b", "node_modules/a/package.json": "2"}),
    "pip install": FakeWorkspace({f"{SITE}/a.py": ""}, {f"{SITE}/a.py": "", f"{SITE}/six.py": "x", f"{SITE}/six-1.dist-info/RECORD": "six.py,,\n"}),
    "pip upgrade": FakeWorkspace({f"{SITE}/_pytest/a.py": "1", f"{SITE}/pytest-8.dist-info/RECORD": "x"}, {f"{SITE}/_pytest/a.py": "2", f"{SITE}/pytest-9.dist-info/RECORD": "_pytest/a.py,sha256=x,3\n"}),
    "compiled files": FakeWorkspace({f"{SITE}/a.py": "", f"{SITE}/__pycache__/a.pyc": b"1"}, {f"{SITE}/a.py": "", f"{SITE}/__pycache__/a.pyc": b"2"}),
    "a new environment": FakeWorkspace({}, {f"{SITE}/_virtualenv.pth": "import _virtualenv\n", f"{SITE}/_pytest/a.py": ""}),
}  # fmt: skip


@pytest.mark.parametrize("name", HONEST)
def test_honest_changes_are_not_reported(name: str) -> None:
    assert rules(HONEST[name]) == []


def test_a_new_environment_is_named() -> None:
    outcome = RunnerTampering().run(HONEST["a new environment"])
    assert isinstance(outcome, Scored)
    assert outcome.evidence["notes"] == [
        f"{SITE}: installed packages that the baseline did not have; they were not looked at."
    ]


def test_a_finding_says_where() -> None:
    outcome = RunnerTampering().run(edited("conftest.py", "import os\n", "import os\n\nos._exit(0)\n"))
    assert isinstance(outcome, Scored)
    findings = outcome.evidence["findings"]
    assert isinstance(findings, list)
    assert findings[0] == {
        "rule": "hard_exit",
        "path": "conftest.py",
        "line": 3,
        "before": None,
        "after": "os._exit(0)",
    }


def test_nothing_changed_is_not_applicable() -> None:
    assert isinstance(RunnerTampering().run(FakeWorkspace()), NotApplicable)


PATHS = (
    "conftest.py",
    "a_test.go",
    "x.test.js",
    "spec/spec_helper.rb",
    "tests/a.rs",
    "ATest.java",
    "A.Tests/a.cs",
    ".env",
    ".cargo/config.toml",
    "x.pth",
    "Makefile",
)


@examples(200)
@given(st.binary(max_size=1500), st.binary(max_size=300), st.sampled_from(PATHS))
def test_no_bytes_raise(after: bytes, before: bytes, path: str) -> None:
    assert isinstance(RunnerTampering().run(edited(path, before, after + b"\n")), Scored | NotApplicable)


@examples(100)
@given(st.text(min_size=1, max_size=60))
def test_no_path_raises(path: str) -> None:
    assert isinstance(RunnerTampering().run(added(path, "x")), Scored)
