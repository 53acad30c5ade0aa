"""One word for what libraries call differently: ``contains``, ``Contain`` and ``hasItem`` are the same check."""

import re

_NEGATIONS = re.compile(r"(?:doesNot|DoesNot|isNot|IsNot|NotBe|NotHave|hasNo|toNot|not|Not|not_|doNot)(?=[A-Z_])")
_AUXILIARIES = re.compile(r"(?:to(?:Be|Have)?|is|Is|be|Be|does|has|Has|have|Have|are|Are)(?=[A-Z_])")
_SAME = {
    "contains": "contain",
    "include": "contain",
    "includes": "contain",
    "in": "contain",
    "hasitem": "contain",
    "item": "contain",
    "member": "contain",
    "containsstring": "contain",
    "containssubstring": "contain",
    "substring": "contain",
    "startswith": "startwith",
    "startingwith": "startwith",
    "endswith": "endwith",
    "endingwith": "endwith",
    "matches": "match",
    "matchstring": "match",
    "containsmatchin": "match",
    "test": "match",
    "regexp": "match",
    "regex": "match",
    "hasprefix": "startwith",
    "hassuffix": "endwith",
    "prefix": "startwith",
    "suffix": "endwith",
    "beginwith": "startwith",
    "containspattern": "match",
    "matchespattern": "match",
    "containskey": "containkey",
    "key": "containkey",
    "type": "instanceof",
    "kindof": "instanceof",
    "instance": "instanceof",
    "isinstance": "instanceof",
    "a": "instanceof",
    "an": "instanceof",
    "oftype": "instanceof",
    "assignablefrom": "instanceof",
    "assignableto": "instanceof",
    "instanceoftype": "instanceof",
    "exactlyinstanceof": "instanceof",
    "akindof": "instanceof",
    "aninstanceof": "instanceof",
    "blank": "empty",
    "nullorempty": "empty",
    "nullorwhitespace": "empty",
    "absent": "empty",
    "emptystring": "empty",
    "nullvalue": "null",
    "lengthof": "length",
    "sizeof": "length",
    "count": "length",
    "size": "length",
    "len": "length",
}
COMPARISONS = {
    "greaterthan": ">",
    "greater": ">",
    "greaterthanorequalto": ">=",
    "greaterthanorequal": ">=",
    "greaterorequal": ">=",
    "atleast": ">=",
    "lessthan": "<",
    "less": "<",
    "lessthanorequalto": "<=",
    "lessthanorequal": "<=",
    "lessorequal": "<=",
    "atmost": "<=",
    "above": ">",
    "gt": ">",
    "least": ">=",
    "gte": ">=",
    "below": "<",
    "lt": "<",
    "most": "<=",
    "lte": "<=",
}
_OPPOSITES = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_ALONE = {
    "positive": "> 0",
    "negative": "< 0",
    "empty": "(empty)",
    "null": "null",
    "present": "not (empty)",
}


def told(name: str, arguments: str = "", wanted: bool = True) -> str:
    """The demand of a check of this name."""
    core, affirmed = word_of(name)
    wanted = wanted is affirmed
    if core in COMPARISONS:
        operator = COMPARISONS[core]
        return f"{operator if wanted else _OPPOSITES[operator]} {arguments}"
    if core in _ALONE and not arguments:
        said = _ALONE[core]
        return said if wanted else said.removeprefix("not ") if said.startswith("not ") else f"not {said}"
    return f"{'' if wanted else 'not '}{core}({_plain(arguments)})"


def word_of(name: str) -> tuple[str, bool]:
    """The word in the name of a check that libraries share, and whether it isn't negated."""
    negation = _NEGATIONS.match(name)
    core = name[negation.end() :] if negation else name
    auxiliary = _AUXILIARIES.match(core)
    core = (core[auxiliary.end() :] if auxiliary else core).replace("_", "").lower()
    return _SAME.get(core, core), negation is None


def _plain(arguments: str) -> str:
    """A type is the same as ``Foo``, ``Foo.class`` and ``typeof(Foo)``, with its package and without."""
    if arguments.startswith("typeof("):
        return arguments.removeprefix("typeof(").removesuffix(")")
    if arguments.endswith("::class"):
        return arguments.rpartition("\\")[2]
    return arguments.removesuffix(".class")


def compared(operator: str, right: str, wanted: bool) -> str:
    """The demand of an inequality."""
    return f"{operator if wanted else _OPPOSITES[operator]} {right}"
