"""The page with the prompts of the judge, word for word."""

from collections.abc import Iterator

from assay.adapters.models.judge_setup import prompt_file, prompt_names
from docs.markdown import fence, from_docstring, table

_ABOUT = """
Prompts are files with a version in their name. A prompt that was released is never changed: another text is
another version, and old ones stay. Every verdict records the name and the SHA-256 of its prompt, and the hash of
the whole question with its data.

In the text, ``$data`` stands for the labelled parts of the run, each between two lines with ``$mark``, a random
word that none of the data contains. A prompt of your own needs both; other fields than those of the original are
refused.
"""
_USES = {
    "verdict": "the verdict on a run",
    "guard": "the guard question: does any text address the evaluator?",
    "monitor": "the monitor: did the agent work around its task?",
    "rubric": "the criteria of a rubric",
    "paraphrase": "whether a phrase was said in other words (`voice-transcript`)",
    "reading": "whether a phrase was said and still holds (`judge: true` of a phrase)",
}


def judge_prompts() -> Iterator[str]:
    """Every prompt with its hash and its text."""
    yield "# Prompts of the judge"
    yield from_docstring(_ABOUT)
    rows = [
        (f"[`{name}`](#{name})", _USES[name.rpartition("-")[0]], f"`{prompt_file(name).sha256[:16]}…`")
        for name in prompt_names()
    ]
    yield table(("prompt", "asks for", "SHA-256"), rows)
    for name in prompt_names():
        yield f"## {name}"
        yield fence(prompt_file(name).text.rstrip("\n"), "text")
