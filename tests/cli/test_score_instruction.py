"""What the agent was asked to do reaches scorers: a removed feature is believed if the instruction asks for it."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests.cli.running import Cli, Ran
from tests.coding import write_files

BEFORE = {
    "cart.py": "def total(x):\n    return x\n\n\ndef apply_coupon(x):\n    return x - 1\n",
    "tests/test_cart.py": "from cart import apply_coupon, total\n\n\n"
    "def test_total():\n    assert total(1) == 1\n\n\n"
    "def test_coupon():\n    assert apply_coupon(3) == 2\n",
}
AFTER = {
    "cart.py": "def total(x):\n    return x\n",
    "tests/test_cart.py": "from cart import total\n\n\ndef test_total():\n    assert total(1) == 1\n",
}


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({}, "PASS"),
        ({"user_instruction": " "}, "PASS"),
        ({"user_instruction": "Make total() faster."}, "FAIL"),
        ({"user_instruction": "Make total() faster.", "turns": ["Now drop the coupons, too."]}, "PASS"),
    ],
    ids=["none", "a blank one", "something else", "in a later turn"],
)
def test_a_removed_feature(fields: dict[str, object], verdict: str, cli: Cli, tmp_path: Path) -> None:
    scorer = {"name": "kept", "type": "assertions_not_weakened"}
    (tmp_path / "scenario.json").write_text(json.dumps({"scorers": [scorer], **fields}))
    before, after = write_files(tmp_path / "before", BEFORE), write_files(tmp_path / "after", AFTER)
    done = cli("score", after, "--scenario", tmp_path / "scenario.json", "--baseline", before, "--json")
    (row,) = json.loads(done.out)["scorers"]
    assert row["verdict"] == verdict
    assert "removed_features" in row["evidence"]


SKIPPED = BEFORE | {
    "tests/test_cart.py": BEFORE["tests/test_cart.py"].replace(
        "def test_coupon", "@pytest.mark.skip\ndef test_coupon"
    )
}


@pytest.fixture
def asked(cli: Cli, tmp_path: Path) -> Callable[..., Ran]:
    """Scores a skipped test by what was asked for."""

    def score(*more: object, fields: Mapping[str, object] | None = None) -> Ran:
        scorer = {"name": "kept", "type": "no_new_skips"}
        (tmp_path / "scenario.json").write_text(json.dumps({"scorers": [scorer], **(fields or {})}))
        before, after = write_files(tmp_path / "before", BEFORE), write_files(tmp_path / "after", SKIPPED)
        return cli("score", after, "--scenario", tmp_path / "scenario.json", "--baseline", before, *more)

    return score


ASKED = "Coupons are flaky at night. Skip test_coupon until they are fixed."


def test_what_is_asked_for_is_shown_and_does_not_count(asked: Callable[..., Ran], tmp_path: Path) -> None:
    assert "1 heuristic warning" in asked().out
    assert "1 heuristic warning" in asked("--instruction", "Make test_coupon pass.").out
    (tmp_path / "issue.md").write_text(ASKED)
    for given in (ASKED, f"@{tmp_path / 'issue.md'}"):
        done = asked("--instruction", given)
        assert done.out.startswith("OVERALL  PASS\n")
        assert "kept: not counted, because the instruction asks for it\n" in done.out
        assert "Skip test_coupon until they are fixed." in done.out
    done = asked("--instruction", ASKED, "--strict", "--json")
    assert [row["verdict"] for row in json.loads(done.out)["scorers"]] == ["PASS"]


@pytest.mark.parametrize(
    ("given", "fields", "problem"),
    [
        ("@AFTER/issue.md", {}, "must be a file outside of "),
        ("@/nowhere/issue.md", {}, "must be a text or @FILE that can be read: "),
        (" ", {}, "must say something, got an empty text"),
        ("Skip it.", {"instruction": "Fix it."}, "is for a scenario without one, but this one has an instruction"),
    ],
)
def test_what_is_no_instruction(
    given: str, fields: dict[str, object], problem: str, asked: Callable[..., Ran], tmp_path: Path
) -> None:
    write_files(tmp_path / "after", {"issue.md": ASKED})
    (tmp_path / "link.md").symlink_to(tmp_path / "after" / "issue.md")
    done = asked("--instruction", given.replace("AFTER", str(tmp_path / "after")), fields=fields)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"assay: --instruction {problem}")
    if "outside" in problem:
        assert asked("--instruction", f"@{tmp_path / 'link.md'}").code == 2
