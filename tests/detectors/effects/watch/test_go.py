"""Which tests of Go reach a mutant, by what packages import. A script chooses as Go would: there is no Go here."""

from pathlib import Path

import pytest

from assay.detectors.effects.mutants import Mutant
from assay.detectors.effects.reach import Everything, Reach
from assay.detectors.effects.sides import EffectSide
from assay.detectors.effects.suite import Suite, SuiteResult
from assay.detectors.effects.watch.find import watch_for
from assay.detectors.effects.watch.go import imports_of
from assay.evidence.workspace import AS_LEFT, Opened
from assay.formats.test_reports.rule import ReportRule
from tests.checks.small_project import project

FILES = {
    "go.mod": "module example.com/shop\n\ngo 1.22\n",
    "shop.go": 'package shop\n\nimport (\n\t"fmt"\n\n\tc "example.com/shop/cart"\n)\n',
    "shop_test.go": 'package shop\n\nimport "testing"\n',
    "cart/cart.go": 'package cart\n\nimport "example.com/shop/tax"\n',
    "cart/cart_test.go": 'package cart\n\nimport "testing"\n',
    "tax/tax.go": "package tax\n",
    "tax/tax_test.go": 'package tax_test\n\nimport (\n\t"testing"\n\t"example.com/shop/tax"\n)\n',
    "cmd/main_test.go": 'package main\n\nimport (\n\t"os/exec"\n\t"testing"\n)\n',
}
PASSED = frozenset(
    f"example.com.shop.{name}"
    for name in ("TestShop", "TestShop.small", "cart.TestCart", "tax.TestTax", "cmd.TestMain")
)
# Writes what go would, for all tests or for those of one name.
RAN = """for one in TestShop cart.TestCart tax.TestTax cmd.TestMain; do
case "${GOFLAGS}" in ''|*"(${one#*.})"*) ;; *) continue ;; esac
case $one in *.*) p=example.com/shop/${one%.*} ;; *) p=example.com/shop ;; esac
echo '{"Action":"pass","Package":"'$p'","Test":"'${one#*.}'"}' >> report.json
done"""
REPORT = ReportRule("report.json", "go")


def reach_of(folder: Path, change: dict[str, str | None] | None = None) -> Reach:
    evidence = project(folder, {**(change or {})}, FILES)
    watch = watch_for(Suite("go test -json ./...", 60, REPORT), evidence, "abcdefgh")
    assert watch is not None
    reach = watch.read(SuiteResult(PASSED, frozenset(), 0, True, 1.0, None, {}, Opened()))
    assert reach is not None
    return reach


@pytest.mark.parametrize(
    ("path", "tests"),
    [
        ("tax/tax.go", ["cart TestCart", "cmd TestMain", "tax TestTax", "TestShop"]),
        ("cart/cart.go", ["cart TestCart", "cmd TestMain", "TestShop"]),
        ("shop.go", ["cmd TestMain", "TestShop"]),
    ],
)
def test_the_tests_of_packages_that_import_a_file(path: str, tests: list[str], tmp_path: Path) -> None:
    reach = reach_of(tmp_path)
    found = reach.reaching(Mutant(path, 1, 0, 1, "x", "y", "constant", 1), PASSED)
    wanted = [f"example.com/shop/{one}" if " " in one else f"example.com/shop {one}" for one in tests]
    assert sorted(found) == sorted(wanted)
    assert reach.named(["example.com/shop TestShop"]) == {
        "example.com.shop.TestShop",
        "example.com.shop.TestShop.small",
    }


def test_who_starts_programs_may_get_anywhere(tmp_path: Path) -> None:
    assert isinstance(reach_of(tmp_path).tests["example.com/shop/cmd TestMain"], Everything)


def test_an_import_of_either_side_counts(tmp_path: Path) -> None:
    reach = reach_of(tmp_path, {"shop.go": "package shop\n"})
    assert "tax/tax.go" in reach.tests["example.com/shop TestShop"].paths


@pytest.mark.parametrize(
    ("command", "chooses"),
    [(RAN, True), (f"export GOFLAGS=; {RAN}", False), (f'export GOFLAGS="${{GOFLAGS:+none}}"; {RAN}', False)],
    ids=["chosen tests", "all of them", "none of them"],
)
def test_a_choice_is_tried_out_before_it_is_believed(command: str, chooses: bool, tmp_path: Path) -> None:
    suite, evidence = Suite(command, 60, REPORT), project(tmp_path, {}, FILES)
    side = EffectSide(suite, watch_for(suite, evidence, "abcdefgh"), AS_LEFT, evidence)
    assert len(side.base.passed) == 4
    assert side.selects is chooses


@pytest.mark.parametrize("added", [{"go.work": "use ."}, {"sub/go.mod": "module x\n"}, {"go.mod": None}], ids=str)
def test_a_workspace_that_is_not_one_module(added: dict[str, str | None], tmp_path: Path) -> None:
    evidence = project(tmp_path, {}, {path: text for path, text in {**FILES, **added}.items() if text is not None})
    assert watch_for(Suite("go test", 60, REPORT), evidence, "abcdefgh") is None


def test_imports() -> None:
    text = 'package a\nimport "a/b"\nimport . "c"\nimport (\n\t_ "d" // why\n\n\te "f/g"\n)\nvar x = "import"\n'
    assert imports_of(text) == {"a/b", "c", "d", "f/g"}
