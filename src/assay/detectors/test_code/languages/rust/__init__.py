"""Tests in Rust: the built-in harness, rstest, test_case, proptest and the asynchronous runtimes' attributes."""

import re

from assay.code.operators import RUST
from assay.detectors.test_code.engine.expressions.brackets import lexicon_pattern
from assay.detectors.test_code.engine.expressions.parts import Grammar, Part, parts
from assay.detectors.test_code.engine.expressions.truth import Logic
from assay.detectors.test_code.engine.expressions.words import Lexicon
from assay.detectors.test_code.engine.language import Catching, Declaring, Heads, Language, Quirks
from assay.detectors.test_code.engine.rules import Kind, Rule
from assay.detectors.test_code.languages.rust import attributes, quirks
from assay.detectors.test_code.languages.rust.asserts import MACROS
from assay.detectors.test_code.languages.rust.macros import bare_parsed
from assay.detectors.test_code.word_sets import word_set

_GRAMMAR = Grammar(
    "rust",
    parts(
        CLASS="mod_item impl_item trait_item",
        FUNCTION="function_item",
        CLOSURE="closure_expression async_block",
        CALL="call_expression macro_invocation",
        GIVEN="arguments",
        BLOCK="block",
        STATEMENT="expression_statement",
        IF="if_expression",
        ELSE="else_clause",
        LOOP="while_expression",
        EACH="for_expression",
        ONCE="loop_expression unsafe_block",
        SWITCH="match_expression",
        CASE="match_arm",
        RETURN="return_expression",
        BREAK="break_expression continue_expression",
        BINDING="let_declaration const_item static_item",
        ASSIGNMENT="assignment_expression compound_assignment_expr",
        MARK="attribute_item inner_attribute_item",
        OTHER="reference_expression macro_definition",
    ),
    ("arguments",),
    by_word={"reference_expression": {"&mut": Part.ASSIGNMENT}},
)
_RAW = r'[bc]?r\#+"(?:[^"]|"(?!\#))*+(?:"\#+|\Z)|[bc]?r"[^"]*+(?:"|\Z)'
_TEXT = r'[bc]?"(?:\\.|[^"\\])*+(?:"|\Z)'
_CHARACTER = r"b?'(?:\\'|\\[^'\n]{1,10}|[^'\\\n])'"
_PLAIN_RAW = re.compile(r'r\#*"([^"\\]*)"\#*')
_COMMENTS = r"//[^\n]*|/\*.*?(?:\*/|\Z)"
_LIFETIME = r"'[a-z_]\w*(?!['\w])"
_VEC = r"\bvec!(?=\s*\[)"
# ``"x".to_string()``, ``"x".to_owned()`` and ``String::from("x")`` are all the text ``"x"``.
_OWNED = r'(?<=")\.(?:to_string|to_owned|into)\(\)|\bString::from(?=\s*\(\s*")'
_NO_ELEMENTS = (
    r"(?:&?(?:vec!)?\[\s*\]|\b(\d+)\.\.\1|(?:\bstd::)?\biter::empty(?:::<.{0,400}>)?\(\)"
    r"|\bVec(?:::<.{0,400}>)?::new\(\))"
)


def _literal(text: str) -> str:
    """A raw string as a plain one, where that changes nothing."""
    raw = _PLAIN_RAW.fullmatch(text) if text[0] == "r" and text[-1] in '"#' else None
    return f'"{raw[1]}"' if raw is not None else text


LANGUAGE = Language(
    name="rust",
    grammar=_GRAMMAR,
    lexicon=Lexicon(
        lexicon_pattern(
            f"{_RAW}|{_TEXT}|{_CHARACTER}",
            f"{_COMMENTS}|{_LIFETIME}|{_VEC}|{_OWNED}",
            r"[^\W\d]\w*(?:!(?=\s*[(\[{]))?",
        ),
        _literal,
        "r",
        operators=RUST,
    ),
    heads=Heads(
        function=re.compile(
            r'(?:pub(?:\([^)]*\))?\s+)?(?:(?:const|async|unsafe|default|extern(?:\s*"[^"]*")?)\s+)*fn\s+(?P<name>(?:r\#)?\w+)'
            r"(?:\s*(?:<[^{]{0,400}?>\s*)?\((?P<takes>(?:[^()]|\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))*+)\)"
            r"\s*(?:->\s*(?P<results>[^{;]*))?)?"
        ),
        klass=re.compile(
            r"(?:pub(?:\([^)]*\))?\s+)?(?:unsafe\s+)?(?:mod|trait|impl(?:<[^{]{0,400}?>)?)\s+"
            r"(?P<name>[\w:#]+(?:\s+for\s+[\w:]+)?)"
        ),
        parameter=re.compile(r"^(?:mut )?(\w+)"),
    ),
    libraries=(MACROS,),
    declaring=Declaring(shared=None),
    catching=Catching(
        handing=re.compile(r"(?:\w+\.)*+catch_unwind|(?:\w+\.)*(?:thread|tokio|task|async_std|smol)\.spawn\w*"),
        heard=re.compile(
            r"\.\s*(?:unwrap|expect|join|unwrap_err|await|is_err|is_ok|map_err|err|ok_or|unwrap_or_else)\b|\?|resume_unwind"
        ),
        unheard=re.compile(r"\.\s*ok\s*\(\s*\)\s*;?\Z"),
    ),
    logic=Logic(
        frozenset(("false",)), strict=True, capitals=True, borrows=True, wrappers=frozenset(("Ok", "Some"))
    ),
    exits=frozenset(
        (*start, end) for start in ((), ("std",)) for end in ("exit", "abort") for start in ((*start, "process"),)
    ),
    nothing=re.compile(
        rf"(?:\bin\s+|^\s*|[(;{{]\s*|\s){_NO_ELEMENTS}\)?(?:\.(?:iter|into_iter|iter_mut)\(\))?\s*\Z"
    ),
    repeating=word_set("for_each map all any try_for_each"),
    fails=word_set("panic! unreachable! prop_fail! bail! fail!"),
    custom=re.compile(r"(?:assert(?:_\w+)?|verify_\w+)\Z"),
    known=attributes.CONFIGURATION,
    least={
        **dict.fromkeys(("unwrap", "expect"), Rule(Kind.QUIET)),
        **dict.fromkeys(("unwrap_err", "expect_err"), Rule(Kind.RAISES, expected=9)),
    },
    plain=True,
    quirks=Quirks(
        parse=lambda text: bare_parsed(text, _GRAMMAR),
        names=quirks.names,
        marks=attributes.marks,
        left_out=attributes.left_out,
        file_skips=attributes.file_skips,
        klass=quirks.klass,
        function=quirks.function,
        asserted=quirks.asserted,
        condition=quirks.condition,
        settle=quirks.settle,
    ),
)
