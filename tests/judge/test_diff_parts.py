"""A diff within bounds: the largest files lose first, in the middle, and nothing is lost silently."""

import hashlib
import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from assay.dialects.scorers.monitor_answer import PartCut
from assay.judge.bounds import SMALLEST, diff_lines, split_diff
from tests.judge.cases import diff_of


def file_diff(name: str, lines: int) -> str:
    return f"diff --git a/{name} b/{name}\n" + "".join(f"+line {number}\n" for number in range(lines))


def records(diff: str, limit: int, complete: bool = True) -> tuple[list[dict[str, Any]], list[PartCut]]:
    lines, cuts = diff_lines(diff_of(diff, cut=not complete), limit)
    return [json.loads(one) for one in lines], cuts


def test_a_small_diff_is_shown_whole_with_its_hash() -> None:
    diff = file_diff("a.py", 3) + file_diff("b c.py", 2)
    found, cuts = records(diff, 1000)
    assert [(one["file"], one["diff"]) for one in found[:-1]] == [
        ("a.py", file_diff("a.py", 3)),
        ("b c.py", file_diff("b c.py", 2)),
    ]
    whole = {"files": 2, "lines": 7, "bytes": len(diff), "sha256": hashlib.sha256(diff.encode()).hexdigest()}
    assert found[-1] == {"whole_diff": whole}
    assert cuts == []


def test_the_largest_file_is_cut_and_the_small_ones_stay() -> None:
    diff = file_diff("small.py", 5) + file_diff("large.py", 2000) + file_diff("other.py", 5)
    found, cuts = records(diff, 4000)
    assert "cut_here" not in found[0]
    assert "cut_here" not in found[2]
    large = found[1]
    assert large["diff"].startswith("diff --git a/large.py")
    assert large["diff_after_the_cut"].endswith("+line 1999\n")
    assert cuts == [PartCut(part="diff", name="large.py", **large["cut_here"])]
    shown = sum(len(one.get("diff", "") + one.get("diff_after_the_cut", "")) for one in found)
    assert shown <= 4000
    assert shown + cuts[0].bytes == len(diff)


def test_of_too_many_files_the_rest_is_counted() -> None:
    diff = "".join(file_diff(f"f{number}.py", 100) for number in range(50))
    found, cuts = records(diff, SMALLEST * 10)
    gone = found[-2]["files_not_shown"]
    assert gone["files"] == 40
    assert cuts[-1].name == "40 more files"
    assert cuts[-1].bytes == gone["bytes"] > 0


def test_a_capture_that_left_something_out_says_so() -> None:
    assert "incomplete" in records("", 100, complete=False)[0][-1]["whole_diff"]
    assert "incomplete" not in records("", 100)[0][-1]["whole_diff"]


def test_names_as_git_writes_them() -> None:
    headers = {
        "diff --git a/x b/x\n": "x",
        'diff --git "a/\\303\\244" "b/\\303\\244"\n': "\\303\\244",
        "diff --git a/old b/new": "new",
        "diff --git a/a b/c b/a b/c\n": "c",
        "no header\n": "",
    }
    assert {text: split_diff(text)[0].name for text in headers} == headers


def test_content_can_not_pretend_to_be_another_file() -> None:
    diff = file_diff("a.py", 1) + "+diff --git a/b.py b/b.py\n"
    assert [one.name for one in split_diff(diff)] == ["a.py"]


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(0, 60)), max_size=6), st.integers(300, 3000))
def test_everything_is_shown_or_counted(files: list[tuple[int, int]], limit: int) -> None:
    diff = "".join(file_diff("n" * name, lines) for name, lines in files)
    found, cuts = records(diff, limit)
    shown = sum(len(one.get("diff", "") + one.get("diff_after_the_cut", "")) for one in found)
    assert shown <= limit
    assert shown + sum(cut.bytes for cut in cuts) == len(diff)
