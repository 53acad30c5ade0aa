"""A diff is shown page by page, with the numbers of its lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.evidence.files import HeldBytes
from assay.formats.diff_pages import LINES, DiffLine, diff_page
from tests.web.traces import large_diff

DIFF = """diff --git a/one.py b/one.py
index 1..2 100644
--- a/one.py
+++ b/one.py
@@ -3,3 +3,4 @@ def f():
 same
-old
+new
+newer
 end
\\ No newline at end of file
diff --git a/two words.py b/two words.py
new file mode 100644
--- /dev/null
+++ b/two words.py
@@ -0,0 +1 @@
+x
"""


def test_lines_have_their_numbers() -> None:
    page = diff_page(HeldBytes(DIFF.encode()))
    assert [one.path for one in page.files] == ["one.py", "two words.py"]
    changed = [
        (one.kind, one.text, one.old, one.new) for one in page.lines if one.kind in ("added", "removed", "same")
    ]
    assert changed == [
        ("same", "same", 3, 3),
        ("removed", "old", 4, None),
        ("added", "new", None, 4),
        ("added", "newer", None, 5),
        ("same", "end", 5, 6),
        ("added", "x", None, 1),
    ]
    assert page.next is None


def test_a_large_diff_has_pages() -> None:
    source = HeldBytes("".join(large_diff(600_000)).encode())
    place: tuple[int, int] | None = (0, 0)
    seen: list[DiffLine] = []
    while place is not None:
        page = diff_page(source, *place)
        assert len(page.lines) <= LINES
        seen += page.lines
        place = page.next
    assert "".join({"added": "+"}.get(one.kind, "") + one.text + "\n" for one in seen).encode() == source.data
    assert seen[-1].new == 400


def test_the_place_of_a_file_over_the_edge_of_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    for piece in range(8, 60):
        monkeypatch.setattr("assay.formats.diff_pages.PIECE", piece)
        assert [one.path for one in diff_page(HeldBytes(DIFF.encode())).files] == ["one.py", "two words.py"]


@given(st.binary(max_size=300), st.integers(0, 5), st.integers(0, 5))
def test_no_bytes_break_it(data: bytes, file: int, line: int) -> None:
    page = diff_page(HeldBytes(data), file, line)
    assert all(one.start <= one.end <= len(data) for one in page.files)


def test_a_line_without_an_end_is_cut() -> None:
    page = diff_page(HeldBytes(b"diff --git a/x b/x\n@@ -1 +1 @@\n+" + b"x" * 3_000_000))
    assert len(page.lines[-1].text) < 5000
