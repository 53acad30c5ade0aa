"""The languages that the properties are asked of: what reads each, and the least that a file with a test needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType

import pytest

from assay.detectors.test_code.engine.reader import read
from assay.detectors.test_code.languages import csharp, go, java, javascript, ruby, rust
from assay.detectors.test_code.model import Assertion, Test, TestCode


@dataclass(frozen=True)
class Language:
    name: str
    read: Callable[[str], TestCode]
    file: str
    """A file; the dots stand for what is declared in it."""
    test: str
    """A test; the dots stand for what it does."""

    def test_of(self, statements: str) -> str:
        return self.test.replace("…", statements)

    def code(self, items: str) -> TestCode:
        code = self.read(self.file.replace("…", items))
        assert code.problems == ()
        return code

    def only(self, items: str) -> Test:
        (test,) = self.code(items).tests
        return test

    def asserted(self, statements: str) -> tuple[Assertion, ...]:
        """What the one test that does this asserts."""
        return self.only(self.test_of(statements)).assertions

    def assertion(self, statement: str) -> Assertion:
        (found,) = self.asserted(statement)
        return found


_IT = "it('t', async () => { … });"

CSHARP = Language(
    "csharp",
    partial(read, csharp.LANGUAGE),
    "using Xunit;\npublic class FooTests\n{\n…\n}\n",
    "[Fact] public async Task A() { … }",
)
GO = Language("go", partial(read, go.LANGUAGE), "package x\n\n…\n", "func TestA(t *testing.T) {\n…\n}")
JAVA = Language(
    "java",
    partial(read, java.LANGUAGE),
    "import org.junit.jupiter.api.*;\nclass FooTest {\n…\n}\n",
    "@Test void a() { … }",
)
JAVASCRIPT = Language("javascript", partial(read, javascript.LANGUAGE), "…", _IT)
RUBY = Language("ruby", partial(read, ruby.LANGUAGE), "…", "describe 'd' do\n  it 't' do\n    …\n  end\nend\n")
RUST = Language("rust", partial(read, rust.LANGUAGE), "#[cfg(test)]\nmod tests {\n…\n}\n", "#[test] fn a() { … }")
TSX = Language("typescript", partial(read, javascript.TSX), "…", _IT)
TYPESCRIPT = Language("typescript", partial(read, javascript.TYPESCRIPT), "…", _IT)


def rows(tables: Mapping[Language, ModuleType], name: str) -> list[object]:
    """The rows of each language's table of this name, behind the language. Every one must have such a table."""
    return [_case(language, row) for language, module in tables.items() for row in getattr(module, name)]


def _case(language: Language, row: str | tuple[object, ...]) -> object:
    cells = (row,) if isinstance(row, str) else row
    return pytest.param(language, *cells, id=f"{language.name}-{cells[0]}")
