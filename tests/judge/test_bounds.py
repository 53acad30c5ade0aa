"""A long text keeps its two ends, and everything that is left out is counted."""

from hypothesis import given
from hypothesis import strategies as st

from assay.judge.bounds import PromptBounds, bounds_within, cut_front, cut_middle

texts = st.text(st.sampled_from(["a", "\n", "é", "\U0001f600", "\ud800"]), max_size=200)


@given(texts, st.integers(1, 60))
def test_head_cut_and_tail_are_the_whole(text: str, limit: int) -> None:
    for shown in (cut_middle(text, limit), cut_front(text, limit)):
        assert len(shown.head) + len(shown.tail) <= limit
        assert text.startswith(shown.head)
        assert text.endswith(shown.tail)
        size = sum(len(one.encode(errors="surrogatepass")) for one in (shown.head, shown.tail))
        assert size + shown.bytes == len(text.encode(errors="surrogatepass"))
        assert (shown.bytes > 0) == (len(text) > limit)


def test_a_cut_is_between_lines_where_there_are_any() -> None:
    shown = cut_middle("".join(f"line {number}\n" for number in range(100)), 100)
    assert shown.head == "".join(f"line {number}\n" for number in range(7))
    assert shown.tail.splitlines()[0] == "line 94"
    assert shown.lines == 87


def test_a_cut_is_a_field_of_its_own() -> None:
    assert cut_middle("short", 9).record() == {"text": "short"}
    assert cut_middle("0123456789", 4).record("diff") == {
        "diff": "01",
        "cut_here": {"lines": 1, "bytes": 6},
        "diff_after_the_cut": "89",
    }


def test_smaller_bounds_keep_the_proportions() -> None:
    usual = PromptBounds()
    assert bounds_within(usual.total) == usual
    half = bounds_within(usual.total // 2)
    assert half.total <= usual.total // 2
    assert abs(half.diff - usual.diff / 2) < 2
