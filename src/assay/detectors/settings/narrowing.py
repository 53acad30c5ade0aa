"""Options that choose tests, runner by runner, where the same letter means something else to another one."""

# ruff: noqa: E501 - a runner a line reads as a table.

import re
from collections.abc import Iterator
from typing import Final

_VALUE: Final = r"(?:[= ][ ]{0,2}(?:\"[^\"\n]{0,200}\"|'[^'\n]{0,200}'|[^\s;|&]{1,200}))"
_OF_RUNNER: Final = (
    (re.compile(r"\bphpunit\b|\bpest\b|\bartisan[ ]test\b|\bparatest\b|\bcomposer\b"), re.compile(rf"(?<!\S)--(?:(?:exclude-)?(?:group|testsuite|filter)|covers|uses|exclude){_VALUE}")),
    (re.compile(r"\brspec\b"), re.compile(rf"(?<!\S)(?:-[eEt]|--example-matches|--exclude-pattern){_VALUE}")),
    (re.compile(r"\b(?:rails|rake)[ ]test\b"), re.compile(rf"(?<!\S)(?:-[nei]|--name|--exclude|--include){_VALUE}")),
    (re.compile(r"\bmocha\b"), re.compile(rf"(?<!\S)(?:-[fg]{_VALUE}|(?:-i|--invert)(?!\S))")),
    (re.compile(r"\bgo[ ]test\b"), re.compile(rf"(?<!\S)(?:--?test\.(?:skip|run)|--run){_VALUE}")),
    (re.compile(r"\bginkgo\b"), re.compile(rf"(?<!\S)--?(?:label-filter|focus|focus-file|skip-file|skip-package){_VALUE}")),
    (re.compile(r"\bcargo[ ](?:\+\S{1,40}[ ])?test\b"), re.compile(r"(?<!\S)(?:--exact(?!\S)|test[ ]{1,4}[a-z_][\w:]{0,200}(?!\S))")),
    (re.compile(r"\bnextest\b"), re.compile(rf"(?<!\S)(?:-E|--filterset|--filter-expr|--partition){_VALUE}")),
    (re.compile(r"\bdotnet\b|\bvstest\b"), re.compile(rf"(?<!\S)(?:--(?:treenode-filter|filter-(?:not-)?(?:class|method|trait|namespace)){_VALUE}|(?:--filter:|(?:/|--?)TestCaseFilter[:= ])[^\s;|&]{{1,200}})")),
    (re.compile(r"\bmvnw?\b"), re.compile(r"(?<!\S)-D(?:(?:surefire|failsafe)\.(?:exclude|include)s?(?:File)?|groups)=[^\s;|&]{1,120}")),
    (re.compile(r"\bctest\b"), re.compile(rf"(?<!\S)(?:-[ERLI]|-LE|--(?:exclude-regex|tests-regex|label-regex|label-exclude|exclude-from-file|tests-from-file)){_VALUE}")),
    (re.compile(r"\bbats\b"), re.compile(rf"(?<!\S)(?:-f|--filter-tags|--filter-status|--negative-filter){_VALUE}")),
    (re.compile(r"\bbehave\b|\bcucumber\b|\bbehat\b"), re.compile(rf"(?<!\S)(?:-[nie]|--tags|--name|--include){_VALUE}")),
    (re.compile(r"\bplaywright\b"), re.compile(rf"(?<!\S)(?:--grep-invert|-gv){_VALUE}")),
    (re.compile(r"\bxcodebuild\b"), re.compile(r"(?<!\S)-(?:skip|only)-test(?:ing|-configuration)[: ][ ]{0,2}[^\s;|&]{1,200}")),
)  # fmt: skip


def narrowing_options(line: str) -> Iterator[str]:
    """The options in a line that choose tests, as the runner in it means them."""
    for runner, options in _OF_RUNNER:
        if runner.search(line):
            yield from (found[0] for found in options.finditer(line))
