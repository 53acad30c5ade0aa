"""One word for what libraries call differently: ``contains``, ``Contain`` and ``hasItem`` are the same check."""

import re

_NEGATIONS = re.compile(r"(?:doesNot|DoesNot|isNot|IsNot|NotBe|NotHave|hasNo|toNot|not|Not|not_|doNot)(?=[A-Z_])")
_AUXILIARIES = re.compile(r"(?:to(?:Be|Have)?|is|Is|be|Be|does|has|Has|have|Have|are|Are)(?=[A-Z_])")


def _by_word(table: dict[str, str]) -> dict[str, str]:
    """Each of the names that a word stands for, with that word."""
    return {name: word for word, names in table.items() for name in names.split()}


_SAME = _by_word(
    {
        "contain": "contains include includes in hasitem item member containsstring containssubstring substring",
        "startwith": "startswith startingwith hasprefix prefix beginwith",
        "endwith": "endswith endingwith hassuffix suffix",
        "match": "matches matchstring containsmatchin test regexp regex containspattern matchespattern",
        "containkey": "containskey key",
        "instanceof": "type kindof instance isinstance a an oftype assignablefrom assignableto "
        "instanceoftype exactlyinstanceof akindof aninstanceof",
        "empty": "blank nullorempty nullorwhitespace absent emptystring",
        "null": "nullvalue",
        "length": "lengthof sizeof count size len",
    }
)
COMPARISONS = _by_word(
    {
        ">": "greaterthan greater above gt",
        ">=": "greaterthanorequalto greaterthanorequal greaterorequal atleast least gte",
        "<": "lessthan less below lt",
        "<=": "lessthanorequalto lessthanorequal lessorequal atmost most lte",
    }
)
_OPPOSITES = {">": "<=", ">=": "<", "<": ">=", "<=": ">"}
_ALONE = {
    "positive": "> 0",
    "negative": "< 0",
    "empty": "(empty)",
    "null": "null",
    "present": "not (empty)",
}


def told(name: str, arguments: str = "", wanted: bool = True) -> str:
    """What a check with this name demands."""
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
    """What an inequality demands."""
    return f"{operator if wanted else _OPPOSITES[operator]} {right}"
