"""Signs in source of JavaScript, TypeScript, Go, Java, Rust, Ruby and C#."""

# ruff: noqa: E501 - a pattern a line reads as a table.

import re
from collections.abc import Iterator

from assay.detectors.source_signs.code_text import CodeText, found_in
from assay.detectors.source_signs.sign import Sign, sign

_TYPE = r"[\w<>\[\]?.,& *:]{1,80}?"
# The head of a method that says whether two values are equal. A block or a short form follows.
_EQUALITY = {
    "javascript": re.compile(r"(?:^|[\s{};,.])(?:equals?|isEqual|deepEquals?|eq|asymmetricMatch|\[Symbol\.hasInstance\])\s{0,4}(?:=\s{0,4}(?:function\b\s{0,4})?|:\s{0,4}(?:function\b\s{0,4})?)?\([^()\n]{0,200}\)[^{}=;\n]{0,60}(?:=>)?"),
    "go": re.compile(r"\bfunc\s{1,4}\([^()\n]{0,100}\)\s{0,4}(?:Equals?|IsEqual|Eq)\([^()\n]{0,200}\)\s{0,4}bool\b"),
    "java": re.compile(r"\bboolean\s{1,8}equals\s{0,4}\([^()\n]{0,200}\)"),
    "rust": re.compile(r"\bfn\s{1,8}(?:eq|equals)\s{0,4}\([^()\n]{0,200}\)\s{0,4}->\s{0,4}bool\b"),
    "csharp": re.compile(r"\bbool\s{1,8}(?:Equals|operator\s{0,4}==)\s{0,4}\([^()\n]{0,200}\)"),
    "ruby": re.compile(r"^[ \t]{0,80}def[ \t]{1,8}(?:self\.)?(?:==|===|eql\?|equal\?)[^\n]{0,100}", re.MULTILINE),
}  # fmt: skip
_INEQUALITY = {
    "rust": re.compile(r"\bfn\s{1,8}ne\s{0,4}\([^()\n]{0,200}\)\s{0,4}->\s{0,4}bool\b"),
    "csharp": re.compile(r"\bbool\s{1,8}operator\s{0,4}!=\s{0,4}\([^()\n]{0,200}\)"),
    "ruby": re.compile(r"^[ \t]{0,80}def[ \t]{1,8}!=[^\n]{0,100}", re.MULTILINE),
}
_STACK = {
    "javascript": re.compile(r"new\s{1,4}Error\([^()\n]{0,80}\)\.stack|\bError\(\)\.stack|captureStackTrace\(|\.stack\b|callsites?\(\)|arguments\.callee"),
    "go": re.compile(r"\bruntime\.(?:Callers?|Stack|CallersFrames)\(|\bdebug\.Stack\("),
    "java": re.compile(r"getStackTrace\(\)|StackWalker|getCallerClass\("),
    "rust": re.compile(r"\bBacktrace::|\bbacktrace::|Location::caller\("),
    "csharp": re.compile(r"Environment\.StackTrace|new\s{1,4}[\w.]{0,40}Stack(?:Trace|Frame)\(|\bCaller(?:FilePath|MemberName)\b|GetCallingAssembly\("),
    "ruby": re.compile(r"\bcaller(?:_locations)?\b"),
}  # fmt: skip
# Questions that only a test run answers with yes; wherever they stand.
_RUNNER = {
    "javascript": re.compile(
        r"JEST_WORKER_ID|VITEST_(?:WORKER|POOL)_ID|(?:process|import\.meta)\.env\??\.(?:VITEST|MOCHA\w*|JEST\w*|TAP|AVA_PATH)\b|"
        r"typeof\s{1,4}(?:jest|vi|describe|it|expect|jasmine|mocha|beforeEach)\b|(?:global|globalThis)\.(?:jest|describe|it|expect|jasmine)\b\s{0,4}(?:[)&|?]|[!=]==)|"
        r"process\.argv[^;\n]{0,80}(?:jest|mocha|vitest)|require\.cache[^;\n]{0,60}(?:jest|mocha|vitest)|"
        r"(?:require\.main|module\.(?:parent|children))\b[^;\n]{0,100}(?:\.test|\.spec|__tests__|jest|mocha)|Symbol\.for\(\s{0,4}['\"]jest\."
    ),
    "go": re.compile(r"\btesting\.Testing\(\)|flag\.Lookup\(\"test\.|os\.Args[^\n]{0,60}\"[^\"\n]{0,20}(?:\.test|-test\.)|\"[./]?test\.(?:v|run)\""),
    "java": re.compile(r"\"surefire\.[\w.]+\"|forName\(\s{0,4}\"org\.(?:junit|testng)|\"org\.gradle\.test\.worker\"|java\.class\.path\"\)[^;\n]{0,80}junit"),
    "rust": re.compile(r"\bcfg!\(\s{0,4}(?:not\(\s{0,4})?test\b|\"(?:RUST_TEST_\w+|NEXTEST\w*|CARGO_TARGET_TMPDIR)\"|thread::current\(\)\.name\(\)(?:\.unwrap\w*\([^()\n]{0,40}\))?\s{0,4}(?:[!=]=|\.(?:map\w*|is_some_and|contains|starts_with|ends_with)\()[^;{\n]{0,80}\"|env::(?:args|current_exe)\(\)[^;{\n]{0,160}\"[^\"\n]{0,20}(?:deps|test)|\"CARGO_(?:MANIFEST_DIR|PKG_\w+|CRATE_NAME)\"\)\.is_(?:ok|some)"),
    "csharp": re.compile(r"(?:GetAssemblies|FriendlyName|ProcessName|GetEntryAssembly)[^;\n]{0,160}(?i:xunit|nunit|mstest|testhost|vstest)|\"(?:VSTEST_\w+|DOTNET_TEST\w*)\""),
    "ruby": re.compile(r"defined\?\s{0,4}\(?\s{0,4}(?:::)?(?:RSpec|Minitest|MiniTest|Test::Unit)|\$(?:0|PROGRAM_NAME)[^\n]{0,60}(?:rspec|test)|const_defined\?\(?\s{0,4}[:'\"](?:RSpec|Minitest)|\$(?:LOADED_FEATURES|\")[^\n]{0,80}(?:rspec|minitest|test)"),
}  # fmt: skip
# Modes that honest code asks for too, so they count in conditions only, and not where they only start a server or log.
_MODE = {
    "javascript": re.compile(r"NODE_ENV['\"]?\]?\s{0,4}[!=]==?\s{0,4}['\"]test['\"]|['\"]test['\"]\s{0,4}[!=]==?\s{0,4}process\.env\.NODE_ENV|process\.env\.CI\b|process\.env\[['\"]CI['\"]\]"),
    "go": re.compile(r"os\.(?:Getenv|LookupEnv)\(\"(?:CI|GITHUB_ACTIONS|GO_TEST\w*)\"\)"),
    "java": re.compile(r"getenv\(\"(?:CI|GITHUB_ACTIONS)\"\)"),
    "rust": re.compile(r"env::var(?:_os)?\(\"(?:CI|GITHUB_ACTIONS)\"\)"),
    "csharp": re.compile(r"GetEnvironmentVariable\(\"(?:CI|GITHUB_ACTIONS)\"\)"),
    "ruby": re.compile(r"Rails\.env\.test\?|ENV(?:\.fetch\(|\[)['\"](?:RAILS_ENV|RACK_ENV)['\"][\])][^\n]{0,12}['\"]test['\"]|ENV(?:\.fetch\(|\[)['\"]CI['\"]"),
}  # fmt: skip
_STARTS_OR_LOGS = re.compile(
    r"^[\s{(]*(?:\w+\.)*(?:listen|log|info|debug|warn|error|use|start|connect|morgan|logger|print\w*|serve|run)\b"
)
_CLOCK = {
    "javascript": re.compile(r"(?:^|[\s;{(])(?:(?:global|globalThis|window)\.)?(?:Date(?:\.now)?|performance\.now)\s{0,4}=(?![=>])|useFakeTimers\(|mockdate|timekeeper"),
    "ruby": re.compile(r"def\s{1,4}(?:Time|Date|DateTime)\.(?:now|today)|Time\.singleton_class|Timecop\.(?:freeze|travel)|Process\.singleton_class"),
}  # fmt: skip
_ASSIGNED = re.compile(
    r"\b([A-Za-z_$][\w$]{0,200}+)(?:\s*+,\s*+[A-Za-z_$][\w$]{0,200}+){0,4}\s*+(?::=|=)(?!=)([^;\n]{1,300})"
)
_LOOPED = re.compile(
    r"\bfor\w{0,12}\s{0,4}\(?\s{0,4}(?:[\w<>\[\].]{1,40}\s{1,4})?([A-Za-z_$][\w$]{0,200})\s{0,4}(?::|\bof\b|\bin\b)\s{0,4}([^{;\n]{1,200})"
)
_CALLER = re.compile(r"\bCaller(?:FilePath|MemberName)\]\s{0,4}string\??\s{1,4}(\w+)")
_COMPARES = re.compile(
    r"==|=~|(?<!\w)(?>\w*?(?i:equals|contains|includes|starts|ends|hassuffix|hasprefix|match|some|any|test))\w*+\s{0,4}[(?{]"
)
_CFG_FN = re.compile(
    r"#\[cfg\((not\(test\)|test)\)\]\s{0,40}(?:#\[[^\]\n]{0,80}\]\s{0,40}){0,4}(?:pub(?:\([^)\n]{0,20}\))?\s{1,4})?(?:async\s{1,4}|const\s{1,4}|unsafe\s{1,4}){0,2}fn\s{1,4}(\w+)"
)
_SAME = re.compile(r"(?=.++\Z)(.+?)===?(.+)")
_ALWAYS, _NEVER = (
    frozenset({"true", "(true)", "!false", "1==1", "1===1", "!0"}),
    frozenset({"false", "(false)", "!true", "!1"}),
)


def source_signs(text: str, language: str) -> Iterator[Sign]:
    """Everything that this module knows, for one file. Languages that it does not know have no signs."""
    language = "javascript" if language == "typescript" else language
    if language not in _EQUALITY:
        return
    code = CodeText(language, text)
    yield from _equality(code)
    yield from _matches("environment_sniffed", code, _RUNNER[language])
    yield from _modes(code)
    yield from _stack(code)
    if language == "rust":
        yield from _two_versions(code)
    if language in _CLOCK:
        yield from _matches("clock_patched", code, _CLOCK[language])


def _equality(code: CodeText) -> Iterator[Sign]:
    heads = [(_EQUALITY[code.language], _ALWAYS)]
    if code.language in _INEQUALITY:
        heads.append((_INEQUALITY[code.language], _NEVER))
    for pattern, answers in heads:
        for found in found_in(pattern, code.bare):
            given = _answers(code, found.end(), _second(found[0], code.language))
            if given and all(_is_always(answer, answers) for answer in given):
                yield sign("always_equal", code.line(_first_word(found)), code.source_line(_first_word(found)))


def _second(head: str, language: str) -> str:
    """The name of what something is compared with: the last parameter."""
    inside = re.search(r"\(([^()]*)\)[^()]*$", head) or re.search(r"[=?]\s+(\w+)\s*$", head)
    last = inside[1].rpartition(",")[2] if inside else ""
    names: list[str] = re.findall(
        r"[A-Za-z_]\w*", last.partition(":")[0] if language in ("rust", "javascript") else last
    )
    if not names:
        return ""
    return names[0] if language in ("go", "rust", "javascript", "ruby") else names[-1]


def _is_always(answer: str, answers: frozenset[str]) -> bool:
    """Whether an answer is one of these whatever it is asked of: ``a==a||b``, ``a!=null||a==null``."""
    if answer in answers or answer == "always":
        return True
    terms = set(answer.split("||"))
    return "true" in answers and any(
        term in _ALWAYS
        or ((same := _SAME.fullmatch(term)) and same[1] == same[2])
        or term.replace("==", "!=", 1) in terms - {term}
        for term in terms
    )


def _first_word(found: re.Match[str]) -> int:
    return found.start() + len(found[0]) - len(found[0].lstrip(" \t\n{};,."))


def _answers(code: CodeText, end: int, second: str) -> list[str]:
    """Everything that a method may return, without white space."""
    body = _ruby_body(code, end) if code.language == "ruby" else _curly_body(code, end)
    body = re.sub(r"(?:\blet\s+)?(?<!\w)_\s*=\s*&?[\w.]+\s*;?", "", body)
    if body not in ("", "other") and second and _depends_on_itself(body, second):
        return ["always"]
    if re.search(r"\b(?:throw|panic|raise|super)\b", body):
        return ["other"]
    returned = re.findall(r"\breturn\b([^;\n}]*)", body)
    rest = re.sub(r"\breturn\b[^;\n}]*;?", "", body)
    tail = "" if returned and not rest.strip(" \n;{}") else _last(rest)
    return ["".join(value.split()) for value in [*returned, tail] if value.strip()]


def _depends_on_itself(body: str, second: str) -> bool:
    """Whether a comparison never looks at what it is compared with, and does compare: ``this == this``."""
    compares = re.search(r"[=!]=|\.(?:equals|Equals|eq|eql\?)\(", body)
    return compares is not None and re.search(rf"\b{re.escape(second)}\b", body) is None


def _last(rest: str) -> str:
    lines = [line.strip(" ;{}") for line in rest.split("\n")]
    kept = [line for line in lines if line]
    return kept[0] if len(kept) == 1 else ("other" if kept else "")


def _curly_body(code: CodeText, end: int) -> str:
    short = re.match(r"\s{0,8}(?:=>)?\s{0,8}([^{;\n]{1,60})[;\n,}]", code.bare[end : end + 120])
    if short and short[1].strip() and ("=>" in code.bare[end - 4 : end + 10]):
        return short[1]
    gap = code.bare[end : end + 80]
    if not re.match(r"[^;{}]{0,60}\{", gap):
        return "other"
    span = code.body(end)
    return code.bare[span[0] : span[1]] if span and span[1] - span[0] < 4000 else "other"


def _ruby_body(code: CodeText, end: int) -> str:
    line_start = code.bare.rfind("\n", 0, end) + 1
    head = code.bare[line_start:end]
    short = re.search(r"\)\s*=\s*(.+)$|=\s+(\S+)\s*$", head)
    if short and not head.rstrip().endswith(")"):
        return short[1] or short[2]
    indent = len(head) - len(head.lstrip())
    found = re.compile(rf"\n[ \t]{{{min(indent, 80)}}}end\b").search(code.bare, end, end + 4000)
    return code.bare[end : found.start()] if found else "other"


def _two_versions(code: CodeText) -> Iterator[Sign]:
    """A function that is another one when it is tested."""
    found = list(found_in(_CFG_FN, code.code))
    real = {match[2] for match in found if match[1] != "test"}
    for match in found:
        if match[1] == "test" and match[2] in real:
            yield sign("environment_sniffed", code.line(match.end()), code.source_line(match.end()))


def _matches(rule: str, code: CodeText, pattern: re.Pattern[str]) -> Iterator[Sign]:
    for found in found_in(pattern, code.code):
        yield sign(rule, code.line(found.end() - 1), code.source_line(found.end() - 1))


def _modes(code: CodeText) -> Iterator[Sign]:
    """A test mode in a condition, unless all it decides is to start something or to log."""
    pattern = _MODE[code.language]
    if pattern.search(code.code) is None:
        return
    names = _any_of(_given(code, pattern))
    for offset, condition in code.conditions():
        asked = pattern.search(condition) or (names is not None and names.search(condition))
        if asked and not _STARTS_OR_LOGS.match(_decided(code, offset, condition)):
            yield sign("environment_sniffed", code.line(offset), code.source_line(offset))


def _given(code: CodeText, pattern: re.Pattern[str]) -> set[str]:
    """Names that are given what a pattern finds."""
    return {found[1] for found in found_in(_ASSIGNED, code.code) if pattern.search(found[2])}


def _any_of(names: set[str]) -> re.Pattern[str] | None:
    return re.compile(rf"(?<![\w.$])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w$])") if names else None


def _decided(code: CodeText, offset: int, condition: str) -> str:
    after = code.code.find(condition, offset) + len(condition)
    return code.code[after : after + 120]


def _stack(code: CodeText) -> Iterator[Sign]:
    """The stack in a condition, directly or by way of names that hold it."""
    pattern = _STACK[code.language]
    if pattern.search(code.code) is None:
        return
    held = _held(code, pattern)
    names = _any_of(held)
    for offset, condition in code.conditions():
        asked = pattern.search(condition) or (names is not None and names.search(condition))
        # Whether there is a stack at all tells nothing; a text in the condition asks who is on it.
        question = code.code[offset:].partition("\n")[0] if code.language == "ruby" else condition
        if asked and (re.search(r"[\"'`/]", question) or _was_asked(code, condition, held)):
            yield sign("stack_inspected", code.line(offset), code.source_line(offset))


def _was_asked(code: CodeText, condition: str, held: set[str]) -> bool:
    """Whether a name in a condition holds the answer to a question that was put to the stack before."""
    names = set(re.findall(r"[A-Za-z_$][\w$]*", condition)) & held
    return any(
        found[1] in names
        and _COMPARES.search(found[2]) is not None
        and re.search(r"[\"'`/]", found[2]) is not None
        for found in _ASSIGNED.finditer(code.code)
    )


def _held(code: CodeText, pattern: re.Pattern[str]) -> set[str]:
    # A compiler may give the caller as an argument.
    held = {found[1] for found in _CALLER.finditer(code.code)} if code.language == "csharp" else set()
    for _ in range(3):
        size = len(held)
        for found in (*_ASSIGNED.finditer(code.code), *_LOOPED.finditer(code.code)):
            words = set(re.findall(r"[A-Za-z_$][\w$]*", found[2])) if held else set()
            if pattern.search(found[2]) or words & held:
                left = code.code[found.start() : found.start(2)]
                held |= {
                    name
                    for name in re.findall(r"[A-Za-z_$][\w$]*", left)
                    if name not in ("const", "let", "var", "_", "ok", "final")
                }
        if len(held) == size or len(held) > 200:
            break
    return held
