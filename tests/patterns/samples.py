"""What can't be read from the code: parts of patterns that are only known when it runs, and uses elsewhere."""

from collections.abc import Mapping
from typing import Any

SAMPLES: Mapping[str, Mapping[str, Any]] = {
    "detectors/effects/poison/go.py": {"word": "t"},
    "detectors/effects/test_data.py": {"name": "ab", "word": "ab"},
    "detectors/settings/demands.py": {"pattern": r"(?:ab\.)?(?:[^\n]*)\.cd\w+"},
    "detectors/settings/silenced.py": {"pattern": r"^[ \t]*(?://|#)[ \t]*ab[ \t]+cd\b", "until": r"ab[ \t]*cd"},
    "detectors/settings/tools.py": {"names": (r"[tj]ab[\w.-]*\.json",)},
    "detectors/settings/makefile.py": {"name": "NAME"},
    "detectors/settings/files/cargo_config.py": {"key": "runner"},
    "detectors/secrets/rules.py": {"pattern": ""},
    "detectors/source_signs/grammar.py": {"name": r"[A-Za-z_$@][\w$]*[?!]?(?!=[^=~>])|\$[\"0]"},
    "detectors/source_signs/words.py": {
        "start": ("", "^"), "end": ("", r"\Z"),
        "choices": (
            r"(?:(?:^|(?<=\.))[\w$@?!-]*\.env\([^()]*(?:\([^()]*\))?[^()]*\)(?![\w$]))|"
            r"(?:^ab[\w$.]*\.(?:cd|ef)(?![\w$]))"
        ),
    },
    "detectors/test_code/languages/rust/written.py": {"macros": ("ab", "cd")},
    "detectors/test_code/languages/python/collecting.py": {"wanted": "ab"},
    "detectors/test_code/languages/csharp/parsing.py": {"name": "ab"},
    "detectors/test_code/engine/suites.py": {"name": "ab"},
    "detectors/test_code/engine/flow.py": {"name": "ab"},
    "detectors/test_code/engine/swallowing.py": {"caught": ("ab",), "name": "ab"},
    "detectors/test_code/engine/expressions/brackets.py": {
        "comments": r"//[^\n]*|/\*.*?(?:\*/|\Z)", "strings": r'"(?:[^"\\\n]|\\.)*"',
        "number": r"\d[\w]*(?:\.\d[\w]*)?", "word": r"[\w$@\#]+",
    },
    "detectors/test_code/engine/expressions/wrapping.py": {"unnamed": ("", "ab", "")},
    "detectors/test_code/languages/javascript/declaring.py": {
        "named": r"(?<![\w$.])(export\s[^\n=]{0,400}?)?ab(?![\w$])"
    },
    "detectors/test_code/languages/junit/marks.py": {
        "value": "ab", "name": "ab", "last": "ab",
    },
    "detectors/test_code/languages/php/quirks.py": {"name": "ab"},
    "detectors/settings/compare.py": {"pattern": "ab"},
    "adapters/models/wire_reply.py": {"name": "ab"},
    "engine/coding/guess_tests.py": {"runner": "ab"},
    "formats/json_items.py": {"name": b"ab"},
    "engine/tasks/reward_lint.py": {"name": "ab"},
    "engine/tasks/task_lint.py": {"name": "ab"},
    "engine/tasks/rules/answers.py": {"path": "/ab"},
    "engine/tasks/rules/facts.py": {"assigned": ("", "ab"), "path": "/ab", "stem": "ab"},
    "engine/tasks/rules/names.py": {"before": r"(?<![\w-])", "stem": "ab"},
    "engine/tasks/rules/settings.py": {"name": "ab"},
    "web/routing.py": {"parts": ("runs", "(?P<id>[^/]+)")},
    "formats/fhir/answers.py": {"one": "ab", "name": "ab"},
    "formats/file_content/rules.py": {"name": "sha256"},
    "formats/hl7/encoding.py": {"mark": r"\\", "hexadecimal": r"(?P<bytes>(?:\\X(?:[0-9A-Fa-f]{2})+\\)+)"},
    "formats/x12/envelope.py": {"mark": r"\*", "other": r"[^*~]{0,20}"},
    "formats/x12/tokenize.py": {"mark": r"\*"},
    "judge/calibration.py": {"names": ("ab", "cd")},
    "judge/fence.py": {"before": r"(?<!\w)", "words": "ab", "after": r"(?!\w)"},
}  # fmt: skip

MATCHED_ELSEWHERE = frozenset(
    (
        "detectors/settings/builds.py:_XML_RULES",
        "detectors/test_code/engine/expressions/values.py:BINDING",
        "formats/fhirpath/parse.py:ID",
        "formats/hl7/path.py:_NUMBER",
        "formats/hl7/path.py:_QUOTED",
        "formats/pattern/syntax.py:_ATOM",
        "formats/pattern/syntax.py:_CLASS",
        "formats/pattern/syntax.py:_REMARK",
        "formats/x12/path.py:_EQUALS",
        "formats/x12/path.py:_VALUE",
    )
)
"""Patterns that are handed on to code which only matches at one place, and never searches."""

SHORT_PIECES = (
    "detectors/test_code/languages/",
    "detectors/test_code/engine/asserting.py",
    "detectors/test_code/engine/flow.py",
    "detectors/test_code/engine/reading.py",
    "detectors/test_code/engine/swallowing.py",
)
"""Where patterns are asked of names, heads and other pieces that are cut at 2,000 characters. They may take a
little more than their share of steps there, but never long."""

KNOWN_SLOW = (
    ("exponential: base 85 as it was", r"[\"']((?:[!-&(-~]|\\.){25,400})[\"']", "search"),
    ("exponential: a loop in a loop", r"(?:a+)+$", "match"),
    ("quadratic: two loops over the same", r"\s*,?\s*;", "match"),
    ("quadratic: a beginning at each place", r"\w+=", "search"),
    ("quadratic: a comment that is not closed", r"/\*[\s\S]*?\*/", "search"),
)
"""Patterns that have to be found slow, with how they are used."""
