"""Both engines say what ``regex`` says, of every pattern that they take, and count steps that are no time."""

import pytest
import regex
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.field_rules.values import compile_pattern, full_match, replace_each, search, search_each
from assay.formats.pattern.search import Searched
from assay.formats.pattern.steps import StepsError

SIMPLE = [*"abK1é_. ", r"\u017f", r"\d", r"\w", r"\W", r"\s", r"\n", r"\.", r"\x61", r"\P{L}", "(?#b)"]
CLASSES = ["[a-k]", "[^a]", r"[\d_]", "[]a]", r"[\]a-c]", "[[:alpha:]]"]
ONE = st.sampled_from([*SIMPLE, *CLASSES, "^", "$", r"\b", r"\B", r"\A", r"\Z"])
OFTEN = st.sampled_from(["*", "+", "?", "{2}", "{1,2}", "{,2}", "{1,}", "*?", "+?", "??"])
FLAGS = st.sampled_from(["", "", "(?i)", "(?m)", "(?s)", "(?im)"])
TEXTS = st.text("abkK1 \né_ſ٣.A", max_size=8)


def grown(
    parts: st.SearchStrategy[str], opening: list[str], often: st.SearchStrategy[str]
) -> st.SearchStrategy[str]:
    return st.one_of(
        st.tuples(parts, parts).map("".join),
        st.tuples(parts, parts).map(lambda two: f"(?:{two[0]}|{two[1]})"),
        st.tuples(parts, often).map(lambda two: f"(?:{two[0]}){two[1]}"),
        st.tuples(st.sampled_from(opening), parts).map(lambda two: f"{two[0]}{two[1]})"),
    )


SCOPES = ["(", "(?:", "(?i:", "(?s:", "(?m:", "(?-i:", "(?P<n>"]
LINEAR = st.recursive(ONE, lambda parts: grown(parts, SCOPES, OFTEN), max_leaves=8)
TRIED = st.recursive(
    ONE,
    lambda parts: grown(
        parts, ["(?=", "(?!", "(?<=", "(?<!", "(?>", *SCOPES], OFTEN | st.sampled_from(["*+", "?+"])
    ),
    max_leaves=8,
)


def taken(pattern: str) -> Searched | None:
    """None for what ``regex`` or we don't take: a name twice, and looking back at what is not given back."""
    try:
        return compile_pattern(pattern)
    except ValueError:
        return None


@pytest.mark.parametrize("patterns", [LINEAR, TRIED], ids=["linear", "tried"])
def test_a_search_says_what_the_library_says(patterns: st.SearchStrategy[str]) -> None:
    @given(st.tuples(FLAGS, patterns).map("".join), st.lists(TEXTS, max_size=5))
    def check(pattern: str, texts: list[str]) -> None:
        ours = taken(pattern)
        if ours is None:
            return
        theirs = regex.compile(pattern)
        assert search_each(ours, texts) == [theirs.search(one) is not None for one in texts]
        assert search_each(ours, texts, whole=True) == [theirs.fullmatch(one) is not None for one in texts]

    check()


@given(st.tuples(FLAGS, LINEAR).map("".join), TEXTS)
def test_trying_says_what_the_linear_engine_says(pattern: str, text: str) -> None:
    ours = taken(pattern)
    # What looks ahead at nothing is tried.
    tried = taken(f"(?=){pattern}" if not pattern.startswith("(?") else f"{pattern}(?=)")
    if ours is not None and tried is not None:
        assert search(ours, text) == search(tried, text)
        assert full_match(ours, text) == full_match(tried, text)


@pytest.mark.parametrize(
    ("pattern", "text", "occurs"),
    [
        (r"(\w+) \1\b", "it was was so", True),
        (r"(\w+) \1\b", "it was wasted", False),
        (r"(?i)(a)\1", "aA", True),
        (r"(?P<q>['\"])x(?P=q)", "'x\"", False),
        (r"(a)|b\1", "b", False),
        (r"^(?!.*error).*$", "all is well", True),
        (r"^(?!.*error).*$", "an error", False),
        (r"(?<!\d)12(?!\d)", "a 12.", True),
        (r"(?<!\d)12(?!\d)", "a 123", False),
        (r"(?<=a+)b", "caab", True),
        (r"a++a", "aaa", False),
        (r"(?x) a b  # both", "ab", True),
        (r"(?i:(?x) a b) c", "AB c", True),
        (r"a b(?x) c", "a bc", True),
        (r"a(?i)b", "AB", False),
        (r"(?:a(?i)b)c|d", "aBc", True),
        (r"(?:a(?i)b)c|d", "aBC", False),
        (r"\w(?a)", "é", False),
        ("a{,2}{", "{", True),
        (r"\ud800", "\ud800", True),
        ("a{1001}$", "a" * 1001, True),
        ("(?m)^b$(?-m:$)", "a\nb", True),
    ],
)
def test_what_only_trying_can_tell(pattern: str, text: str, occurs: bool) -> None:
    assert search(compile_pattern(pattern), text) is occurs
    assert (regex.search(pattern, text) is not None) is occurs


UNLIKE_OTHERS = [
    "(?:foo){e<=1}",
    "(?:foo){e}",
    "(?R)",
    "(a)(?1)",
    "(?|a|b)",
    "(?(1)a|b)()",
    "(?V1)[a--b]",
    "(?b)a",
]
ODD = [r"a\Kb", r"\X", r"\R", r"\Ga", r"\ma", "(?P<a>x)(?P<a>y)", "(?<=a++)b", "(*FAIL)", "(?a:b)"]


@pytest.mark.parametrize("pattern", [*UNLIKE_OTHERS, *ODD])
def test_what_has_no_number_of_steps_is_refused(pattern: str) -> None:
    regex.compile(pattern)
    with pytest.raises(
        ValueError, match=r"^the pattern .* has .* at character \d+, which patterns here can't have$"
    ):
        compile_pattern(pattern)


@pytest.mark.parametrize(
    ("pattern", "by", "text"),
    [("b*", "-", "abc"), (r"(\d)(x)?", "<>", "1x2"), ("^|$", "|", "ab\n"), ("(?=b)", "/", "abb")],
)
def test_every_match_is_replaced(pattern: str, by: str, text: str) -> None:
    assert replace_each(compile_pattern(pattern), text, lambda _: by) == regex.sub(pattern, by, text)


def test_steps_are_the_same_each_time() -> None:
    linear, tried = compile_pattern(".*?.*?.*?XQ|END7"), compile_pattern(r"(x|xx)+\1y")
    assert {linear.occurs("a" * 360 + "END7", 10_000) for _ in range(3)} == {(True, 9965)}
    left = {tried.occurs("x" * 20, 10_000) for _ in range(3)}
    assert len(left) == 1
    needed = 10_000 - left.pop()[1]
    assert tried.occurs("x" * 20, needed) == (False, 0)
    with pytest.raises(StepsError):
        tried.occurs("x" * 20, needed - 1)
    with pytest.raises(StepsError):
        linear.occurs("a" * 1_000_000, 1000)
