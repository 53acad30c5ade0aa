"""Questions about a short call."""

from assay.evidence.playground import Turn
from assay.evidence.verdict import Question
from tests.checks.criteria.fake_state import call

TURNS = call(
    ("caller", "Is my visit booked?"),
    ("agent", "You\u2019re all set for  Thursday, it costs $50."),
    ("caller", "Your visit is booked, I hope?"),
    ("agent", "\u4f60\u7684\u9884\u7ea6\u5df2\u7ecf\u786e\u8ba4\u4e86"),
)
AGENT = tuple(turn for turn in TURNS if turn.speaker == "agent")
ASKED = Question(("is booked",), tuple(TURNS), AGENT)


def about(*texts: str, phrases: tuple[str, ...] = ("is booked",)) -> Question:
    """A question about a call in which all turns count."""
    turns: tuple[Turn, ...] = tuple(call(*(("agent", text) for text in texts)))
    return Question(phrases, turns, turns)
