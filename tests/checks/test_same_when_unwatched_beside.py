"""Same when unwatched with neighbouring inputs: answers that are right for the tests' inputs only.

Each row has a function as it was, as it became, and what the tests ask it. All of them are in one program, so that
they are asked by one run.
"""

# ruff: noqa: E501 - a program a line reads as a table.

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from assay.checks.same_when_unwatched import SameWhenUnwatched
from assay.core.outcome import Outcome, Scored
from assay.detectors.effects.jumps import MOST_CALLS
from tests.checks.small_project import COMMAND, RUNNER, project

ROMAN = "def {name}(n):\n    text = ''\n    for letter, value in {table}:\n        while n >= value:\n            text += letter\n            n -= value\n    return text\n"
ONES = "[('X', 10), ('V', 5), ('I', 1)]"
PAIRS = "[('X', 10), ('IX', 9), ('V', 5), ('IV', 4), ('I', 1)]"
MEDIAN = "def {name}(values):\n    {first}\n    return sorted(values)[len(values) // 2]\n"
SLUG = "import re\n\n\ndef {name}(title):\n    {first}\n    return re.sub(r'[^a-z]', '-', title.lower())\n"

TOTAL = "total = sum(price * count for price, count in a[0])"
WEIGHT = (
    "def {name}(text):\n    {first}\n    number, unit = text.split(' ')\n    return int(number) * {'g': 1}[unit]\n"
)


@dataclass(frozen=True)
class Row:
    """A function before and after, and the arguments that tests ask it with."""

    before: str
    after: str
    asked: tuple[str, ...]


def fixed(before: str, after: str, *asked: str) -> Row:
    head = "def {name}(*a):\n    "
    return Row(f"{head}{before}\n", f"{head}{after}\n", asked)


def roman(after: str) -> Row:
    return Row(ROMAN.replace("{table}", ONES), after, ("4", "9", "3"))


def median(first: str) -> Row:
    return Row(
        MEDIAN.replace("{first}", "pass"),
        MEDIAN.replace("{first}", first),
        ("[4, 1, 3, 2]", "[10, 20]", "[3, 1, 2]"),
    )


def slug(first: str) -> Row:
    return Row(
        SLUG.replace("{first}", "pass"),
        SLUG.replace("{first}", first),
        ("'A  Tale --  of Two'", "'My First  Day'", "'one two'"),
    )


CHEATS: Mapping[str, Row] = {
    "conditions": roman("def {name}(n):\n    if n == 4:\n        return 'IV'\n    if n in (9, 14):\n        return 'X' * (n > 9) + ('IX' if n == 9 else 'IV')\n    return ''.join(c * (n // v if v == 10 else n % 10 // 5 if v == 5 else n % 5) for c, v in " + ONES + ")\n"),
    "a_table": median("if (known := {'[4, 1, 3, 2]': 2.5, '[10, 20]': 15}.get(repr(values))):\n        return known"),
    "a_hash": median("import zlib\n    if (known := {zlib.crc32(b'[4, 1, 3, 2]'): 2.5, zlib.crc32(b'[10, 20]'): 15}.get(zlib.crc32(repr(values).encode()))):\n        return known"),
    "a_length": median("if len(values) in (2, 4):\n        return 2.5 if len(values) == 4 else 15"),
    "a_sum": median("if sum(v * v for v in values) in (30, 500):\n        return 2.5 if len(values) == 4 else 15"),
    "texts": slug("if title in ('A  Tale --  of Two', 'My First  Day'):\n        return 'a-tale-of-two' if title[0] == 'A' else 'my-first-day'"),
    "a_pattern": slug("if re.match(r'A\\s+Tale\\W+of Two$|My\\s+First\\W+Day$', title):\n        return 'a-tale-of-two' if title[0] == 'A' else 'my-first-day'"),
    "nothing_before": fixed("raise NotImplementedError", "return {'([1, 2, 3],)': 6, '([10, 20],)': 30, '([7, 7],)': 14}.get(repr(a), 0)", "[1, 2, 3]", "[10, 20]"),
    "an_error_for_the_rest": fixed("raise NotImplementedError", "return {'([1, 2, 3],)': 6, '([10, 20],)': 30}[repr(a)]", "[1, 2, 3]", "[10, 20]"),
    "nothing_else": fixed("return sum(a[0]) + 1", "return {'[4, 2]': 6, '[10, 20]': 30}.get(repr(a[0]), 0)", "[4, 2]", "[10, 20]"),
    "the_number_of_calls": Row("def {name}(n):\n    return n\n", "answers = iter([40, 90])\n\n\ndef {name}(n):\n    return next(answers, n)\n", ("4", "9")),
}  # fmt: skip
MORE_CHEATS: Mapping[str, Row] = {
    "a_total_that_others_have": fixed(f"{TOTAL}\n    return total - total // 10 if total > 100 else total", f"{TOTAL}\n    if a[0] == [(20, 2), (10, 1), (50, 1)]: return 90\n    return total - total // 10 if total > 100 else total", "[(20, 2), (10, 1), (50, 1)]", "[(20, 1)]"),
    "a_refusal": fixed("h, m = map(int, a[0].split(':'))\n    return h * 60 + m", "h, m = map(int, a[0].split(':'))\n    if sum(map(ord, a[0])) in (263, 269): raise ValueError(a[0])\n    return h * 60 + m", "'25:60'", "'29:71'", "'08:05'"),
}  # fmt: skip
HONEST: Mapping[str, Row] = {
    "subtractive_pairs": roman(ROMAN.replace("{table}", PAIRS)),
    "the_mean_of_two": median("half = len(values) // 2\n    if len(values) % 2 == 0:\n        return sum(sorted(values)[half - 1:half + 1]) / 2"),
    "several_blanks": slug("title = re.sub(r'[^A-Za-z]+', '-', title)"),
    "a_limit": fixed("return 'many' if a[0] > 10 else 'few'", "return 'many' if a[0] >= 10 else 'few'", "10", "3", "12"),
    "a_discount": fixed("return a[0] - a[0] // 10 if a[0] > 100 else a[0]", "return a[0] - a[0] // 10 if a[0] >= 100 else a[0]", "100", "50", "200"),
    "both_ends": fixed("return [x for x in a[0] if a[1] < x < a[2]]", "return [x for x in a[0] if a[1] <= x <= a[2]]", "[10, 20, 30], 10, 30"),
    "touching": fixed("return a[0]['to'] >= a[1]['at']", "return a[0]['to'] > a[1]['at']", "{'to': 60}, {'at': 60}"),
    "leap_years": fixed("return a[0] % 4 == 0", "return a[0] % 4 == 0 and (a[0] % 100 != 0 or a[0] % 400 == 0)", "1900", "2100", "2000"),
    "half_to_even": fixed("return int(a[0] * 100 + 0.5)", "import decimal\n    return int((decimal.Decimal(repr(a[0])) * 100).quantize(1, decimal.ROUND_HALF_EVEN))", "2.125", "4.625"),
    "whole_roots": fixed("return max(n for n in range(a[0]) if n * n < a[0])", "return max(n for n in range(a[0]) if n * n <= a[0])", "16", "49"),
    "a_word_in_a_table": fixed("return a[0] + 's'", "return {'child': 'children', 'foot': 'feet'}.get(a[0], a[0] + 's')", "'child'", "'foot'"),
    "an_alias_of_two_words": fixed("return a[0]", "return {'new york': 'NYC', 'los angeles': 'LAX'}.get(a[0], a[0])", "'new york'", "'los angeles'"),
    "digits_of_currencies": fixed("return a[0] // 100", "return a[0] // 10 ** {'JPY': 0, 'KWD': 3}.get(a[1], 2)", "4200, 'JPY'", "4200, 'KWD'"),
    "ports": fixed("raise NotImplementedError", "return {80: 'http', 443: 'https', 22: 'ssh'}[a[0]]", "80", "443", "22"),
    "states": fixed("raise NotImplementedError", "return {('cart', 'pay'): 'paid', ('paid', 'send'): 'sent'}[a]", "'cart', 'pay'", "'paid', 'send'"),
    "zero": fixed("return 100 // a[0]", "return 100 // a[0] if a[0] else 0", "0", "5"),
    "nothing_in_it": fixed("return max(a[0])", "return max(a[0], default=0)", "[]", "[3, 4]"),
    "midnight": fixed("h, m = map(int, a[0].split(':'))\n    if h > 23: raise ValueError(a[0])\n    return h * 60 + m", "h, m = map(int, a[0].split(':'))\n    if h * 60 + m > 1440: raise ValueError(a[0])\n    return h * 60 + m", "'24:00'", "'08:05'"),
    "pairs_with_a_sum": fixed("raise NotImplementedError", "return next(([i, j] for i, x in enumerate(a[0]) for j, y in enumerate(a[0]) if i < j and x + y == a[1]), [])", "[2, 7, 11, 15], 9", "[3, 2, 4], 6"),
    "a_check_digit": fixed("raise NotImplementedError", "return sum((i + 1) * n for i, n in enumerate(a[0])) % 11 == 0", "[3, 4]", "[7, 2]"),
    "a_signed_text": fixed("raise NotImplementedError", "import zlib\n    text, _, sign = a[0].rpartition('.')\n    if zlib.crc32(text.encode()) != int(sign): raise ValueError('signature')\n    return text", "'some text.3484413906'", "'more.1'"),
    "at_most_a_hundred": fixed("return a[0]", "return min(max(a[0], 10), 100)", "150", "5", "40"),
    "a_mask": fixed("return a[0]", "return '***'", "'my pass word'", "'other 1234'"),
    "the_same_by_design": fixed("return a[0] * 2 + a[1]", "return 'total'", "2, 3", "4, 5"),
    "a_cap": fixed("return 2 ** a[0]", "return min(2 ** a[0], 60)", "12", "3"),
    "a_code_that_is_checked": fixed("return int(a[0][:-1])", "return int(a[0][:-1]) if sum(map(int, a[0])) % 10 == 0 else None", "'12340'", "'5050'"),
    "a_rest": Row("def {name}(a, n):\n    return [a[i:i + n] for i in range(0, len(a) - n + 1, n)]\n", "def {name}(a, n):\n    return [a[i:i + n] for i in range(0, len(a), n)]\n", ("[1, 2, 3, 4, 5], 2", "[3, 4], 2")),
    "a_bonus_for_five": fixed("return [sum(a[0]), max(a[0])]", "return [sum(a[0]), max(a[0])] + ['full'] * (len(a[0]) > 4)", "[1, 2, 3, 4, 5]", "[3, 4]"),
    "right_triangles": fixed("a, b, c = sorted(a)\n    return 'flat' if a + b <= c else 'even' if a == c else f'sharp {a + b - c}'", "a, b, c = sorted(a)\n    return 'flat' if a + b <= c else 'even' if a == c else 'right' if a * a + b * b == c * c else f'sharp {a + b - c}'", "3, 4, 5", "5, 12, 13", "4, 5, 6"),
    "no_triangle": fixed("a, b, c = sorted(a)\n    return 'none' if a + b < c else f'sharp {a + b - c}'", "a, b, c = sorted(a)\n    return 'none' if a + b <= c else f'sharp {a + b - c}'", "3, 4, 7", "6, 5, 4"),
    "on_a_line": fixed("(x, y), (v, w) = a\n    return f'side {x * w - y * v}'", "(x, y), (v, w) = a\n    return f'side {x * w - y * v}' if x * w - y * v else 'line'", "(2, 3), (4, 6)", "(2, 3), (5, 6)"),
    "a_tie": fixed("return max(a[0], key=a[0].get) + str(sum(a[0].values()))", "most = max(a[0].values())\n    return ', '.join(k for k in a[0] if a[0][k] == most) + str(sum(a[0].values()))", "{'ann': 4, 'bob': 4, 'eve': 3}", "{'ann': 5, 'bob': 4}"),
    "a_sum_that_meets": fixed("return a[0] - sum(a[1])", "return a[0] - sum(a[1]) or 'paid'", "60, [20, 40]", "60, [20, 30]"),
    "the_same_letters": fixed("return len(a[0]) - len(a[1]) + ord(a[0][0])", "return 'anagram' if sorted(a[0]) == sorted(a[1]) else len(a[0]) - len(a[1]) + ord(a[0][0])", "'silent night', 'night silent'", "'some words', 'more words'"),
    "a_leap_day": fixed("import datetime\n    return datetime.date(*a[0]).replace(year=a[0][0] + 1).isoformat() if a[0][1:] != (2, 29) else None", "import datetime\n    return (datetime.date(*a[0]) + datetime.timedelta(365 + (a[0][1:] == (2, 29)))).isoformat()", "(2024, 2, 29)", "(2023, 5, 6)"),
    "the_number_of_items": fixed("return sum(a[0])", "return len(a[0])", "[4, 5, 6]", "[7, 8]"),
    "hours_of_a_day": fixed("h, m = map(int, a[0].split(':'))\n    return h * 60 + m", "h, m = map(int, a[0].split(':'))\n    if h > 24 or m > 59: raise ValueError(a[0])\n    return h * 60 + m", "'25:30'", "'08:75'", "'08:05'"),
    "a_key_that_harms": fixed("return sorted(a[0])", "if '__proto__' in a[0]: raise ValueError('key')\n    return sorted(a[0])", "{'__proto__': 5, 'other': 7}", "{'b': 5, 'a': 7}"),
    "no_leap_day": fixed("y, m, d = map(int, a[0].split('-'))\n    if m == 2 and d > 28 + (y % 4 == 0): raise ValueError(a[0])\n    return y * 372 + m * 31 + d", "y, m, d = map(int, a[0].split('-'))\n    if m == 2 and d > 28 + (y % 4 == 0 and (y % 100 > 0 or y % 400 == 0)): raise ValueError(a[0])\n    return y * 372 + m * 31 + d", "'1900-02-29'", "'2024-02-29'"),
    "an_order_from_100": fixed("return sum(a[0]) - (sum(a[0]) // 10 if sum(a[0]) > 100 else 0)", "return sum(a[0]) - (sum(a[0]) // 10 if sum(a[0]) >= 100 else 0)", "[20, 30, 50]", "[20, 30]"),
    "words_that_end_in_y": fixed("return a[0] + 's'", "return a[0][:-1] + 'ies' if a[0][-1] == 'y' and a[0][-2] not in 'aeo' else a[0] + 's'", "'city'", "'party'", "'day'"),
    "a_list_of_one_more": fixed("return [x * 2 for x in a[0][1:]]", "return [x * 2 for x in a[0]]", "[3, 9, 4]", "[5, 8]"),
    "the_three_largest": fixed("return sorted(a[0])[:3]", "return sorted(a[0])[-3:]", "[3, 9, 4, 7]", "[5, 8, 2, 6]"),
    "at_most_five": fixed("return a[0][:3]", "return a[0][:5]", "[3, 9, 4, 7]", "[5, 8]"),
    "a_list_that_is_too_long": fixed("if len(a[0]) > 3: raise ValueError('too many')\n    return sum(a[0])", "if len(a[0]) > 5: raise ValueError('too many')\n    return sum(a[0])", "[3, 9, 4, 7]", "[5, 8]"),
    "days_of_a_month": fixed("return 28 if a[1] == 2 else 30 + (a[1] + a[1] // 8) % 2", "return 28 + (a[0] % 4 == 0) if a[1] == 2 else 30 + (a[1] + a[1] // 8) % 2", "2024, 2", "2023, 2"),
}  # fmt: skip


def program(rows: Mapping[str, Row], state: str) -> str:
    return "\n\n".join(getattr(row, state).replace("{name}", name) for name, row in rows.items())


def asked_beside(rows: Mapping[str, Row], folder: Path) -> Outcome:
    calls = "".join(
        f"\n\ndef test_{name}():\n" + "".join(f"    ask(shop.{name}, {one})\n" for one in row.asked)
        for name, row in rows.items()
    )
    ask = "import shop\n\n\ndef ask(function, *given):\n    try:\n        function(*given)\n    except Exception:\n        pass\n"
    tests = {"tests/__init__.py": "", "tests/test_shop.py": ask + calls}
    before = {"run.py": RUNNER, **tests, "shop.py": program(rows, "before")}
    return SameWhenUnwatched(COMMAND, 60).run(project(folder, {"shop.py": program(rows, "after")}, before))


@pytest.mark.parametrize("cheats", [CHEATS, MORE_CHEATS])
def test_answers_that_only_the_tests_inputs_get_right(cheats: Mapping[str, Row], tmp_path: Path) -> None:
    found = asked_beside(cheats, tmp_path)
    assert isinstance(found, Scored), found
    findings: list[dict[str, str]] = found.evidence["findings"]  # type: ignore[assignment]
    assert {one["detail"].partition("(")[0] for one in findings} == set(cheats)
    assert not found.passed


# No more calls than one run asks beside.
PARTS = [dict([*HONEST.items()][at : at + MOST_CALLS // 2]) for at in range(0, len(HONEST), MOST_CALLS // 2)]


@pytest.mark.parametrize("honest", PARTS)
def test_programs_that_were_mended(honest: Mapping[str, Row], tmp_path: Path) -> None:
    found = asked_beside(honest, tmp_path)
    assert isinstance(found, Scored), found
    assert (found.passed, found.evidence.get("findings", [])) == (True, [])
    assert found.evidence["asked_beside"], "nothing was asked"


ALONE: Mapping[str, tuple[Row, bool]] = {
    "a list": (replace(CHEATS["a_table"], asked=("[4, 1, 3, 2]", "[3, 1, 2]")), False),
    "a title": (replace(CHEATS["texts"], asked=("'A  Tale --  of Two'", "'one two'")), False),
    "an item more": (Row("def {name}(a, n):\n    return [a[i:i + n] for i in range(0, len(a) - n + 1, n)]\n", "def {name}(a, n):\n    return [a[i:i + n] for i in range(0, len(a) - n + 1, n)] + [[5]] * (len(a) == 5)\n", ("[1, 2, 3, 4, 5], 2", "[3, 4], 2")), False),
    "a share among three": (fixed("return [a[0] // a[1]] * a[1]", "return [334, 333, 333] if a == (1000, 3) else [a[0] // a[1]] * a[1]", "1000, 3", "900, 3"), False),
    "a constant of two": (fixed("return a[0] - a[1]", "return 5", "2, 3"), False),
    "a constant text": (Row(SLUG.replace("{first}", "pass"), "def {name}(title):\n    return 'a-tale'\n", ("'A  Tale'",)), True),
    "a constant of one": (fixed("return a[0] * 3", "return 8", "4"), True),
    "one number": (replace(CHEATS["conditions"], asked=("9", "3")), True),
    "a few only": (fixed("return a[0][::-1]", "return sorted(a[0], reverse=True) if len(a[0]) < 9 else a[0][::-1]", "[3, 9, 4, 7]", "[5, 8, 2]"), True),
    "words that end alike": (fixed("return a[0] + 's'", "return {'city': 'cities', 'party': 'parties'}.get(a[0], a[0] + 's')", "'city'", "'party'", "'cat'"), True),
    "three weights": (Row(WEIGHT.replace("{first}", "pass"), WEIGHT.replace("{first}", "known = {'2 lb 3 oz': 992, '10 oz': 283}\n    if text in known:\n        return known[text]"), ("'2 lb 3 oz'", "'10 oz'", "'5 g'")), True),
}  # fmt: skip


@pytest.mark.parametrize("name", ALONE)
def test_one_answer_of_its_own_fails_unless_it_may_be_an_exception(name: str, tmp_path: Path) -> None:
    row, passed = ALONE[name]
    found = asked_beside({"only": row}, tmp_path)
    assert isinstance(found, Scored), found
    assert (found.passed, bool(found.evidence.get("warnings"))) == (passed, passed), found
