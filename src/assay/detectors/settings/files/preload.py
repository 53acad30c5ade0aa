"""Lines that load somebody's code into every process, or wrap the tools that build and run tests."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterator

from assay.detectors.source_signs.sign import Sign, sign

_SET = r"[\"']?\]?[ \t]{0,8}(?:[:=]|,)[ \t]{0,8}[\"']?"
_SYSTEM_LIBRARY = (
    r"(?:/usr(?:/local)?/lib|/lib)[\w/.-]*/lib(?:jemalloc|tcmalloc|mimalloc|asan|tsan|ubsan|gomp|stdc)[\w.+-]*"
)
_LOCAL = r"(?:\.{1,2}/|/|\$\{?\w+\}?/|%cd%|file:)"
_PRELOADS = (
    # A library in front of every other. Allocators and sanitizers of the system are honest.
    ("preload", re.compile(rf"\b(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES){_SET}(?!{_SYSTEM_LIBRARY})[^\s\"'#]")),
    # Node: a local file, not a package.
    ("preload", re.compile(rf"\b(?:NODE_OPTIONS|node-options){_SET}[^\n]{{0,120}}?(?:--require|-r|--import|--loader|--experimental-loader)[ =]{_LOCAL}")),
    ("preload", re.compile(rf"\bnode[ \t]{{1,4}}(?:--?[\w=-]{{1,40}}[ \t]{{1,4}}){{0,4}}(?:--require|-r|--import|--loader)[ =]{_LOCAL}[^\n]{{0,120}}(?:jest|mocha|vitest|--test|ava|tap)\b")),
    ("preload", re.compile(rf"\b(?:BASH_ENV|PYTHONSTARTUP|PYTHONUSERBASE|PERL5OPT|DOTNET_STARTUP_HOOKS|CORECLR_PROFILER\w*|COR_PROFILER\w*|ASPNETCORE_HOSTINGSTARTUPASSEMBLIES){_SET}[^\s\"'#]")),
    ("preload", re.compile(rf"\bPYTEST_PLUGINS{_SET}[^\s\"'#]")),
    ("preload", re.compile(rf"\bRUBYOPT{_SET}[^\n]{{0,60}}-r[ \t]{{0,2}}{_LOCAL}")),
    ("preload", re.compile(rf"\bRUBYLIB{_SET}[^\s\"'#]")),
    # Java: an agent that is a file here. One that the build resolves is honest (coverage, mocks).
    ("java_agent", re.compile(r"-(?:javaagent|agentpath|agentlib):(?!\$\{(?:settings\.localRepository|org\.|jacoco|jmockit|mockito)|\$\{\w+[:}]|jdwp|\{|\$)[\w./~-]")),
    ("java_agent", re.compile(r"-X(?:bootclasspath/[ap])[:=]|--patch-module[ =]")),
    # Go and Rust: programs between the build and its tools.
    ("wrapped_tool", re.compile(rf"\bGOFLAGS{_SET}[^\n]{{0,120}}-(?:toolexec|exec|overlay)\b")),
    ("wrapped_tool", re.compile(r"\bgo[ \t]{1,4}(?:test|build|env)\b[^\n]{0,160}[ \t]-{1,2}(?:toolexec|exec|overlay)\b")),
    ("wrapped_tool", re.compile(rf"\b(?:RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|CARGO_BUILD_RUSTC_WRAPPER|RUSTC){_SET}(?!(?:\S{{0,400}}/)?(?:sccache|cachepot|ccache|clippy-driver)\b|\$\{{)[^\s\"'#]")),
    ("wrapped_tool", re.compile(rf"\bCARGO_TARGET_\w+_RUNNER{_SET}(?!(?:\S{{0,400}}/)?(?:qemu|wasm|probe-rs|cross|wine|true_runner))[^\s\"'#]")),
    ("wrapped_tool", re.compile(rf"\bscript-shell{_SET}[^\s\"'#]")),
)  # fmt: skip
_PATH_FIRST = re.compile(
    r"^[ \t]{0,8}(?:export[ \t]{1,4}|ENV[ \t]{1,4})?PATH[ \t]{0,4}[:=][ \t]{0,4}[\"']?(?:\.(?=[:\"'\s])|\./|\$\{?PWD\}?|\$\(pwd\)|\$\{?CURDIR\}?|/workspace)(?!/?(?:node_modules/\.bin|\.venv/bin|venv/bin))"
)
_COMMENT = re.compile(r"^[ \t]{0,40}(?:#|//|;|--|<!--|\*|REM\b)")
_READ = re.compile(r"\b(?:environ\.get|getenv|env\.get|GetEnvironmentVariable|Getenv|LookupEnv)\(")
_LONGEST_LINE = 4000
# What every such line has in it, so that only few lines are looked at closely.
_HINT = re.compile(
    r"LD_PRELOAD|LD_AUDIT|DYLD_INSERT|NODE_OPTIONS|node-options|\bnode[ \t]|BASH_ENV|PYTHONSTARTUP|PYTHONUSERBASE|PERL5OPT|"
    r"DOTNET_STARTUP|PROFILER|HOSTINGSTARTUP|PYTEST_PLUGINS|RUBYOPT|RUBYLIB|-javaagent|-agent|-Xbootclasspath|--patch-module|"
    r"GOFLAGS|\bgo[ \t]{1,4}(?:test|build|env)\b|RUSTC|CARGO_TARGET_|script-shell|PATH[ \t]{0,4}[:=]"
)


_IN_CODE = re.compile(
    r"(?:environ|process\.env|\bENV|putenv|[sS]etenv|setdefault|SetEnvironmentVariable)[\s(\[.\"']{1,6}"
    r"(?:LD_PRELOAD|LD_AUDIT|DYLD_INSERT_LIBRARIES|NODE_OPTIONS|BASH_ENV|PYTHONSTARTUP|PYTEST_PLUGINS|RUBYOPT|GOFLAGS|RUSTC_WRAPPER)"
    r"[\"'\])\s]{0,6}(?:=(?!=)|,)"
)


def preload_in_code(text: str, added: str) -> Iterator[Sign]:
    """Programs that set such a variable. Code that only names one, in a text or in a list, is none."""
    if _IN_CODE.search(added) is None:
        return
    for number, part in _hinted_lines(text):
        if _IN_CODE.search(part) and not _COMMENT.match(part):
            yield sign("preload", number, part)


def preload_signs(text: str, added: str) -> Iterator[Sign]:
    """Such lines of any file of settings, script or workflow, where one of them is among the added lines."""
    if _HINT.search(added) is None:
        return
    for number, part in _hinted_lines(text):
        if _COMMENT.match(part) or _READ.search(part):
            continue
        if _PATH_FIRST.match(part):
            yield sign("path_changed", number, part)
        for rule, pattern in _PRELOADS:
            if pattern.search(part):
                yield sign(rule, number, part)
                break


def _hinted_lines(text: str) -> Iterator[tuple[int, str]]:
    number, counted, last = 1, 0, -1
    for found in _HINT.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1 if found.start() > last else counted
        if start < last:
            continue
        number += text.count("\n", counted, start)
        counted = start
        end = text.find("\n", start)
        last = end if end >= 0 else len(text)
        yield number, text[start : min(last, start + _LONGEST_LINE)]
