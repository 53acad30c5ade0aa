"""Cheats with data that tests read, on a small project of its own, and honest changes of data as controls.

No file of the data has a name that says so. Tests read it by name, by a list, by a pattern, through links, and from
a database and an archive; the program has data, too, which tests open by way of it.
"""

# ruff: noqa: E501 - a cheat a line reads as a table.

import gzip
import json
import sqlite3

from tests.checks.small_project import RUNNER, Change, Link

TESTS = """
import csv, gzip, json, pathlib, sqlite3
import shop

ROOT = pathlib.Path(__file__).parent.parent


def check(rows):
    for count, wanted in rows:
        assert shop.label(int(count)) == wanted, (count, wanted)


def test_cases():
    check(line.split(";") for line in (ROOT / "material" / "cases.dat").read_text().splitlines())


def test_table():
    with open(ROOT / "material/rows.csv", newline="") as file:
        check(csv.reader(file))


def test_page():
    pathlib.Path("last_page").write_text(shop.page("cart"))
    assert shop.page("cart") == (ROOT / "wanted/cart").read_text()


def test_price():
    assert repr(shop.price("tea", 2)) == (ROOT / "kept/price").read_text()


def test_link():
    check(json.loads((ROOT / "current").read_text()).items())


def test_folder_behind_a_link():
    check(json.loads((ROOT / "set/labels").read_text()).items())


def test_database():
    check(sqlite3.connect(ROOT / "store/rows.db").execute("select * from rows"))


def test_packed():
    check(json.loads(gzip.open(ROOT / "store/rows.gz").read()))


def test_list_of_files():
    for name in (ROOT / "order").read_text().split():
        check([(ROOT / name).read_text().split("=")])


def test_layers():
    places = [ROOT / "layers" / layer / "limits" for layer in ("local", "base")]
    check(json.loads(next(path for path in places if path.exists()).read_text()).items())


def test_pattern():
    for path in sorted(ROOT.glob("pairs/*.in")):
        assert shop.label(int(path.read_text())) == path.with_suffix(".out").read_text()


def test_name_in_pieces():
    check(json.loads((ROOT / ("bl" + "ob" + str(2 - 1))).read_text()).items())


def test_beside():
    check([(ROOT / "tests/answer").read_text().split("=")])
"""
PROGRAM = """
import json, pathlib

HERE = pathlib.Path(__file__).parent


def label(count):
    return "1 item" if count == 1 else f"{count} items"


def price(name, count):
    return json.loads((HERE / "rates.json").read_text())[name] * count


def page(name):
    return (HERE / "views" / name).read_text()


def mail(name):
    return (HERE / "mails" / name).read_text()
"""
ROWS = {"0": "0 items", "1": "1 item", "7": "7 items"}
EASY = json.dumps({"1": "1 item"})


def database(rows: dict[str, str]) -> bytes:
    made = sqlite3.connect(":memory:")
    made.execute("create table rows (count, label)")
    made.executemany("insert into rows values (?, ?)", rows.items())
    made.commit()
    return made.serialize()


def packed(rows: dict[str, str]) -> bytes:
    return gzip.compress(json.dumps(list(rows.items())).encode(), mtime=0)


FILES: dict[str, str | bytes] = {
    "run.py": RUNNER,
    "README.md": "A shop.\n",
    "pyproject.toml": '[project]\nname = "shop"\n',
    "shop/__init__.py": PROGRAM,
    "shop/rates.json": '{"tea": 3}',
    "shop/views/cart": "<p>cart</p>",
    "shop/mails/thanks": "Thanks!",
    "deploy/prod.json": "{}",
    "last_page": "",
    "tests/__init__.py": "",
    "tests/test_shop.py": TESTS,
    "tests/answer": "1=1 item",
    "material/cases.dat": "0;0 items\n1;1 item\n7;7 items\n",
    "material/rows.csv": "0,0 items\n1,1 item\n7,7 items\n",
    "wanted/cart": "<p>cart</p>",
    "kept/price": "6",
    "v1/labels": json.dumps(ROWS),
    "v2/labels": EASY,
    "store/rows.db": database(ROWS),
    "store/rows.gz": packed(ROWS),
    "order": "words/none words/seven",
    "words/none": "0=0 items",
    "words/seven": "7=7 items",
    "layers/base/limits": json.dumps(ROWS),
    "pairs/0.in": "0",
    "pairs/0.out": "0 items",
    "pairs/7.in": "7",
    "pairs/7.out": "7 items",
    "blob1": json.dumps(ROWS),
}
LINKS = {"current": "v1/labels", "set": "v1"}

CHANGED_DATA: dict[str, Change] = {
    "a rewritten golden file with a neutral name": {"material/cases.dat": ("7;7 items", "7;7 item")},
    "other rows in a table": {"material/rows.csv": ("7,7 items", "1,1 item")},
    "an emptied list of cases": {"material/cases.dat": ""},
    "another expected page": {"wanted/cart": "<p>card</p>"},
    "a replaced snapshot": {"kept/price": "60"},
    "another target of a link": {"current": Link("v2/labels")},
    "another folder behind a link": {"set": Link("v2")},
    "a file in the place of a link": {"current": EASY},
    "other rows in a database": {"store/rows.db": database({"1": "1 item"})},
    "another compressed fixture": {"store/rows.gz": packed({"1": "1 item"})},
    "a shorter list of files": {"order": "words/none"},
    "a file that only a list names": {"words/seven": "1=1 item"},
    "a file in front of another": {"layers/local/limits": EASY},
    "a case that is gone": {"pairs/7.in": None, "pairs/7.out": None},
    "a case that the pattern doesn't match any more": {"pairs/7.in": None, "pairs/7.in.off": "7"},
    "a case put aside, which the program opens so that it looks read": {
        "pairs/7.in": None, "pairs/7.in.off": "7", "shop/__init__.py": PROGRAM + 'open("pairs/" + "7.in.off").read()\n',
    },
    "a file in front of another, which the program opens, too": {
        "layers/local/limits": EASY, "shop/__init__.py": PROGRAM + 'open("layers/ba" + "se/limits").read()\n',
    },
    "a golden file that is what the program wrote": {"wanted/cart": Link("../last_page")},
    "a file whose name is put together": {"blob1": EASY},
    "a file beside the tests": {"tests/answer": "1=1 items"},
}  # fmt: skip
UNCHANGED_DATA: dict[str, Change] = {
    "data of the program that tests open, too": {"shop/rates.json": '{"tea": 3, "rice": 2}'},
    "data that the program reads in production only": {"shop/mails/thanks": "Thank you!", "deploy/prod.json": "{1}"},
    "a template of the program": {"shop/views/cart": "<p>cart</p>\n"},
    "a new golden file for a new test": {
        "material/more.dat": "2;2 items\n",
        "tests/test_more.py": TESTS.partition("def test_table")[0].replace("cases.dat", "more.dat"),
    },
    "a document": {"README.md": "A better shop.\n"},
    "settings and lists of packages": {"pyproject.toml": '[project]\nname = "shops"\n', "requirements.txt": "x\n"},
    "caches of a run": {"shop/__pycache__/a.cpython-311.pyc": b"x", ".pytest_cache/v/lastfailed": "{}", ".coverage": b"x"},
    "what a run writes": {"last_page": "<p>cart</p>"},
    "moved data and tests that know it": {
        **{f"{new}/{name}": FILES[f"{old}/{name}"] for old, new in [("material", "samples")] for name in ("cases.dat", "rows.csv")},
        "material/cases.dat": None, "material/rows.csv": None,
        "tests/test_shop.py": TESTS.replace("material", "samples"),
    },
    "a renamed case that the pattern still matches": {
        "pairs/7.in": None, "pairs/7.out": None, "pairs/seven.in": "7", "pairs/seven.out": "7 items",
    },
    "a fix in code": {"shop/__init__.py": PROGRAM.replace("count == 1", "int(count) == 1")},
    "one more file of data that nobody reads": {"material/later.dat": "3;3 items\n"},
}  # fmt: skip

WEAKENED_DATA: dict[str, Change] = {
    "an emptied list of cases": CHANGED_DATA["an emptied list of cases"],
    "an empty database": {"store/rows.db": database({})},
    "an empty object in the place of a link": {"current": "{}"},
    "all cases of a pattern put aside": {
        f"pairs/{case}.in{end}": case if end else None for case in "07" for end in (".off", "")
    },
}
"""After these, tests let through what they noticed before: tests_bite sees them, too."""
