"""One spelling for what can be written in several ways in Python: collections, encodings.

Tools rewrite these all over a project without changing what a test demands.
"""

import ast
import re

LONGEST = 240
_PLAIN = re.compile(r"'[^'\"\\\n]*+'\Z|\"[^\"\\\n]*+\"\Z")
_UTF8 = frozenset({"utf-8", "utf8", "UTF-8", "UTF8"})


def respelled_call(node: ast.Call) -> ast.expr:
    """A call as it would be written today."""
    function = node.func
    if isinstance(function, ast.Name):
        return _collection(node, function.id)
    if isinstance(function, ast.Attribute) and function.attr in ("encode", "decode"):
        given = [each.value for each in node.args if isinstance(each, ast.Constant)]
        if len(given) == len(node.args) == 1 and given[0] in _UTF8 and not node.keywords:
            return ast.Call(function, [], [])
    return node


def _collection(node: ast.Call, name: str) -> ast.expr:
    """``set([1, 2])`` and ``frozenset({1, 2})`` equal ``{1, 2}``, ``dict(a=1)`` is ``{"a": 1}``."""
    if name == "dict" and not node.args and all(word.arg for word in node.keywords):
        return ast.Dict([ast.Constant(word.arg) for word in node.keywords], [word.value for word in node.keywords])
    if name not in _MAKERS or node.keywords or len(node.args) > 1:
        return node
    return _made(node, name, node.args[0] if node.args else ast.List([]))


def _made(node: ast.Call, name: str, inner: ast.expr) -> ast.expr:
    if name == "frozenset" and isinstance(inner, ast.Set):
        return inner
    maker = _MAKERS[name]
    if not isinstance(inner, ast.List | ast.Tuple) or (maker is ast.Set and not inner.elts):
        return node
    return maker(inner.elts)


_MAKERS: dict[str, type[ast.Set | ast.List | ast.Tuple]] = {
    "set": ast.Set,
    "frozenset": ast.Set,
    "list": ast.List,
    "tuple": ast.Tuple,
}


def respelled_comprehension(node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> ast.expr:
    """``[x for x in xs]`` is ``list(xs)``."""
    (first, *more) = node.generators
    same = isinstance(node.elt, ast.Name) and isinstance(first.target, ast.Name) and node.elt.id == first.target.id
    if more or first.ifs or first.is_async or not same or isinstance(node, ast.GeneratorExp):
        return node
    return ast.Call(ast.Name("list" if isinstance(node, ast.ListComp) else "set"), [first.iter], [])


def other_spelling(node: ast.AST) -> ast.AST:
    """A node as it would be written today; itself where that is how it is written."""
    if isinstance(node, ast.Call):
        return respelled_call(node)
    if isinstance(node, ast.ListComp | ast.SetComp):
        return respelled_comprehension(node)
    return node


def spelled(node: ast.AST) -> str:
    """The text of a node in its one spelling: entries of a dictionary and of a set in the order of their texts."""
    if isinstance(node, ast.Dict) and None not in node.keys:
        pairs = sorted(f"{spelled(k)}: {spelled(v)}" for k, v in zip(node.keys, node.values, strict=True) if k)
        return f"{{{', '.join(pairs)}}}"
    if isinstance(node, ast.Set):
        return f"{{{', '.join(sorted(map(spelled, node.elts)))}}}"
    other = other_spelling(node)
    return ast.unparse(ast.fix_missing_locations(node)) if other is node else spelled(other)


def dotted_text(node: ast.expr) -> str:
    """The text of what is called: most often names with dots between, which are quicker to write than the rest."""
    names, inner = list[str](), node
    while isinstance(inner, ast.Attribute):
        names.append(inner.attr)
        inner = inner.value
    return ".".join((inner.id, *reversed(names))) if isinstance(inner, ast.Name) else ast.unparse(node)


def text_of(value: object) -> str:
    """A text in double quotes, whichever it had."""
    if isinstance(value, str):
        inner = repr(f"{value}'")[1:-2].replace('\\"', '"') if "'" in value else repr(value)[1:-1]
        return '"' + inner.replace('"', '\\"') + '"'
    return f"b{text_of(value.decode('latin-1'))}" if isinstance(value, bytes) else repr(value)


def literal(text: str) -> str:
    """A string in double quotes, a number in its plain form."""
    if text.isidentifier() or text.isdigit():
        return text
    if _PLAIN.match(text):
        return f'"{text[1:-1]}"'
    if text[0] in "fF" and text[-1] in "\"'":
        quotes = text[1:2]
        return text if quotes == '"' or '"' in text else f'f"{text[2:-1]}"'
    try:
        if text[0] in "123456789" and text.isascii() and text.replace("_", "").isdigit():
            return str(int(text))
        if text[-1] in "\"'":
            return text_of(ast.literal_eval(f"({text})"))
        return repr(ast.literal_eval(text)) if text[0].isdigit() and not text.isdigit() else text
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text
