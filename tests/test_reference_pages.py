"""The pages of operators and of path languages: complete, and with examples that are tried."""

import pytest

from assay.formats.field_rules.rule import OPERATORS
from docs import operators_page, paths_page


def test_every_operator_is_described_with_examples_that_hold() -> None:
    page = "\n".join(operators_page.operators_page())
    assert all(f"| `{name}` |" in page for name in OPERATORS)


def test_an_example_that_is_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = operators_page.DESCRIBED["in"]._replace(holds=("z",))
    monkeypatch.setitem(operators_page.DESCRIBED, "in", wrong)
    with pytest.raises(ValueError, match="the example 'z' of in is wrong"):
        list(operators_page.operators_page())


@pytest.mark.parametrize("name", sorted(paths_page.LANGUAGES))
def test_every_path_finds_something_unless_its_meaning_says_otherwise(name: str) -> None:
    language = paths_page.LANGUAGES[name]
    for path, meaning in language.paths.items():
        absent = meaning.startswith(("Nothing is there", "There is no such"))
        assert (not language.find(path)) is absent
