"""Files with lines: what YAML takes for a value, where everything stands, and what is refused."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.adapters.machine.yaml_lines import read_marked
from assay.core.errors import InputError


def written(tmp_path: Path, text: str | bytes, name: str = "a.yaml") -> str:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(path)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("00123", "00123"),
        ("0", 0),
        ("-7", -7),
        ("1.50", 1.5),
        ("1e3", 1000.0),
        ("1_000", "1_000"),
        ("0x10", "0x10"),
        ("12:30", "12:30"),
        ("1:30:00", "1:30:00"),
        ("on", "on"),
        ("1e308", 1e308),
        ("1e999", InputError),
        ("-1e999", InputError),
        ("9" * 5000, InputError),
        ("{{patient.mrn}}", InputError),
        ("2026-03-01", "2026-03-01"),
        ("2026-03-01T12:00:00Z", "2026-03-01T12:00:00Z"),
        ("yes", "yes"),
        ("no", "no"),
        ("true", True),
        ("True", "True"),
        ("null", None),
        ("~", None),
        ("", None),
        ("'5'", "5"),
        ("!!str 5", "5"),
        (".nan", ".nan"),
        ("{{patient.mrn}}x", InputError),
        ("'{{patient.mrn}}'", "{{patient.mrn}}"),
        ("!!python/object:os.system x", InputError),
        ("!!int x", InputError),
    ],
)
def test_only_what_json_calls_a_value_is_one(tmp_path: Path, text: str, value: Any) -> None:
    path = written(tmp_path, f"a: {text}\n")
    if value is InputError:
        with pytest.raises(InputError, match=r":1:? "):
            read_marked(path)
    else:
        found = read_marked(path).value["a"]
        assert (found, type(found)) == (value, type(value))


YAML = "criteria:\n  - label: one\n    weight: 2\n  - label: two\n"
JSON = '{\n\t"criteria": [\n\t\t{"label":"one",\n\t\t "weight": 2},\n\t\t{"label": "two"}]}'


@pytest.mark.parametrize(
    ("name", "text", "lines"),
    [("a.yaml", YAML, (1, 2, 3, 4)), ("a.json", JSON, (2, 3, 4, 5))],
    ids=["yaml", "json"],
)
def test_everything_has_its_line(tmp_path: Path, name: str, text: str, lines: tuple[int, ...]) -> None:
    found = read_marked(written(tmp_path, text, name))
    assert found.value == {"criteria": [{"label": "one", "weight": 2}, {"label": "two"}]}
    places = [("criteria",), ("criteria", 0), ("criteria", 0, "weight"), ("criteria", 1, "label")]
    assert tuple(found.lines[place] for place in places) == lines


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("a.yaml", "a: 1\nb: [\n", "a.yaml:3 must be valid YAML"),
        ("a.yaml", "a: 1\nb: 2\na: 3\n", "a.yaml:3: a key must be written once, got 'a' twice"),
        ("a.yaml", "? [1]\n: 2\n", "a.yaml:1: a key must be text"),
        ("a.yaml", "a:\n  b: {{mrn}}\n", "a.yaml:2: a key must be text; if this is a variable, put it in quotes"),
        ("a.yaml", "a: 1\n---\nb: 2\n", "a.yaml:2 must be valid YAML: .*another document"),
        ("a.yaml", b"\xff\xfe", "must be UTF-8, got something else at byte 0"),
        ("a.yaml", "&a [*a]", "must be nested less deeply"),
        ("a.yaml", "[" * 100_000, "values must be nested at most 100 deep, got more|must be valid YAML"),
        ("a.json", '{"a": 1,\n2}', "a.json:2 must be valid JSON"),
        ("a.json", '{"a": 1, "a": 2}', "a key must be written once, got 'a' twice"),
        ("a.json", '{"a": NaN}', "a number must be finite, got NaN"),
        ("a.json", '{"a": -1e999}', "a number must be finite, got -1e999"),
        ("a.json", "[" * 100_000, "must be nested less deeply"),
    ],
)
def test_what_can_not_be_read(tmp_path: Path, name: str, text: str | bytes, says: str) -> None:
    with pytest.raises(InputError, match=says):
        read_marked(written(tmp_path, text, name))


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfa: x\r\nb: [1]\r\n", b"a: x\rb: [1]\r", b"a: x\nb: [1]"])
def test_marks_and_line_ends_do_not_matter(tmp_path: Path, text: bytes) -> None:
    found = read_marked(written(tmp_path, text))
    assert (found.value, found.lines["b",]) == ({"a": "x", "b": [1]}, 2)


def test_an_alias_is_what_its_anchor_has(tmp_path: Path) -> None:
    found = read_marked(written(tmp_path, "a: &x {b: 1}\nc: *x\n"))
    assert found.value == {"a": {"b": 1}, "c": {"b": 1}}


@pytest.mark.parametrize(
    ("merge", "value", "lines"),
    [
        ("{<<: *x}", {"a": 1, "b": 2}, (1, 2)),
        ("\n  <<: *x\n  b: 5", {"a": 1, "b": 5}, (1, 6)),
        ("\n  b: 5\n  <<: *x", {"a": 1, "b": 5}, (1, 5)),
        ("{<<: [*x, *y]}", {"a": 1, "b": 2, "c": 4}, (1, 2)),
        ("{<<: [*y, *x]}", {"a": 1, "b": 3, "c": 4}, (1, 3)),
        ("{<<: *z}", {"a": 1, "b": 2, "d": 6}, (1, 2)),
        ("{<<: {a: 7, b: 8}}", {"a": 7, "b": 8}, (4, 4)),
        ("{'<<': 9, a: 0, b: 0}", {"<<": 9, "a": 0, "b": 0}, (4, 4)),
    ],
)
def test_a_merge_takes_over_what_is_not_there(
    tmp_path: Path, merge: str, value: object, lines: tuple[int, int]
) -> None:
    anchors = "x: &x {a: 1,\n       b: 2}\ny: [&y {b: 3, c: 4}, &z {<<: *x, d: 6}]\n"
    found = read_marked(written(tmp_path, f"{anchors}m: {merge}\n"))
    assert found.value["m"] == value
    assert (found.lines["m", "a"], found.lines["m", "b"]) == lines


@pytest.mark.parametrize("merge", ["1", "text", "[1]", "[*x, [*x]]", "null"])
def test_only_mappings_can_be_merged(tmp_path: Path, merge: str) -> None:
    with pytest.raises(InputError, match=":2: << must name an object or a list of objects"):
        read_marked(written(tmp_path, f"x: &x {{a: 1}}\nm: {{<<: {merge}}}\n"))


def test_merges_of_merges_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 {x: 1}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}" for n in range(1, 60)]
    assert read_marked(written(tmp_path, "\n".join(lines))).value["a59"] == {"x": 1}
    assert read_marked(written(tmp_path, "&a {<<: *a, x: 1}")).value == {"x": 1}


def test_aliases_do_not_grow_without_an_end(tmp_path: Path) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(InputError, match="more than 1000000 values"):
        read_marked(written(tmp_path, "\n".join(lines)))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="can't be read: No such file"):
        read_marked(str(tmp_path / "none.yaml"))


@given(st.binary(max_size=200), st.sampled_from(["a.yaml", "a.json"]))
def test_no_bytes_break_it(tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str) -> None:
    path = tmp_path_factory.mktemp("files", numbered=True) / name
    path.write_bytes(data)
    with contextlib.suppress(InputError):
        read_marked(str(path))
