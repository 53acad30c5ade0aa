"""Is an output what it was declared to be: each format's good, bad and hostile, and schemas with paths."""

import csv
import io
import json
import time
import tracemalloc
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.dialects.evaluation.output import (
    CSV_FIELD_LIMIT,
    Declared,
    Format,
    Inspection,
    format_of,
)
from assay.evaluation import inspect_output
from tests.builders import within

BOM = b"\xef\xbb\xbf"
BILLION_LAUGHS = (
    b'<!DOCTYPE lolz [<!ENTITY lol "lol">'
    + b"".join(b'<!ENTITY lol%d "%s">' % (n, b"&lol%d;" % (n - 1 or 0) * 10) for n in range(1, 10))
    + b"]><lolz>&lol9;</lolz>"
)
YAML_BOMB = b"a0: &a0 [lol]\n" + b"".join(
    b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 10)
)


def inspect(format_: Format, data: bytes, schema: dict[str, Any] | None = None, *sections: str) -> Inspection:
    return inspect_output(data, Declared(format_, schema, sections))


@pytest.mark.parametrize(
    ("path", "format_"),
    [
        ("/workspace/answer.json", Format.JSON),
        ("/workspace/answer.JSON", Format.JSON),
        ("/workspace/a.csv", Format.CSV),
        ("/workspace/a.toml", Format.TOML),
        ("/workspace/a.yaml", Format.YAML),
        ("/workspace/a.yml", Format.YAML),
        ("/workspace/a.xml", Format.XML),
        ("/workspace/a.md", Format.MARKDOWN),
        ("/workspace/a.markdown", Format.MARKDOWN),
        ("/workspace/a.txt", Format.TEXT),
        ("/workspace/a.json.txt", Format.TEXT),
        # A picture, a program, a folder: nothing says that it is one of these formats, or a text at all.
        ("/workspace/plot.png", None),
        ("/workspace/model.json.gz", None),
        ("/workspace/json", None),
        ("/workspace/a", None),
        ("/workspace/dir.json/a", None),
        ("/workspace/dir.json/", None),
        ("", None),
    ],
)
def test_the_format_that_a_name_suggests(path: str, format_: Format | None) -> None:
    assert format_of(path) is format_


BINARY = b"\x89PNG\r\n\x1a\n\x00\xff"


@pytest.mark.parametrize("data", [b"", b"text", BINARY])
def test_of_an_output_without_a_format_nothing_is_asked(data: bytes) -> None:
    assert inspect_output(data, Declared(None)) == Inspection(parseable=True, schema_valid=True)


@pytest.mark.parametrize("asks", [Declared(None, schema={"minLength": 3}), Declared(None, sections=("Summary",))])
@pytest.mark.parametrize(("data", "flags"), [(b"x", (True, False)), (BINARY, (False, False))])
def test_a_schema_or_sections_without_a_format_are_held_against_the_text(
    asks: Declared, data: bytes, flags: tuple[bool, bool]
) -> None:
    found = inspect_output(data, asks)
    assert (found.parseable, found.schema_valid) == flags


GOOD: list[tuple[Format, bytes]] = [
    (Format.JSON, b"{}"),
    (Format.JSON, b'{"a": [1, 2.5, null, true, "\\u00e9"]}'),
    (Format.JSON, b"1"),
    (Format.JSON, b"\r\n null \t"),
    (Format.JSON, b"9" * 4000),
    (Format.JSON, b'{"a": ' + b"9" * 5000 + b', "b": -' + b"9" * 5000 + b"}"),
    (Format.JSON, b'{"a": 1, "a": 2}'),
    (Format.JSON, b'"\\ud800"'),
    (Format.JSON, b"1e400"),
    (Format.CSV, b"name,email\nAda,ada@example.org\n"),
    (Format.CSV, b"name,email\r\nAda,ada@example.org\r\n"),
    (Format.CSV, b"name\n"),
    (Format.CSV, b"name,email"),
    (Format.CSV, b'name,note\nAda,"a, b\nand ""c"""\n'),
    (Format.CSV, b"a,b\n1,2\n\n3,4\n\n"),
    (Format.CSV, b"a,b\n,\n"),
    (Format.CSV, b"a,a\n1,2\n"),
    (Format.CSV, b"a\n" + b"x" * CSV_FIELD_LIMIT),
    (Format.TOML, b""),
    (Format.TOML, b'[a]\nb = [1, 2]\nc = 2026-01-01\nd = "x"\n'),
    (Format.YAML, b""),
    (Format.YAML, b"a: 1\nb: [x, y]\n"),
    (Format.YAML, b"- 2026-01-01\n- .nan\n- ~\n"),
    (Format.YAML, b"a: &anchor 1\n"),
    (Format.YAML, b"a: &x 1\nb: *x\n"),
    (Format.YAML, b"base: &b {c: 1}\nd:\n  <<: *b\n"),
    (Format.YAML, b"kind: Service\n---\nkind: Deployment\n"),
    (Format.YAML, b"2026-13-45"),
    (Format.YAML, b"operator: ="),
    (Format.YAML, b"operator: <<"),
    (Format.YAML, b"%YAML 1.2\n---\na: 1\na: 2\n"),
    (Format.YAML, b"Name: !Ref Bucket\nArn: !GetAtt [Bucket, Arn]\nTags: !All {a: 1}\n"),
    (Format.XML, b"<a/>"),
    (Format.XML, b"<!DOCTYPE html><html/>"),
    (Format.XML, b'<!DOCTYPE a SYSTEM "http://example.invalid/a.dtd"><a>&nbsp;</a>'),
    (Format.XML, '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1")),
    (Format.XML, '<?xml version="1.0" encoding="UTF-16"?><a>é</a>'.encode("utf-16")),
    (Format.XML, '<?xml version="1.0" encoding="UTF-8"?><a>é</a>'.encode()),
    (Format.XML, b'<?xml version="1.0"?>\n<a b="c">&lt;&#233;<!-- x --><![CDATA[<]]></a>'),
    (Format.XML, b"<a>" * 100_000 + b"</a>" * 100_000),
    (Format.MARKDOWN, b""),
    (Format.MARKDOWN, b"# Title\n\nText with ``` odd fences"),
    (Format.TEXT, b""),
    (Format.TEXT, "anything: é∅ \x00".encode()),
]


@pytest.mark.parametrize(("format_", "data"), GOOD, ids=lambda value: repr(value)[:40])
def test_good_output(format_: Format, data: bytes) -> None:
    assert inspect(format_, data) == Inspection(parseable=True, schema_valid=True)


BAD: list[tuple[Format, bytes, str]] = [
    (Format.JSON, b"", "Expecting value"),
    (Format.JSON, b"{", "Expecting property name"),
    (Format.JSON, b"{'a': 1}", "Expecting property name"),
    (Format.JSON, b'{"a": 1}{"b": 2}', "Extra data"),
    (Format.JSON, b'{"a": NaN}', "NaN isn't JSON"),
    (Format.JSON, b"[Infinity]", "Infinity isn't JSON"),
    (Format.JSON, b"-Infinity", "-Infinity isn't JSON"),
    (Format.JSON, BOM + BOM + b"{}", "Unexpected UTF-8 BOM"),
    (Format.JSON, b"{} " + BOM, "Extra data"),
    (Format.JSON, BOM, "Expecting value"),
    (Format.JSON, b"[" * 100_000, "recursion"),
    (Format.JSON, b"[" + b"9" * 5000 + b", NaN]", "NaN isn't JSON"),
    (Format.JSON, b"[" + b"9" * 5000, "Expecting ',' delimiter"),
    (Format.CSV, b"", "it has no header"),
    (Format.CSV, b"\n \n\t\n", "it has no header"),
    (Format.CSV, b"a,b\n1\n", "row 2 has 1 cells, the header has 2"),
    (Format.CSV, b"a,b\n1,2\n1,2,3\n", "row 3 has 3 cells, the header has 2"),
    (Format.CSV, b'a,b\n"1,2\n', "unexpected end of data"),
    (Format.CSV, b'a,b\n"1"x,2\n', "expected after"),
    (Format.CSV, b"a\n" + b"x" * (CSV_FIELD_LIMIT + 1), "field larger than field limit"),
    (Format.TOML, b"a", "Expected '=' after a key"),
    (Format.TOML, b"a = 1\na = 2", "Cannot overwrite a value"),
    (Format.TOML, b"a = [" * 2, "Invalid value"),
    (Format.TOML, b"a = " + b"[" * 100_000, "recursion"),
    (Format.YAML, b"a: [1", "expected ',' or ']'"),
    (Format.YAML, b"\x00", "special characters are not allowed"),
    (Format.YAML, b"&x [*x]", "is used inside the value that it names"),
    (Format.YAML, YAML_BOMB, "its aliases stand for more than 100000 values"),
    (Format.YAML, b"!!python/object/apply:os.system ['true']", "could not determine a constructor"),
    (Format.YAML, b"!!python/name:os.system", "could not determine a constructor"),
    (Format.YAML, b"!!python/tuple [1]", "could not determine a constructor"),
    (Format.YAML, b"? [a]\n: 1", "unhashable key"),
    (Format.YAML, b"- " * 100_000, "recursion"),
    (Format.XML, b"", "no element found"),
    (Format.XML, b"text", "syntax error"),
    (Format.XML, b"<a>", "no element found"),
    (Format.XML, b"<a></b>", "mismatched tag"),
    (Format.XML, b"<a/><b/>", "junk after document element"),
    (Format.XML, b"<a>&undefined;</a>", "undefined entity"),
    (Format.XML, BILLION_LAUGHS, "made of other entities"),
    (
        Format.XML,
        b'<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
        "the entity x must be",
    ),
]


@pytest.mark.parametrize(("format_", "data", "says"), BAD, ids=lambda value: repr(value)[:40])
def test_bad_and_hostile_output_is_a_sentence_and_no_exception(format_: Format, data: bytes, says: str) -> None:
    with within(60):
        found = inspect(format_, data)
    assert (found.parseable, found.schema_valid) == (False, False)
    assert len(found.errors) == 1
    assert found.errors[0].startswith(f"the output is not {format_.value}: ")
    assert says in found.errors[0]
    assert "\n" not in found.errors[0]


@pytest.mark.parametrize("format_", list(Format))
@pytest.mark.parametrize(("data", "at"), [(b"\xff", 0), (b"ab\xc3", 2), (b"\xed\xa0\x80", 0)])
def test_what_is_not_utf_8_is_not_parseable_in_any_format(format_: Format, data: bytes, at: int) -> None:
    found = inspect(format_, data)
    assert (found.parseable, found.schema_valid) == (False, False)
    assert found.errors[0].startswith(f"the output is not {format_.value}: it is not UTF-8")
    assert found.errors[0].endswith(f"at byte {at})")


# --- A byte order mark, which some programs put in front of UTF-8, belongs to no format's content ---


@pytest.mark.parametrize(
    ("format_", "data", "schema"),
    [
        (Format.JSON, b'{"a": 1}', {"required": ["a"]}),
        (Format.CSV, b"a,b\n1,2\n", {"items": {"required": ["a", "b"]}}),
        (Format.CSV, b'"a",b\n1,2\n', {"items": {"required": ["a", "b"]}}),
        (Format.TOML, b"a = 1\n", {"required": ["a"]}),
        (Format.YAML, b"a: 1\n", {"required": ["a"]}),
        (Format.XML, b"<?xml version='1.0'?><a/>", {"pattern": "^<[?]xml"}),
        (Format.MARKDOWN, b"# Summary\n", {"pattern": "^# Summary"}),
        (Format.TEXT, b"yes\n", {"pattern": "^yes"}),
    ],
)
def test_a_byte_order_mark_is_ignored_in_every_format(
    format_: Format, data: bytes, schema: dict[str, Any]
) -> None:
    for mark in (b"", BOM):
        for wanted in (None, schema):
            assert inspect(format_, mark + data, wanted) == Inspection(parseable=True, schema_valid=True)


def test_a_byte_order_mark_does_not_hide_the_first_heading() -> None:
    assert inspect(Format.MARKDOWN, BOM + b"# Summary\n", None, "Summary").schema_valid is True


def test_the_mark_of_another_encoding_is_not_utf_8() -> None:
    assert inspect(Format.TEXT, "yes".encode("utf-16")).parseable is False


@pytest.mark.parametrize(
    "text",
    [
        "!!int ''",
        "!!int _",
        "!!float ''",
        "!!bool maybe",
        "!!timestamp soon",
        "!!binary x",
        "!!int x",
        "!!float x",
    ],
)
def test_a_yaml_tag_that_its_value_does_not_fit_is_a_sentence(text: str) -> None:
    """Each of these makes PyYAML raise something of its own."""
    found = inspect(Format.YAML, text.encode())
    assert (found.parseable, found.schema_valid) == (False, False)


def test_yaml_loads_plain_values_only() -> None:
    """A tag that would run code is refused before anything is built."""
    hostile = b"!!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['pwned']]"
    assert inspect(Format.YAML, hostile).parseable is False


def test_the_csv_limit_of_other_code_is_left_as_it_was() -> None:
    """The limit belongs to the whole process."""

    before = csv.field_size_limit(4321)
    try:
        inspect(Format.CSV, b"a,b\n1,2\n")
        assert csv.field_size_limit() == 4321
    finally:
        csv.field_size_limit(before)


# --- Schemas ---

VOLTAGE = {
    "type": "object",
    "required": ["voltage_drop_v", "compliant"],
    "properties": {"voltage_drop_v": {"type": "number", "minimum": 0}, "compliant": {"type": "boolean"}},
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("value", "errors"),
    [
        ({"voltage_drop_v": 5.9, "compliant": True}, []),
        ({"voltage_drop_v": 5}, ["$: 'compliant' is a required property"]),
        ({"voltage_drop_v": "5.9", "compliant": True}, ["$.voltage_drop_v: '5.9' is not of type 'number'"]),
        ({"voltage_drop_v": -1, "compliant": True}, ["$.voltage_drop_v: -1 is less than the minimum of 0"]),
        (
            {"voltage_drop_v": None, "compliant": 1},
            ["$.compliant: 1 is not of type 'boolean'", "$.voltage_drop_v: None is not of type 'number'"],
        ),
        (
            {"voltage_drop_v": 1, "compliant": True, "x": 1},
            ["$: Additional properties are not allowed ('x' was unexpected)"],
        ),
        ([], ["$: [] is not of type 'object'"]),
    ],
)
def test_violations_are_said_with_their_paths(value: object, errors: list[str]) -> None:
    found = inspect(Format.JSON, json.dumps(value).encode(), VOLTAGE)
    assert found == Inspection(parseable=True, schema_valid=not errors, errors=tuple(errors))


@pytest.mark.parametrize(
    ("format_", "data", "schema", "fits"),
    [
        (Format.CSV, b"name,email\nAda,a@b\n", {"items": {"required": ["name", "email"]}}, True),
        (Format.CSV, b"name\nAda\n", {"items": {"required": ["name", "email"]}}, False),
        (Format.CSV, b"n\n1\n", {"items": {"properties": {"n": {"type": "string"}}}}, True),
        (Format.CSV, b"n\n1\n2\n", {"minItems": 3}, False),
        (Format.TOML, b"a = 1\n", {"properties": {"a": {"type": "integer"}}}, True),
        (Format.TOML, b"a = 'x'\n", {"properties": {"a": {"type": "integer"}}}, False),
        (Format.YAML, b"a: 1\n", {"properties": {"a": {"const": 1}}}, True),
        (Format.YAML, b"a: one\n", {"properties": {"a": {"type": "integer"}}}, False),
        (Format.YAML, b"", {"type": "object"}, False),
        (Format.TEXT, b"yes\n", {"pattern": "^(yes|no)\\s*$"}, True),
        (Format.TEXT, b"maybe", {"pattern": "^(yes|no)\\s*$"}, False),
        (Format.XML, b"<a/>", {"type": "string"}, True),
        (Format.MARKDOWN, b"# A\n", {"maxLength": 2}, False),
    ],
)
def test_every_format_can_be_held_against_a_schema(
    format_: Format, data: bytes, schema: dict[str, Any], fits: bool
) -> None:
    found = inspect(format_, data, schema)
    assert (found.parseable, found.schema_valid) == (True, fits)
    assert bool(found.errors) is not fits


def test_the_list_of_violations_is_bounded() -> None:
    found = inspect(Format.JSON, json.dumps(["x" * 10_000] * 500).encode(), {"items": {"type": "integer"}})
    assert found.schema_valid is False
    assert 1 <= len(found.errors) <= 20
    assert max(map(len, found.errors)) < 1000


@pytest.mark.parametrize("name", ["Zoë", "with space", "it's", "a.b", "\n"])
def test_the_path_of_an_odd_key_is_one_line(name: str) -> None:
    found = inspect(Format.JSON, json.dumps({name: "x"}).encode(), {"additionalProperties": {"type": "integer"}})
    assert found.schema_valid is False
    assert len(found.errors) == 1


TREE = {"additionalProperties": {"$ref": "#"}, "items": {"$ref": "#"}, "not": {"const": "never"}}


@pytest.mark.parametrize(
    ("format_", "data", "schema"),
    [
        (Format.JSON, b'{"a":' * 900 + b"1" + b"}" * 900, TREE),
        (Format.JSON, b"[" * 900 + b"]" * 900, {"uniqueItems": True, "items": {"$ref": "#"}}),
        (Format.TOML, b"a." * 3000 + b"a = 1", TREE),
        (Format.JSON, b"1" + b"0" * 400, {"multipleOf": 0.1}),
        (Format.JSON, b"[" + b"1" + b"0" * 400 + b"]", {"items": {"multipleOf": 0.5}}),
        (Format.YAML, b"1: x", {"patternProperties": {"^a": {}}}),
        (Format.YAML, b"1: x", {"additionalProperties": False, "patternProperties": {"^a": {}}}),
        (Format.YAML, b"2026-01-01: x", {"additionalProperties": {"type": "integer"}}),
        (Format.YAML, b"~: x", {"additionalProperties": {"type": "integer"}}),
        (Format.YAML, b"1.5: x", {"propertyNames": {"pattern": "a"}}),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_output_that_the_schema_library_can_not_cope_with_is_no_crash(
    format_: Format, data: bytes, schema: dict[str, Any]
) -> None:
    """What the output holds is the agent's: too deep, too large, or with keys that JSON does not have."""
    found = inspect(format_, data, schema)
    assert found.parseable is True
    assert found.schema_valid is not bool(found.errors)


def test_columns_of_one_name_can_not_be_told_apart_by_a_schema() -> None:
    """A schema looks at rows by column name. Without one, nobody asks which of the two is meant."""
    data = b"name,name,x,x\nAda,Bo,1,2\n"
    assert inspect(Format.CSV, data) == Inspection(parseable=True, schema_valid=True)
    assert inspect(Format.CSV, data, {"minItems": 1}) == Inspection(
        False,
        False,
        ("the output is not csv: two columns are called 'name', but a schema tells columns apart by name",),
    )


def test_the_name_of_two_columns_is_said_in_a_bounded_line() -> None:
    found = inspect(Format.CSV, b",".join([b"x" * 100_000] * 2) + b"\n", {})
    assert found.parseable is False
    assert len(found.errors[0]) < 1000


# --- Markdown ---


@pytest.mark.parametrize(
    ("text", "sections", "missing"),
    [
        ("# Summary\n\n## Method ##\n", ["Summary", "Method"], None),
        ("# Summary\n", ["Summary", "Method"], "Method"),
        ("", ["Summary", "Method"], "Summary, Method"),
        ("Summary\n", ["Summary"], "Summary"),
        ("#Summary\n", ["Summary"], "Summary"),
        ("####### Summary\n", ["Summary"], "Summary"),
        ("###### Summary\n", ["Summary"], None),
        ("   # Summary\n", ["Summary"], None),
        ("    # Summary\n", ["Summary"], "Summary"),
        ("# Summary of it\n", ["Summary"], "Summary"),
        ("# summary\n", ["Summary"], "Summary"),
        ("# Summary\r\ntext\r\n", ["Summary"], None),
        ("text # Summary\n", ["Summary"], "Summary"),
        ("```\n# Summary\n```\n", ["Summary"], "Summary"),
        ("~~~\n# Summary\n~~~\n", ["Summary"], "Summary"),
        ("```python\n# Summary\n```\n# Summary\n", ["Summary"], None),
        ("```\ncode\n```\n# Summary\n```\ncode\n```\n", ["Summary"], None),
        ("Summary\n=======\n\nMethod\n---\n", ["Summary", "Method"], None),
        ("Two\nlines\n===\n", ["Two lines"], None),
        ("- Summary\n---\n", ["Summary"], "Summary"),
        ("Summary\n\n---\n", ["Summary"], "Summary"),
        ("# C#\n", ["C#"], None),
        ("# C# #\n", ["C#"], None),
        ("## **Summary**\n", ["Summary"], None),
        ("#\tSummary\n", ["Summary"], None),
        ("\t# Summary\n", ["Summary"], "Summary"),
        ("````\n```\n# Summary\n```\n````\n", ["Summary"], "Summary"),
        ("```\n```python\n# Summary\n```\n", ["Summary"], "Summary"),
        ("``` not a ` fence\n# Summary\n", ["Summary"], None),
        ("<!--\n# Summary\n-->\n", ["Summary"], "Summary"),
        ("<!-- a note -->\n# Summary\n", ["Summary"], None),
    ],
)
def test_the_sections_of_a_markdown_text(text: str, sections: list[str], missing: str | None) -> None:
    found = inspect(Format.MARKDOWN, text.encode(), None, *sections)
    errors = () if missing is None else (f"the output has no section {missing}",)
    assert found == Inspection(parseable=True, schema_valid=missing is None, errors=errors)


@pytest.mark.parametrize(
    "text",
    ["# a" + " " * 200_000 + "b\n", "# " + "# " * 100_000 + "b\n", "```\n" * 100_000, "```\n~~~\n" * 50_000],
    ids=["spaces", "hashes", "fences", "mixed fences"],
)
def test_the_sections_of_a_hostile_text_are_found_in_reasonable_time(text: str) -> None:
    with within(60):
        assert inspect(Format.MARKDOWN, text.encode(), None, "Summary").schema_valid is False


# --- Costs: what is read here may have 64 MB, and its writer need not be friendly ---


@pytest.mark.parametrize(
    ("format_", "data"),
    [
        (Format.YAML, b"- a: 1\n" * 2_000_000),
        (Format.TOML, b"a" + b".b" * 100_000 + b" = 1"),
        (Format.JSON, b"[" + b"1," * 2_000_000 + b"1]"),
        (Format.CSV, b"a,b\n" + b"1,2\n" * 1_000_000),
        (Format.XML, b"<a>" + b"<b/>" * 1_000_000 + b"</a>"),
    ],
    ids=["yaml", "toml", "json", "csv", "xml"],
)
def test_a_large_output_is_read_or_refused_in_reasonable_time(format_: Format, data: bytes) -> None:
    """The clock is looked at, too: an alarm is an exception like any other to whoever catches them all."""
    started = time.monotonic()
    with within(60):
        found = inspect(format_, data)
    assert time.monotonic() - started < 20
    assert found.parseable or found.errors


def test_a_csv_without_a_schema_is_read_row_by_row() -> None:
    """Nobody looks at the rows, so none is kept."""
    data = b"a,b\n" + b"1,2\n" * 200_000
    tracemalloc.start()
    try:
        found = inspect(Format.CSV, data)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.parseable is True
    assert peak < 10 * len(data)


def test_the_memory_for_violations_is_bounded() -> None:
    """Twenty are kept; a million that nobody sees must not fill the grader's memory first."""
    data = b"[" + b"1," * 30_000 + b"1]"
    inspect(Format.JSON, b"1", {"type": "string"})  # What is imported is not counted.
    tracemalloc.start()
    try:
        found = inspect(Format.JSON, data, {"items": {"type": "string"}})
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert found.schema_valid is False
    assert peak < 20 * 2**20


# --- Properties ---

SCHEMAS = st.sampled_from(
    [
        None,
        {},
        TREE,
        VOLTAGE,
        {"type": "array", "items": {"type": "object"}},
        {"patternProperties": {"^a": {"type": "integer"}}, "additionalProperties": False},
        {"propertyNames": {"maxLength": 3}, "uniqueItems": True},
    ]
)
YAML_TAGS = ("!!int ", "!!bool ", "!!float ", "!!timestamp ", "!!set ", "!!omap ")
YAML_WORDS = ("- ", ": ", "? ", "&a ", "*a", "<<", "2026-01-01", ".inf", "0x_", "0b", "\n", "\n  ", "---\n")
ANY_YAML = st.lists(st.sampled_from([*YAML_TAGS, *YAML_WORDS, *"[]{},|%'1x~"]), max_size=12).map("".join)


@given(st.sampled_from(Format), st.binary(max_size=60) | st.text(max_size=60).map(str.encode), SCHEMAS)
def test_no_bytes_at_all_make_it_raise(format_: Format, data: bytes, schema: dict[str, Any] | None) -> None:
    found = inspect(format_, data, schema, "Summary")
    assert found.parseable or not found.schema_valid
    assert found.schema_valid or found.errors


@given(ANY_YAML, SCHEMAS)
@example("!!int \n", None)
@example("2026-01-01: x", {"additionalProperties": {"type": "integer"}})
def test_no_yaml_makes_it_raise(text: str, schema: dict[str, Any] | None) -> None:
    found = inspect(Format.YAML, text.encode(), schema)
    assert found.parseable or not found.schema_valid


@given(
    st.lists(
        st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=2, max_size=2),
        min_size=1,
        max_size=5,
    )
)
def test_what_a_csv_writer_writes_is_csv(rows: list[list[str]]) -> None:

    stream = io.StringIO(newline="")
    csv.writer(stream).writerows(rows)
    assert inspect(Format.CSV, stream.getvalue().encode()).parseable is True


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        max_leaves=8,
    )
)
def test_what_a_json_writer_writes_is_json(value: Any) -> None:
    assert inspect(Format.JSON, json.dumps(value).encode()) == Inspection(True, True)


@pytest.mark.parametrize(
    ("format_", "data"), [(Format.TOML, b"a = 2026-01-01\n"), (Format.YAML, b"a: 2026-01-01\n")]
)
def test_a_schema_sees_a_date_as_a_text(format_: Format, data: bytes) -> None:
    """JSON has no dates, so there would be no schema that fits one."""
    assert inspect(format_, data, {"properties": {"a": {"const": "2026-01-01"}}}).schema_valid is True
