"""What a judge's prompt is made with: its template, which is a file, and random marks."""

import functools
import secrets
from importlib.resources import files
from string import Template


@functools.cache
def prompt_template() -> Template:
    """The template of the prompt that asks for a paraphrase."""
    return Template((files("assay.judge") / "prompts" / "paraphrase.txt").read_text(encoding="utf-8"))


def new_mark() -> str:
    """A mark that nobody can guess."""
    return secrets.token_hex(16)
