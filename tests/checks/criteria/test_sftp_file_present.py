"""Files that an agent left: which are meant, what is demanded of them, and what the evidence says."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest

from assay.core.errors import MeasurementError
from assay.core.outcome import Scored
from assay.engine.criteria.complete_run import check_of
from assay.engine.criteria.shared_state import SharedState
from assay.evidence.playground import StoredFile
from tests.checks.criteria.fake_state import AFTER, BEFORE, START, FakeState

ADT = b"MSH|^~\\&|A|B|C|D|20260301||ADT^A04|7|P|2.5\rPID|1||12345^^^H||Smith^Ann||19800101|F\r"
ISA = b"ISA*00*          *00*          *ZZ*S              *ZZ*R              *260301*1200*^*00501*000000001*0*P*:~"
X12 = ISA + b"GS*HP*S*R*20260301*1200*1*X*005010X221A1~ST*835*0001~BPR*I*150.5*C~SE*3*0001~GE*1*1~IEA*1*000000001~"
CSV = b'id,amount,note\r\n1,10.50,"a, b"\r\n2,20,x\r\n\r\n3\r\n'
JSON = json.dumps({"claim": {"id": 7, "lines": [{"code": "A"}, {"code": "B"}], "none": None}}).encode()


@dataclass
class FakeFiles:
    """Files in memory, in chunks of three bytes."""

    content: Mapping[str, bytes]
    at: Mapping[str, datetime] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    def files(self) -> Iterator[StoredFile]:
        for path, data in self.content.items():
            yield StoredFile(path, self.sizes.get(path, len(data)), self.at.get(path, AFTER))

    def chunks(self, path: str) -> Iterator[bytes]:
        self.read.append(path)
        data = self.content[path]
        yield from (data[at : at + 3] for at in range(0, len(data), 3))


BATCH = b"FHS|^~\\&|F\rBHS|^~\\&|B\r" + ADT + ADT + b"BTS|2\rFTS|1\r"


def state(content: Mapping[str, bytes], **more: Any) -> FakeState:
    return FakeState(file_source=FakeFiles(content, **more))


def outcome(playground: FakeState, data: Mapping[str, Any] | None = None, **assertion: Any) -> Scored:
    answer = check_of({"assert": "sftp-file-present", **assertion}, data or {}).run(playground)
    assert isinstance(answer, Scored)
    return answer


def rows(answer: Scored) -> list[dict[str, Any]]:
    found = answer.evidence["fieldResults"]
    assert isinstance(found, list)
    return found


OUT = state({"out/claim.json": JSON, "out/deep/er/pay.csv": CSV, "Top.TXT": b"one\ntwo\n"})


@pytest.mark.parametrize(
    ("pattern", "paths"),
    [
        ("Top.TXT", ["Top.TXT"]),
        ("top.txt", []),
        ("*", ["Top.TXT"]),
        ("*.json", []),
        ("out/*", ["out/claim.json"]),
        ("out/*.js?n", ["out/claim.json"]),
        ("out/[a-c]laim.json", ["out/claim.json"]),
        ("out/[!a-c]laim.json", []),
        ("out/**", ["out/claim.json", "out/deep/er/pay.csv"]),
        ("**/*.csv", ["out/deep/er/pay.csv"]),
        ("**/Top.TXT", ["Top.TXT"]),
        ("out/**/er/*", ["out/deep/er/pay.csv"]),
        ("**/deep/**/pay.csv", ["out/deep/er/pay.csv"]),
        ("out/**/claim.json", ["out/claim.json"]),
        ("**", ["Top.TXT", "out/claim.json", "out/deep/er/pay.csv"]),
        ("out", []),
        ("out/claim.json/**", []),
    ],
)
@pytest.mark.parametrize("name", ["pattern", "glob", "path"])
def test_which_files_a_pattern_means(pattern: str, paths: list[str], name: str) -> None:
    answer = outcome(OUT, None, **{name: pattern})
    assert answer.evidence["paths"] == paths
    assert (answer.passed, answer.score) == (bool(paths), float(bool(paths)))


@pytest.mark.parametrize(
    ("assertion", "why"),
    [
        ({}, "needs exactly one of pattern"),
        ({"pattern": "a", "glob": "a"}, "needs exactly one of pattern"),
        ({"pattern": ""}, "relative"),
        ({"pattern": "/etc/passwd"}, "relative"),
        ({"pattern": "out\\..\\x"}, "backslashes"),
        ({"pattern": "a\n"}, "relative"),
        ({"pattern": "../x"}, "'..'"),
        ({"pattern": "a/../x"}, "'..'"),
        ({"pattern": "./x"}, "'.'"),
        ({"pattern": "a//x"}, "empty part"),
        ({"pattern": "a/"}, "empty part"),
        ({"pattern": "a/b**"}, "must be alone"),
        ({"pattern": "a", "size": {"min": -1}}, "a size needs a min"),
        ({"pattern": "a", "size": {"min": 2, "max": 1}}, "a size needs a min"),
        ({"pattern": "a", "size": {"least": 1}}, "size"),
        ({"pattern": "a", "checksum": {"sha256": "abc"}}, "hexadecimal"),
        ({"pattern": "a", "checksum": {"crc32": "abcdef01"}}, "sha256, sha1 or md5"),
        ({"pattern": "a", "contains": ""}, "must not be empty"),
        ({"pattern": "a", "since": "yesterday"}, "since"),
        ({"pattern": "a", "format": "yaml"}, "format"),
        (
            {"pattern": "a", "cardinality": {"min": 0, "max": 0}, "contains": "x"},
            "nothing else can be required of a file",
        ),
        ({"pattern": "a.txt", "fields": [{"path": "amount"}]}, "path into a text"),
        ({"pattern": "a.txt", "fields": [{"path": "line.0"}]}, "path into a text"),
        ({"pattern": "a.csv", "fields": [{"path": "0.amount"}]}, "path into a CSV"),
        ({"pattern": "a.csv", "fields": [{"path": "2."}]}, "path into a CSV"),
        ({"pattern": "a.json", "fields": [{"path": "a..b"}]}, "empty part"),
        ({"pattern": "a.json", "fields": [{"path": "$["}]}, "JSONPath"),
        ({"pattern": "a.hl7", "fields": [{"path": "PID-"}]}, "HL7 path"),
        ({"pattern": "a.835", "fields": [{"path": "BPR["}]}, "X12 path"),
    ],
)
def test_assertions_that_are_refused_when_they_are_loaded(assertion: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why.replace(".", r"\.")):
        check_of({"assert": "sftp-file-present", **assertion}, {})


@pytest.mark.parametrize(
    ("name", "content", "path", "expected"),
    [
        ("a.txt", b"one\r\ntwo\n", "content", "one\r\ntwo\n"),
        ("a.txt", b"one\r\ntwo\n", "line.2", "two"),
        ("a.txt", b"one\n\nthree", "line.3", "three"),
        ("a.txt", b"\xff\xfeo\0k\0", "content", "ok"),
        ("a.txt", b"\xef\xbb\xbfok", "content", "ok"),
        ("a.txt", b"caf\xe9", "content", "caf\u00e9"),
        ("a.json", JSON, "claim.id", 7),
        ("a.json", JSON, "claim.lines.1.code", "B"),
        ("a.json", JSON, "claim.none", None),
        ("a.json", JSON, "$.claim.lines[?@.code == 'A'].code", "A"),
        ("a.csv", CSV, "1.amount", "10.50"),
        ("a.csv", CSV, "1.note", "a, b"),
        ("a.csv", CSV, "2.id", "2"),
        ("a.csv", b"id;amount\n1;2,5\n", "1.amount", "2,5"),
        ("a.tsv", b"id\tamount\n1\t5\n", "1.amount", "5"),
        ("a.csv", b"a.b,c\n1,2\n", "a.b", "1"),
        ("a.csv", b'\xef\xbb\xbf"id",x\n9,1\n', "id", "9"),
        ("a.hl7", ADT, "PID-5.1", "Smith"),
        ("a.835", X12, "BPR02", "150.5"),
        ("a.edi", X12, "ISA06", "S"),
    ],
)
def test_fields_by_the_paths_of_the_format(name: str, content: bytes, path: str, expected: object) -> None:
    answer = outcome(state({name: content}), pattern=name, fields=[{"path": path, "expected": expected}])
    assert rows(answer) == [{"path": path, "expected": expected, "actual": expected, "passed": True}]
    assert (answer.score, answer.passed, answer.evidence["path"]) == (1.0, True, name)


@pytest.mark.parametrize(
    ("name", "content", "path", "values"),
    [
        ("a.csv", CSV, "amount", ["10.50", "20"]),
        ("a.csv", CSV, "*.id", ["1", "2", "3"]),
        ("a.csv", CSV, "4.id", None),
        ("a.csv", CSV, "3.amount", None),
        ("a.csv", CSV, "other", None),
        ("a.txt", b"a\nb", "line.*", ["a", "b"]),
        ("a.txt", b"a\nb", "line.3", None),
        ("a.hl7", ADT + ADT.replace(b"Ann", b"Bob"), "PID-5.2", ["Ann", "Bob"]),
        ("a.hl7", BATCH, "PID-5.2", ["Ann", "Ann"]),
        ("a.hl7", BATCH, "BHS-3", "B"),
        ("a.hl7", BATCH, "BTS-1", "2"),
        ("a.hl7", ADT, "BTS-1", None),
        ("a.x12", X12 + X12, "ISA13", ["000000001", "000000001"]),
    ],
)
def test_paths_with_several_values_or_none(name: str, content: bytes, path: str, values: object) -> None:
    answer = outcome(state({name: content}), pattern=name, fields=[{"path": path, "operator": "exists"}])
    assert rows(answer)[0]["actual"] == values
    assert answer.passed == (values is not None)


def test_the_format_may_be_given() -> None:
    rule = [{"path": "claim.id", "expected": 7}]
    assert outcome(state({"claim": JSON}), pattern="*", format="json", fields=rule).passed


SHA = hashlib.sha256(b"abcdef").hexdigest()


def test_size_checksum_and_texts_are_rules_beside_the_fields() -> None:
    answer = outcome(
        state({"a.txt": b"abcdef"}),
        pattern="a.txt",
        size={"max": 5},
        checksum={"sha256": SHA.upper()},
        contains=["cd", "nothing"],
        fields=[{"path": "content", "expected": "abc", "operator": "startsWith", "weight": 4}],
    )
    assert [(row["path"], row["passed"]) for row in rows(answer)] == [
        ("size", False),
        ("checksum.sha256", True),
        ("contains", True),
        ("contains", False),
        ("content", True),
    ]
    assert (answer.score, answer.passed) == (0.75, False)
    assert rows(answer)[0]["actual"] == 6
    assert rows(answer)[1]["actual"] == SHA


@pytest.mark.parametrize(
    ("assertion", "passed"),
    [
        ({"size": {"min": 6}}, True),
        ({"size": {"min": 6, "max": 6}}, True),
        ({"size": {"min": 7}}, False),
        ({"size": {"max": 5}}, False),
        ({"checksum": {"md5": hashlib.md5(b"abcdef").hexdigest()}}, True),  # noqa: S324
        ({"checksum": {"sha1": hashlib.sha1(b"abcdef").hexdigest()}}, True),  # noqa: S324
        ({"checksum": {"sha256": "0" * 64}}, False),
        ({"contains": "bcde"}, True),
        ({"contains": "BCDE"}, False),
    ],
)
def test_one_demand(assertion: dict[str, Any], passed: bool) -> None:
    assert outcome(state({"a": b"abcdef"}), pattern="a", **assertion).passed is passed


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_text_is_found_over_the_ends_of_chunks_in_any_usual_encoding(encoding: str) -> None:
    content = "xx the café is öpen".encode(encoding)
    assert outcome(state({"a": content}), pattern="a", contains="café is ö").passed
    assert not outcome(state({"a": content}), pattern="a", contains="cafe").passed


def test_of_several_files_the_best_counts() -> None:
    playground = state({"a.txt": b"no", "b.txt": b"yes", "c.txt": b"no"})
    answer = outcome(playground, pattern="*.txt", fields=[{"path": "content", "expected": "yes"}])
    assert (answer.passed, answer.evidence["path"]) == (True, "b.txt")
    assert answer.evidence["paths"] == ["a.txt", "b.txt", "c.txt"]


def test_rules_are_not_spread_over_several_files() -> None:
    rules = [{"path": "line.1", "expected": "a"}, {"path": "line.2", "expected": "b"}]
    answer = outcome(state({"1.txt": b"a\nx", "2.txt": b"x\nb"}), pattern="*.txt", fields=rules)
    assert (answer.score, answer.passed) == (0.5, False)


@pytest.mark.parametrize(
    ("cardinality", "count", "passed"),
    [
        ({"min": 1, "max": 1}, 1, True),
        ({"min": 1, "max": 1}, 2, False),
        ({"min": 2}, 1, False),
        ({"min": 0, "max": 0}, 0, True),
        ({"min": 0, "max": 0}, 1, False),
        ({}, 0, False),
    ],
)
def test_how_many_files_there_may_be(cardinality: dict[str, int], count: int, passed: bool) -> None:
    playground = state({f"{number}.txt": b"" for number in range(count)})
    answer = outcome(playground, pattern="*.txt", cardinality=cardinality)
    assert (answer.passed, answer.evidence["count"]) == (passed, count)


def test_files_from_before_the_run_do_not_count_where_that_is_asked_for() -> None:
    old = state({"a": b""}, at={"a": BEFORE})
    assert outcome(old, pattern="a").passed
    assert not outcome(old, pattern="a", since="run_start").passed


@pytest.mark.parametrize(
    ("modified", "passed"),
    [
        (START.replace(second=5), True),
        (START.replace(second=5, microsecond=400_000), False),
        (START.replace(second=5, microsecond=600_000), True),
        (START.replace(second=4), False),
    ],
)
def test_a_file_of_the_first_second_counts_where_times_are_in_whole_seconds(
    modified: datetime, passed: bool
) -> None:
    started = START.replace(second=5, microsecond=500_000)
    files = FakeFiles({"a": b""}, {"a": modified})
    assert (
        outcome(FakeState(file_source=files, run_start=started), pattern="a", since="run_start").passed is passed
    )


def test_no_file_is_no_pass_even_for_rules_about_absence() -> None:
    rule = [{"path": "content", "operator": "notExists"}]
    answer = outcome(state({}), pattern="a.txt", cardinality={"min": 0}, fields=rule)
    assert (answer.score, answer.passed) == (0.0, False)
    assert "there are no files like a.txt" in answer.summary


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.json", b""),
        ("a.json", b"{"),
        ("a.json", b"NaN"),
        ("a.json", b'{"id": 1, "id": 2}'),
        ("a.json", b"[" * 100_000),
        ("a.json", b"[" * 95 + b"]" * 95),
        ("a.json", b"\xff\xfe\x00"),
        ("a.csv", b""),
        ("a.csv", b"id\n" + b"x" * 200_000),
        ("a.hl7", b"no message"),
        ("a.x12", b"no interchange"),
    ],
)
def test_a_file_that_is_not_of_its_format_is_evidence_and_no_crash(name: str, content: bytes) -> None:
    paths = {"a.hl7": "PID-5", "a.x12": "BPR02", "a.csv": "id"}
    rule = {"path": paths.get(name, "$..id"), "expected": "x", "operator": "notEquals"}
    answer = outcome(state({name: content}), pattern=name, fields=[rule])
    assert (answer.score, answer.passed) == (0.0, False)
    assert answer.evidence["unreadable"]


def test_a_file_too_large_for_fields_is_still_held_against_size_checksum_and_texts() -> None:
    @dataclass
    class Large:
        def files(self) -> Iterator[StoredFile]:
            yield StoredFile("big.txt", 65 * 1024 * 1024, AFTER)

        def chunks(self, path: str) -> Iterator[bytes]:  # noqa: ARG002
            for _ in range(65):
                yield b"x" * (1024 * 1024 - 1) + b"\n"

    digest = hashlib.sha256((b"x" * (1024 * 1024 - 1) + b"\n") * 65).hexdigest()
    answer = outcome(
        FakeState(file_source=Large()),
        pattern="big.txt",
        checksum={"sha256": digest},
        contains="x\nx",
        # Only a part of it would be without the word; nothing is known about the rest.
        fields=[{"path": "content", "expected": "secret", "operator": "notContains"}],
    )
    assert [row["passed"] for row in rows(answer)] == [True, True, False]
    assert "up to 67108864" in str(answer.evidence["unreadable"])


@pytest.mark.parametrize("listed", [3, 100])
def test_a_file_that_changes_while_it_is_looked_at_does_not_hold(listed: int) -> None:
    answer = outcome(state({"a.txt": b"abcdef"}, sizes={"a.txt": listed}), pattern="a.txt", contains="abc")
    assert not answer.passed
    assert "changed" in answer.summary


def test_a_file_that_never_ends_is_not_read_for_ever() -> None:
    @dataclass
    class Endless:
        def files(self) -> Iterator[StoredFile]:
            yield StoredFile("a", 10, AFTER)

        def chunks(self, path: str) -> Iterator[bytes]:  # noqa: ARG002
            while True:
                yield b"x" * 8

    assert not outcome(FakeState(file_source=Endless()), pattern="a", contains="y").passed


def test_a_file_that_is_gone_is_evidence() -> None:
    class Gone(FakeFiles):
        def chunks(self, path: str) -> Iterator[bytes]:
            raise FileNotFoundError(2, "No such file or directory", path)

    answer = outcome(FakeState(file_source=Gone({"a": b"x"})), pattern="a", size={"min": 1}, contains="x")
    assert (answer.score, answer.passed) == (0.5, False)
    assert "No such file" in str(answer.evidence["unreadable"])


def test_a_source_that_is_down_is_no_zero() -> None:
    with pytest.raises(MeasurementError):
        outcome(FakeState(), pattern="a")


def test_nothing_is_read_where_only_presence_and_size_are_asked_for() -> None:
    files = FakeFiles({"a": b"abc"})
    assert outcome(FakeState(file_source=files), pattern="a", size={"min": 3}).passed
    assert files.read == []


def test_of_very_many_files_those_that_changed_last_are_read() -> None:
    files = FakeFiles({f"{number}": b"no" for number in range(1500)}, {"7": AFTER.replace(hour=23)})
    answer = outcome(FakeState(file_source=files), pattern="*", contains="yes")
    assert not answer.passed
    assert len(files.read) == 1000
    assert files.read[0] == "7"
    assert answer.evidence["count"] == 1500


def test_long_values_and_strange_names_do_not_swell_or_break_the_evidence() -> None:
    name = "a\udcff\n.txt"
    answer = outcome(state({name: b"x" * 10_000}), pattern="*.txt", fields=[{"path": "content", "expected": "y"}])
    assert len(str(rows(answer)[0]["actual"])) < 600
    assert answer.evidence["path"] == "a\\udcff\n.txt"
    json.dumps(dict(answer.evidence), ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("value", ["*", "a/b", "..", "[ab]", "?"])
def test_a_value_of_the_data_is_never_a_wildcard_or_a_folder(value: str) -> None:
    playground = state({"out/a": b"", "out/a/b": b"", "out/x": b"", "x": b""})
    try:
        assert not outcome(playground, {"v": value}, pattern="out/{{v}}").passed
    except ValueError as error:
        assert "without '/'" in str(error)  # noqa: PT017


def test_a_value_of_the_data_in_a_pattern_and_in_a_path() -> None:
    data = {"mrn": "12345", "odd": "a*b", "name": "Ann Lee"}
    assert outcome(state({"out/12345.csv": b""}), data, pattern="out/{{mrn}}.csv").passed
    assert outcome(state({"out/12345.csv": b""}), data, path="out/{{mrn}}.csv").passed
    assert outcome(state({"a*b": b""}), data, pattern="{{odd}}").passed
    rule = [{"path": "PID[3.1={{mrn}}]-5.1", "expected": "Smith"}]
    assert outcome(state({"a.hl7": ADT}), data, pattern="a.hl7", fields=rule).passed
    with pytest.raises(ValueError, match="use pattern instead"):
        outcome(state({}), data, path="{{odd}}")
    with pytest.raises(ValueError, match="must not have quotes"):
        outcome(state({}), {"v": 'x"]'}, pattern="a.hl7", fields=[{"path": "PID[3.1={{v}}]-5"}])


def test_names_that_are_chosen_to_be_slow_are_not() -> None:
    playground = state({"/".join(["a" * 250] * 4) + f"/{number}": b"" for number in range(200)})
    assert not outcome(playground, pattern="**/" + "*a" * 12 + "*b/**/x").passed


@pytest.mark.parametrize(
    ("at", "note"),
    [
        (START, {}),
        (AFTER, {"as_of": "a.txt changed after the completion was accepted; it counts as it is now"}),
    ],
)
def test_a_file_that_may_have_changed_after_acceptance_is_noted(at: datetime, note: dict[str, str]) -> None:
    """The times of an SFTP server are what the sender of a file says, so nothing is left out by them."""
    playground = SharedState(state({"a.txt": b"x"}, at={"a.txt": at}), accepted_at=START)
    answer = check_of({"assert": "sftp-file-present", "path": "a.txt"}, {}).run(playground)
    assert isinstance(answer, Scored)
    assert (answer.score, answer.evidence) == (1.0, {"fieldResults": [], "paths": ["a.txt"], "count": 1, **note})
