"""Markdown of agents: readable, and nothing of it leads, loads or runs."""

import re
import time

import pytest

from assay.web.markdown import markdown
from assay.web.rendering import json_text
from tests.builders import REPO
from tests.web.examples import CORPUS

AROUND = ("{}", "**{}**", "`{}`", "- {}", "> {}", "```\n{}\n```", "[{}](x)", "[x]({})", "|{}|\n|-|\n|{}|")
ALLOWED = re.compile(
    r"</?(?:p|strong|em|code|pre|ul|ol|li|table|thead|tbody|tr|th|td|blockquote|hr|br|div)"
    r"(?: class=\"prose\"| start=\"\d+\")?>"
)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("one\ntwo", "<p>one<br>\ntwo</p>"),
        ("a\n\nb", "<p>a</p>\n<p>b</p>"),
        ("**bold**, *soft* and `x < y`", "<p><strong>bold</strong>, <em>soft</em> and <code>x &lt; y</code></p>"),
        ("snake_case_name, a*b*c, 2 ** 3", "<p>snake_case_name, a*b*c, 2 ** 3</p>"),
        ("## Plan", "<p><strong>Plan</strong></p>"),
        ("- a\n  - b\n- c", "<ul><li><p>a</p>\n<ul><li>b</li></ul></li><li>c</li></ul>"),
        ("- a\n\n3. x\n4. y", '<ul><li>a</li></ul>\n<ol start="3"><li>x</li><li>y</li></ol>'),
        ("```py\nif a:\n\n    b\n```\nend", "<pre><code>if a:\n\n    b</code></pre>\n<p>end</p>"),
        ("```\nnever closed", "<pre><code>never closed</code></pre>"),
        ("> q\n> r", "<blockquote><p>q<br>\nr</p></blockquote>"),
        ("|a|b|\n|-|-|\n|1|2|", "<table><thead><tr><th>a</th><th>b</th></tr></thead>"
         "<tbody><tr><td>1</td><td>2</td></tr></tbody></table>"),
        ("[here](javascript:alert(1))", "<p>[here](javascript:alert(1))</p>"),
        ("[here](https://e.example/x) ![p](http://e.example/p.png)",
         "<p>here <code>https://e.example/x</code> p <code>http://e.example/p.png</code></p>"),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>"),
        ("---", "<hr>"),
    ],
)  # fmt: skip
def test_what_it_looks_like(text: str, html: str) -> None:
    assert str(markdown(text)) == f'<div class="prose">{html}</div>'


@pytest.mark.parametrize("evil", CORPUS)
@pytest.mark.parametrize("around", AROUND)
def test_nothing_leads_loads_or_runs(evil: str, around: str) -> None:
    html = str(markdown(around.replace("{}", evil)))
    tags = set(re.findall(r"<[^>]*>", html))
    assert [tag for tag in tags if not ALLOWED.fullmatch(tag)] == []
    assert not set("\x00\x1b\u202e") & set(html)


def test_no_text_takes_long() -> None:
    hostile = ["`" * 20_000, "*" * 20_000, "[" * 20_000, "[a](" * 5000, "**a" * 7000, "_a " * 7000, ">" * 20_000]
    hostile += ["  - x\n" * 3000, "\n".join(" " * n + "- x" for n in range(150)), f"{'|' * 9000}\n{'|-|' * 3000}"]
    began = time.process_time()
    for text in hostile:
        markdown(text)
    assert time.process_time() - began < 2


def test_values_are_shown_as_people_write_them() -> None:
    assert json_text({"name": "Seán O'Brien & Söhne", "名": "山田太郎"}) == (
        '{"name": "Seán O\'Brien & Söhne", "名": "山田太郎"}'
    )


def test_no_page_shows_people_what_is_meant_for_scripts() -> None:
    templates = (REPO / "src" / "assay" / "web" / "templates").glob("*.html")
    assert [path.name for path in templates if "tojson" in path.read_text()] == []
