"""What holds for every type of scorer: no agent breaks one by what it leaves, and every answer can be written."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.scorers.report import Provenance, RowVerdict, ScorersReport
from assay.dialects.scorers.scenario import Scenario
from assay.engine.coding.score import kinds, placed_checks, score_run
from tests.checks.configuration import CONFIGURATION
from tests.checks.fake_workspace import FakeWorkspace
from tests.sampling import examples

ALL = Scenario.model_validate({"scorers": [{"type": kind, **CONFIGURATION.get(kind, {})} for kind in kinds()]})
CHECKS = placed_checks(ALL, "s.yaml")

ODD = b"odd\xff\x1b[31m\n".decode(errors="surrogateescape")
NAMES = (
    *(
        "tests/test_a.py",
        "tests/test_b.js",
        "a_test.go",
        "src/test/java/ATest.java",
        "tests/a.rs",
        "spec/a_spec.rb",
    ),
    *("ATests.cs", "conftest.py", "pyproject.toml", "package.json", "Makefile", ".github/workflows/ci.yml"),
    *("pom.xml", "Cargo.toml", "src/a.py", "a", ODD, f"tests/test_{ODD}.py"),
)


def report(workspace: FakeWorkspace) -> ScorersReport:
    found = score_run(CHECKS, workspace, Provenance(engine="0", scenario_sha256=""))
    assert ScorersReport.model_validate_json(found.model_dump_json()) == found
    return found


def broken(found: ScorersReport) -> list[tuple[str, str]]:
    return [(row.type, row.detail) for row in found.scorers if row.verdict is RowVerdict.ERROR]


CONTENTS = {
    "nothing": (b"", b""),
    "zeros": (b"\0", b"\0" * 1000),
    "no text": (b"\xff\xfe\xfd", b"\x80\x81"),
    "UTF-16": ("x = 1\n".encode("utf-16"), "x = 2\n".encode("utf-16")),
    "a byte order mark": (b"\xef\xbb\xbfx = 1\n", b"\xef\xbb\xbfx = 2\n"),
    "open brackets": (b"x", b"(" * 5_000),
    "nested lists": (b"[]", b"[" * 2_000 + b"]" * 2_000),
    "an open string": (b"x", b"'''" + b'"' * 1000),
    "a long line": (b"x", b"x" * 30_000),
    "many lines": (b"x", b"x = 1\n" * 500),
    "carriage returns": (b"a\r\nb", b"a\rb\r\r\n\x0b\x0c"),
    "lone surrogates": (b"x", "x = '\ud800'\n".encode(errors="surrogatepass")),
}


@pytest.mark.parametrize("name", CONTENTS)
def test_no_content_breaks_a_scorer(name: str) -> None:
    before, after = CONTENTS[name]
    assert broken(report(FakeWorkspace(dict.fromkeys(NAMES, before), dict.fromkeys(NAMES, after)))) == []
    assert broken(report(FakeWorkspace({}, dict.fromkeys(NAMES, after)))) == []
    assert broken(report(FakeWorkspace(dict.fromkeys(NAMES, before)))) == []


def test_no_kind_of_entry_breaks_a_scorer() -> None:
    links = dict.fromkeys(NAMES, "/etc/passwd")
    files = dict.fromkeys(NAMES, "x = 1\n")
    assert broken(report(FakeWorkspace(links=links))) == []
    assert broken(report(FakeWorkspace(files, links=links))) == []
    assert broken(report(FakeWorkspace(old_links=links, new=files))) == []
    assert broken(report(FakeWorkspace(files, files, modes=dict.fromkeys(NAMES, 0o755)))) == []
    assert broken(report(FakeWorkspace(nested_repositories=(ODD,), cut=(ODD,)))) == []


files = st.dictionaries(st.sampled_from(NAMES), st.binary(max_size=60) | st.text(max_size=60), max_size=4)


@examples(50)
@given(files, files)
def test_no_workspace_breaks_a_scorer(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert broken(report(FakeWorkspace(old, new))) == []
