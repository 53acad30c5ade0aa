"""The tree of a Ruby file, with the nodes that other grammars have and Ruby's doesn't.

What a ``rescue`` belongs to is a try with a body; a word by itself may be a call; ``x.should == 3`` hands over a
matcher; ``next`` leaves a block as ``return`` does a function.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from assay.detectors.test_code.engine.expressions.parts import LOOPS, Grammar, Part, parts
from assay.detectors.test_code.engine.language import Branches
from assay.detectors.test_code.languages.ruby.words import OPAQUE
from assay.detectors.test_code.tree import Node, ParsedText, parse_parts
from assay.detectors.test_code.word_sets import word_set

GRAMMAR = Grammar(
    "ruby",
    parts(
        CLASS="class module",
        FUNCTION="method singleton_method",
        CLOSURE="do_block block lambda",
        CALL="call",
        GIVEN="argument_list",
        BLOCK="body_statement block_body then begin do",
        IF="if elsif if_modifier",
        UNLESS="unless unless_modifier",
        ELSE="else",
        LOOP="while until while_modifier until_modifier",
        EACH="for",
        SWITCH="case",
        CASE="when",
        TRY="rescue_modifier",
        CATCH="rescue",
        FINALLY="ensure",
        RETURN="return",
        BREAK="break next",
        BINDING="assignment",
        ASSIGNMENT="operator_assignment",
        OTHER="binary heredoc_body",
        TEXT=" ".join(sorted(OPAQUE)),
    ),
    ("argument_list", "do_block", "block"),
)
_BARE = "skip|pending|omit|pend|raise|fail|flunk|exit|abort|private|protected|public|pass|focus"
_BARE_WORD = re.compile(rf"\b(?:{_BARE})\b")
_DEFINED = re.compile(r"^[ \t]*def ([a-z_]\w*+)[ \t]*+(?:\(\))?[ \t]*+$", re.MULTILINE)
_MOST_DEFINED = 200
_NEAR = 60
_STATEMENTS = word_set(
    "body_statement block_body then else ensure begin do rescue_modifier if_modifier unless_modifier binary"
) | {""}
"""Where a word by itself is a call."""
_RAISES = re.compile(r"raise\b")
_LAMBDA = re.compile(r"(?:lambda|proc|Proc\.new)\s*+(?:\{|do\b)")
_LOOP = re.compile(r"\.\s*+(?:each\w*+|map|flat_map|times|upto|downto)\s*+(?:\([^()\n]*\)\s*+)?\Z")
_LET = re.compile(r"let!?(?=[\s(]\s*+:\w)")
_SHOULD = re.compile(r"(?<=should|ld_not)\s*+(?===|=~|>|<|!=)")
_KEYWORDS = {
    kind: re.compile(rf"\b{kind.partition('_')[0]}\b")
    for kind in ("if_modifier", "unless_modifier", "while_modifier", "until_modifier", "rescue_modifier")
}
_CLAUSES = frozenset(("rescue", "ensure", "else"))
# The grammar keeps the length of a heredoc's delimiter in one byte and ends the whole process where it needs more.
_LONG_DELIMITER = re.compile(r"""<<(?=[~-]?(?:[^\W\d]\w{200}|(["'`])(?:(?!\1)[\s\S]){200}))""")
_MOST_ANNOUNCED = 100
_TEXT = OPAQUE | {"heredoc_body", "comment"}
_REFUSED = "A heredoc's delimiter has 200 characters or more."


def parse(text: str) -> ParsedText:
    """Read a text."""
    announced = [match.start() for match in _LONG_DELIMITER.finditer(text)]
    grammar = _grammar(text)
    if announced:
        grammar = replace(grammar, parts={**grammar.parts, "comment": Part.OTHER})
    tree = parse_parts(text, grammar, _without(text, announced))
    if len(announced) > _MOST_ANNOUNCED or not all(_is_text(tree, offset) for offset in announced):
        tree = parse_parts("", GRAMMAR)
        tree.problems = (_REFUSED,)
    _settle(tree)
    return tree


def _grammar(text: str) -> Grammar:
    """With the words that are calls even where nothing follows them, methods of the file among them."""
    defined = set(_DEFINED.findall(text)[:_MOST_DEFINED])
    if not defined and not _BARE_WORD.search(text):
        return GRAMMAR
    return replace(GRAMMAR, named=("identifier", f"^({'|'.join((_BARE, *sorted(defined)))})$"))


def _without(text: str, offsets: list[int]) -> str | None:
    """The text with the beginnings of heredocs blanked out; None where there are none."""
    pieces, position = [], 0
    for offset in offsets:
        pieces += [text[position:offset], "  "]
        position = offset + 2
    return "".join((*pieces, text[position:])) if offsets else None


def _is_text(tree: ParsedText, offset: int) -> bool:
    """Whether an offset is within a string or a comment, where nothing announces a heredoc."""
    return any(node.kind in _TEXT and node.start < offset < node.end for node in tree.nodes)


def _settle(tree: ParsedText) -> None:
    """Make of every node what it is to the engine."""
    changed = False
    for node in list(tree.nodes):
        kind, parent = node.kind, node.parent
        if kind == "identifier" and parent is not None and parent.kind not in _STATEMENTS:
            parent.children.remove(node)
            changed = True
        elif kind in ("identifier", "call"):
            changed = _settle_call(tree, node) or changed
        elif kind == "next" and _leaves_block(node):
            node.part = Part.RETURN
        elif kind == "block" and node.part is Part.CLOSURE and parent is not None and parent.kind == "lambda":
            node.part = Part.BLOCK
        elif kind in ("begin", "body_statement", "rescue_modifier"):
            changed = _settle_try(tree, node) or changed
    if changed:
        tree.nodes[:] = _in_order(tree.nodes[0])


def _settle_call(tree: ParsedText, node: Node) -> bool:
    if _RAISES.match(tree.text, node.start):
        node.part = Part.THROW
    elif _LET.match(tree.text, node.start):
        node.part = Part.BINDING
    else:
        _settle_block(tree, node)
    around = node.parent
    if around is None or around.kind != "binary" or around.children[0] is not node:
        return False
    found = _SHOULD.match(tree.text, node.end)
    if found is None:
        return False
    node.end = around.end
    _wrap(node, around.children[1:], "argument_list", Part.GIVEN, found.end(), around.end)
    del around.children[1:]
    return True


def _settle_block(tree: ParsedText, node: Node) -> None:
    """``lambda do … end`` is a closure, and ``xs.each do |x| … end`` a loop."""
    block = node.child("do_block", "block")
    if block is None:
        return
    if _LAMBDA.match(tree.text, node.start):
        node.part, block.part = Part.CLOSURE, Part.BLOCK
    elif _LOOP.search(tree.text, max(node.start, block.start - _NEAR), block.start):
        # What a block takes belongs to the head of the loop.
        node.part, block.part = Part.EACH, Part.OTHER
        for child in block.children:
            child.parent = node
        at = node.children.index(block) + 1
        node.children[at:at] = block.children
        block.children = []


def _leaves_block(node: Node) -> bool:
    for around in node.ancestors():
        if around.part in LOOPS:
            return False
        if around.part is Part.CLOSURE:
            return True
    return False


def _settle_try(tree: ParsedText, node: Node) -> bool:
    """Give what has handlers a body of its own."""
    if node.kind == "rescue_modifier":
        at = keyword(tree, node)
        before = [child for child in node.children if child.start < at]
        after = node.children[len(before) :]
        node.children = []
        _wrap(node, before, "tried", Part.BLOCK, node.start, at)
        caught = _wrap(node, [], "caught", Part.CATCH, at, node.end)
        _wrap(caught, after, "handler", Part.BLOCK, at + len("rescue"), node.end)
        return True
    first = next((i for i, child in enumerate(node.children) if child.kind in _CLAUSES), None)
    if first is None:
        return False
    holder = node
    if node.kind == "begin":
        node.part = Part.TRY
    else:
        inside, node.children = node.children, []
        holder = _wrap(node, inside, "try", Part.TRY, node.start, node.end)
    clauses = holder.children[first:]
    tried = holder.children[:first]
    holder.children = []
    begin = tried[0].start if tried else holder.start
    _wrap(holder, tried, "tried", Part.BLOCK, begin, clauses[0].start)
    holder.children += clauses
    return True


def _wrap(parent: Node, children: Sequence[Node], kind: str, part: Part, start: int, end: int) -> Node:
    """A new last child that holds some nodes."""
    made = Node(kind, start, end, parent, part)
    made.children = list(children)
    for child in children:
        child.parent = made
    parent.children.append(made)
    return made


def _in_order(root: Node) -> list[Node]:
    """All nodes in the order of the text."""
    found: list[Node] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        found.append(node)
        waiting.extend(reversed(node.children))
    return found


def keyword(tree: ParsedText, node: Node) -> int:
    """Where the keyword of a modifier stands: the first that is in none of its parts."""
    pattern, at = _KEYWORDS[node.kind], node.start
    for child in node.children:
        match = pattern.search(tree.text, at, child.start) if child.start > at else None
        if match is not None:
            return match.start()
        at = max(at, child.end)
    match = pattern.search(tree.text, at, node.end)
    return match.start() if match is not None else node.end


def branches(tree: ParsedText, node: Node) -> Branches | None:
    """``x if y``, where the body comes first."""
    if node.kind not in _KEYWORDS:
        return None
    at = keyword(tree, node)
    body = node.children[0] if node.children and node.children[0].end <= at else None
    return Branches(at, node.end, body, (), node.end, node.part is Part.UNLESS)
