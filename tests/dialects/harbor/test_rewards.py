"""Section 1: reward files, from bytes to rewards, as harbor really does it."""

import json
import math
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assay.core.errors import AssayError
from assay.dialects.harbor.errors import (
    RewardError,
    RewardFileEmptyError,
    RewardFileNotFoundError,
    RewardFileRefusedError,
    RewardNestingError,
    RewardValidationError,
    VerifierOutputParseError,
)
from assay.dialects.harbor.reasons import normalise_reason
from assay.dialects.harbor.rewards import Profile, RewardReading, parse_reward_files
from assay.evidence.files import Absent, Refusal, Refused, RewardFiles
from tests.builders import reward_files, typed, typed_values

STRICT = Profile.STRICT
JSON_FIRST = [profile for profile in Profile if profile is not Profile.HARBOR_0_6]


@pytest.mark.statement("harbor.txt-key", "harbor.txt-float", "harbor.txt-any-float")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"1", 1.0),
        (b"0", 0.0),
        (b"1.0", 1.0),
        (b"1\n", 1.0),
        (b"1 \n", 1.0),
        (b"\r\n 1\t", 1.0),
        (b"0.5", 0.5),
        (b"1e0", 1.0),
        (b"-1", -1.0),
        (b"+1", 1.0),
        (b"-0", -0.0),
        (b"nan", math.nan),
        (b"inf", math.inf),
        (b"-Infinity", -math.inf),
        (b"1_0", 10.0),
        (b".5", 0.5),
        (b"1e-400", 0.0),
        (b"1e400", math.inf),
        (b"9" * 5000, math.inf),
        ("\u0661".encode(), 1.0),
        ("1\u2003".encode(), 1.0),
    ],
)
def test_reward_txt_holds_a_float(text: bytes, expected: float) -> None:
    found = parse_reward_files(reward_files(text=text))
    assert typed_values(found.rewards) == {"reward": typed(expected)}
    assert found.path == "/v/reward.txt"


@pytest.mark.statement("harbor.txt-parse-error", "harbor.txt-empty")
@pytest.mark.parametrize(
    "text",
    [
        b" ",
        b"\n",
        b"pass",
        b"True",
        b"1,0",
        b"1 0",
        b"0x1",
        b"1\0",
        b"\0",
        b"1.0.0",
        b"\xff",
        b"\xef\xbb\xbf1",
        b"--1",
    ],
)
def test_any_other_text_is_a_parse_error(text: bytes) -> None:
    with pytest.raises(VerifierOutputParseError, match=r"^Failed to parse rewards from text file /v/reward\.txt$"):
        parse_reward_files(reward_files(text=text))


@pytest.mark.statement("harbor.json-keys", "harbor.json-validated")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b'{"correctness": 1, "speed": 0.5}', {"correctness": 1, "speed": 0.5}),
        (b'{"reward": 1}', {"reward": 1}),
        (b'{"reward": 1.0}', {"reward": 1.0}),
        (b'{"reward": -1}', {"reward": -1}),
        (b"{}", {}),
        (b'{"": 1}', {"": 1}),
        # Not verbatim: harbor validates at once, and that coerces.
        (b'{"reward": true}', {"reward": 1.0}),
        (b'{"reward": false, "other": 1}', {"reward": 0.0, "other": 1}),
        (b'{"reward": "0.5"}', {"reward": 0.5}),
        (b'{"reward": "1"}', {"reward": 1.0}),
        (b'{"reward": NaN}', {"reward": math.nan}),
        (b'{"reward": Infinity}', {"reward": math.inf}),
        (b'{"reward": -Infinity}', {"reward": -math.inf}),
        (b'{"reward": 1e400}', {"reward": math.inf}),
        (b'{"reward": 18446744073709551617}', {"reward": 18446744073709551617}),
        (b'{"a": 1, "a": 2}', {"a": 2}),
        (b' \n{"a": 1}\r\n', {"a": 1}),
        (b'{"b": 1, "a": 2}', {"b": 1, "a": 2}),
    ],
)
def test_reward_json_holds_an_object_of_numbers(text: bytes, expected: dict[str, float]) -> None:
    found = parse_reward_files(reward_files(json=text))
    assert typed_values(found.rewards) == typed_values(expected)
    assert list(found.rewards or {}) == list(expected)
    assert found.path == "/v/reward.json"


@pytest.mark.statement("harbor.json-validated", "harbor.none-is-not-zero")
def test_null_is_no_rewards_and_no_error() -> None:
    assert parse_reward_files(reward_files(json=b"null")).rewards is None


@pytest.mark.statement("harbor.json-validated")
@pytest.mark.parametrize(
    "text", [b"[1]", b"1", b'"1"', b"true", b"[]", b'{"a": null}', b'{"a": [1]}', b'{"a": {}}', b'{"a": "pass"}']
)
def test_json_that_is_not_a_set_of_numbers_is_a_fourth_outcome(text: bytes) -> None:
    with pytest.raises(RewardValidationError) as raised:
        parse_reward_files(reward_files(json=text))
    assert raised.value.exception_type == "ValidationError"
    assert "VerifierResult" in str(raised.value)


BROKEN_JSON = [
    b" ",
    b"{",
    b"not json",
    b"{'a': 1}",
    b'{"a": 1,}',
    b'{"a": +1}',
    b'{"a": 01}',
    b'{"a": nan}',
    b'{"a": 1} {"b": 2}',
    b"\xff\xfe",
    b'\xef\xbb\xbf{"a": 1}',
    b'{"a": 1}\0',
    b'{"a": ' + b"9" * 5000 + b"}",
]


@pytest.mark.statement("harbor.json-parse-error")
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("text", BROKEN_JSON)
def test_text_that_is_not_json_is_a_parse_error(text: bytes, profile: Profile) -> None:
    with pytest.raises(
        VerifierOutputParseError, match=r"^Failed to parse rewards from JSON file /v/reward\.json$"
    ):
        parse_reward_files(reward_files(json=text), profile)


@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("text", [b"[" * 100_000, b'{"a":' * 100_000, b"[" * 100_000 + b"]" * 100_000])
def test_json_nested_too_deeply(text: bytes, profile: Profile) -> None:
    with pytest.raises(RewardNestingError) as raised:
        parse_reward_files(reward_files(json=text), profile)
    assert raised.value.exception_type == "RecursionError"


@pytest.mark.parametrize("depth", [50, 200, 500, 800, 900, 950, 1000])
@pytest.mark.parametrize("profile", Profile)
def test_json_nested_less_deeply_is_an_error_too(depth: int, profile: Profile) -> None:
    with pytest.raises(RewardError):
        parse_reward_files(reward_files(json=b'{"a":' + b"[" * depth + b"]" * depth + b"}"), profile)


@pytest.mark.statement("harbor.json-wins")
@pytest.mark.parametrize("profile", JSON_FIRST)
@pytest.mark.parametrize(
    ("json_bytes", "error"), [(b"", RewardFileEmptyError), (b"broken", VerifierOutputParseError)]
)
def test_reward_json_wins_even_where_it_is_useless(
    json_bytes: bytes, error: type[RewardError], profile: Profile
) -> None:
    with pytest.raises(error):
        parse_reward_files(reward_files(json=json_bytes, text=b"1"), profile)


@pytest.mark.statement("harbor.json-wins")
@pytest.mark.parametrize("profile", JSON_FIRST)
def test_reward_json_wins_over_reward_txt(profile: Profile) -> None:
    found = parse_reward_files(reward_files(json=b'{"quality": 0.25}', text=b"1"), profile)
    assert found == RewardReading({"quality": 0.25}, "/v/reward.json", profile)


def test_reward_txt_won_up_to_harbor_0_6() -> None:
    found = parse_reward_files(reward_files(json=b'{"quality": 0.25}', text=b"1"), Profile.HARBOR_0_6)
    assert found == RewardReading({"reward": 1.0}, "/v/reward.txt", Profile.HARBOR_0_6)
    with pytest.raises(RewardFileEmptyError):
        parse_reward_files(reward_files(json=b'{"quality": 0.25}', text=b""), Profile.HARBOR_0_6)
    only_json = parse_reward_files(reward_files(json=b'{"quality": "nan"}'), Profile.HARBOR_0_6)
    assert typed_values(only_json.rewards) == {"quality": typed(math.nan)}


# Recorded with harbor 0.24.0.
@pytest.mark.statement("harbor.finite-since-0-23")
@pytest.mark.parametrize(
    ("files", "message"),
    [
        (reward_files(text=b"nan"), "Non-finite reward nan in text file /v/reward.txt"),
        (reward_files(text=b"-inf"), "Non-finite reward -inf in text file /v/reward.txt"),
        (reward_files(json=b"null"), "Non-numeric reward None in JSON file /v/reward.json"),
        (reward_files(json=b'"x"'), "Non-numeric reward 'x' in JSON file /v/reward.json"),
        (reward_files(json=b"[1]"), "Non-numeric reward [1] in JSON file /v/reward.json"),
        (reward_files(json=b'{"a": 1, "b": "0.5"}'), "Non-numeric reward '0.5' in JSON file /v/reward.json"),
        (reward_files(json=b'{"a": [1]}'), "Non-numeric reward [1] in JSON file /v/reward.json"),
        (reward_files(json=b'{"a": {"b": null}}'), "Non-numeric reward {'b': None} in JSON file /v/reward.json"),
        (reward_files(json=b'{"a": NaN}'), "Non-finite reward nan in JSON file /v/reward.json"),
        (reward_files(json=b'{"a": 1e309}'), "Non-finite reward inf in JSON file /v/reward.json"),
    ],
)
def test_from_harbor_0_23_on_only_finite_numbers_are_rewards(files: RewardFiles, message: str) -> None:
    with pytest.raises(VerifierOutputParseError) as raised:
        parse_reward_files(files, Profile.HARBOR_0_24)
    assert (str(raised.value), raised.value.retried_by_harbor) == (message, False)


@pytest.mark.parametrize(
    ("json_bytes", "expected"),
    [
        (b'{"a": true, "b": 2}', {"a": typed(1.0), "b": typed(2)}),
        (b"{}", {}),
        (b'{"a": -1.5}', {"a": typed(-1.5)}),
    ],
)
def test_from_harbor_0_23_on_numbers_are_read_as_before(json_bytes: bytes, expected: Any) -> None:
    found = parse_reward_files(reward_files(json=json_bytes), Profile.HARBOR_0_24)
    assert typed_values(found.rewards) == expected


@pytest.mark.parametrize("json_bytes", [b"1", b"true", b"0.5"])
def test_from_harbor_0_23_on_a_bare_number_is_still_a_validation_error(json_bytes: bytes) -> None:
    with pytest.raises(RewardValidationError):
        parse_reward_files(reward_files(json=json_bytes), Profile.HARBOR_0_24)


def test_a_huge_value_is_cut_in_the_message() -> None:
    with pytest.raises(VerifierOutputParseError) as raised:
        parse_reward_files(reward_files(json=b'{"a": "' + b"x" * 100_000 + b'"}'), Profile.HARBOR_0_24)
    assert len(str(raised.value)) < 1000


@pytest.mark.statement("harbor.txt-empty", "harbor.json-empty")
@pytest.mark.parametrize("profile", Profile)
@pytest.mark.parametrize("files", [reward_files(json=b""), reward_files(text=b"")])
def test_a_file_without_bytes_is_empty(files: RewardFiles, profile: Profile) -> None:
    with pytest.raises(RewardFileEmptyError, match=r"^Reward file is empty at /v/reward\.(json|txt)$"):
        parse_reward_files(files, profile)


@pytest.mark.statement("harbor.no-file")
@pytest.mark.parametrize("profile", Profile)
def test_no_file_at_all(profile: Profile) -> None:
    message = r"^No reward file found at /v/reward\.txt or /v/reward\.json$"
    with pytest.raises(RewardFileNotFoundError, match=message):
        parse_reward_files(reward_files(), profile)


@pytest.mark.parametrize(
    ("why", "exception_type", "words"),
    [
        (Refusal.FOLDER, "IsADirectoryError", "[Errno 21] Is a directory: '/v/reward.json'"),
        (Refusal.UNREADABLE, "PermissionError", "Reward file refused: /v/reward.json is not readable"),
        (Refusal.LINK, "RewardFileRefusedError", "Reward file refused: /v/reward.json is a symbolic link"),
        (Refusal.FIFO, "RewardFileRefusedError", "Reward file refused: /v/reward.json is a named pipe"),
        (
            Refusal.TOO_LARGE,
            "RewardFileRefusedError",
            "Reward file refused: /v/reward.json is larger than the limit",
        ),
    ],
)
@pytest.mark.parametrize("profile", Profile)
def test_what_must_not_be_read_is_refused(profile: Profile, why: Refusal, exception_type: str, words: str) -> None:
    files = RewardFiles(json=Refused("/v/reward.json", why), text=Absent("/v/reward.txt"))
    with pytest.raises(RewardFileRefusedError) as raised:
        parse_reward_files(files, profile)
    assert (str(raised.value), raised.value.exception_type) == (words, exception_type)


# Section 1.4. The code is attached where the error is raised, and the normaliser finds it in harbor's words too.
@pytest.mark.statement("harbor.reason-of-errors")
@pytest.mark.parametrize(
    ("files", "exception_type", "reason_code", "retried"),
    [
        (reward_files(), "RewardFileNotFoundError", "harbor_reward_missing", False),
        (reward_files(text=b""), "RewardFileEmptyError", "harbor_reward_empty", False),
        (reward_files(text=b"pass"), "VerifierOutputParseError", "harbor_reward_parse_error", False),
        (reward_files(json=b"{"), "VerifierOutputParseError", "harbor_reward_parse_error", False),
    ],
)
def test_reason_codes(files: RewardFiles, exception_type: str, reason_code: str, retried: bool) -> None:
    with pytest.raises(RewardError) as raised:
        parse_reward_files(files)
    error = raised.value
    assert (error.exception_type, error.reason_code, error.retried_by_harbor) == (
        exception_type,
        reason_code,
        retried,
    )
    assert normalise_reason(str(error)) == reason_code
    assert normalise_reason(exception_type) == reason_code
    assert normalise_reason(f"{exception_type}: {error}") == reason_code


@pytest.mark.parametrize("text", [b"[1]", b"[" * 100_000])
def test_a_validation_error_is_a_parse_error_that_harbor_retries(text: bytes) -> None:
    with pytest.raises(RewardError) as raised:
        parse_reward_files(reward_files(json=text))
    assert (raised.value.reason_code, raised.value.retried_by_harbor) == ("harbor_reward_parse_error", True)


def test_the_error_tree() -> None:
    assert issubclass(RewardError, AssayError)
    assert issubclass(RewardFileNotFoundError, RewardError)
    assert issubclass(RewardFileNotFoundError, FileNotFoundError)
    assert issubclass(RewardValidationError, ValueError)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (reward_files(text=b"1"), {"reward": 1.0}),
        (reward_files(text=b" 0.25\n"), {"reward": 0.25}),
        (reward_files(text=b"-0.0"), {"reward": -0.0}),
        (reward_files(text=b"\t+.5e0\r\n"), {"reward": 0.5}),
        (reward_files(json=b'{"a": 0, "b": 1}'), {"a": 0, "b": 1}),
        (reward_files(json=b'{"a": 0.5}'), {"a": 0.5}),
        (reward_files(json=b'{"a": 1e-400}'), {"a": 0.0}),
    ],
)
def test_strict_takes_finite_numbers_from_0_to_1(files: RewardFiles, expected: dict[str, float]) -> None:
    found = parse_reward_files(files, STRICT)
    assert typed_values(found.rewards) == typed_values(expected)
    assert found.profile is STRICT


@pytest.mark.statement("harbor.profiles")
@pytest.mark.parametrize(
    ("files", "error"),
    [
        (reward_files(text=b"nan"), VerifierOutputParseError),
        (reward_files(text=b"inf"), VerifierOutputParseError),
        (reward_files(text=b"1e400"), VerifierOutputParseError),
        (reward_files(text=b"pass"), VerifierOutputParseError),
        # What float() takes beyond a plain decimal number.
        (reward_files(text=b"0_1"), VerifierOutputParseError),
        (reward_files(text="\u0661".encode()), VerifierOutputParseError),
        (reward_files(text="1\u2003".encode()), VerifierOutputParseError),
        (reward_files(text=b"-1"), RewardValidationError),
        (reward_files(text=b"1.0000001"), RewardValidationError),
        (reward_files(json=b'{"a": NaN}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": Infinity}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": 1e400}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": 1' + b"0" * 400 + b"}"), VerifierOutputParseError),
        (reward_files(json=b'{"a": true}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": "1"}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": null}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": {"b": 1}}'), VerifierOutputParseError),
        (reward_files(json=b'{"a": 1, "a": 1}'), VerifierOutputParseError),
        (reward_files(json=b"null"), VerifierOutputParseError),
        (reward_files(json=b"[]"), VerifierOutputParseError),
        (reward_files(json=b"1"), VerifierOutputParseError),
        (reward_files(json=b"{}"), RewardValidationError),
        (reward_files(json=b'{"a": 2}'), RewardValidationError),
        (reward_files(json=b'{"a": 0.5, "b": -0.1}'), RewardValidationError),
    ],
)
def test_strict_takes_nothing_else(files: RewardFiles, error: type[RewardError]) -> None:
    with pytest.raises(error) as raised:
        parse_reward_files(files, STRICT)
    assert raised.value.reason_code == "harbor_reward_parse_error"


@pytest.mark.statement("harbor.profiles")
def test_a_reading_records_its_profile() -> None:
    assert parse_reward_files(reward_files(text=b"1")).profile is Profile.HARBOR_0_13_1
    assert [profile.value for profile in Profile] == ["harbor-0.6", "harbor-0.13.1", "harbor-0.24", "strict"]


numbers = st.floats() | st.integers() | st.booleans() | st.none() | st.text(max_size=8)
json_values: st.SearchStrategy[Any] = st.recursive(
    numbers, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
any_bytes = st.one_of(
    st.binary(),
    st.text().map(lambda text: text.encode("utf-8", "surrogatepass")),
    st.floats().map(lambda number: repr(number).encode()),
    json_values.map(lambda value: json.dumps(value).encode()),
    json_values.map(lambda value: json.dumps(value, ensure_ascii=False).encode("utf-16")),
)


@given(json_bytes=st.none() | any_bytes, text_bytes=st.none() | any_bytes, profile=st.sampled_from(Profile))
@example(json_bytes=b'{"\\ud800": 1}', text_bytes=None, profile=Profile.HARBOR_0_13_1)
@example(json_bytes=b'{"\\ud800": true}', text_bytes=None, profile=Profile.HARBOR_0_13_1)
@example(json_bytes=b'{"\\ud800": [1]}', text_bytes=None, profile=Profile.HARBOR_0_13_1)
@example(json_bytes=b'{"\\ud800": 1, "\\ud800": 1}', text_bytes=None, profile=Profile.STRICT)
@example(json_bytes=b'{"a": "\\ud800"}', text_bytes=None, profile=Profile.HARBOR_0_13_1)
@example(json_bytes=b'{"a": "' + b"9" * 5000 + b'"}', text_bytes=None, profile=Profile.HARBOR_0_13_1)
def test_no_bytes_crash_it(json_bytes: bytes | None, text_bytes: bytes | None, profile: Profile) -> None:
    try:
        found = parse_reward_files(reward_files(json=json_bytes, text=text_bytes), profile)
    except RewardError:
        return
    assert all(type(value) in (int, float) for value in (found.rewards or {}).values())


@given(any_bytes)
def test_what_strict_accepts_is_a_share_and_harbor_agrees(data: bytes) -> None:
    for files in (reward_files(json=data), reward_files(text=data)):
        try:
            found = parse_reward_files(files, STRICT)
        except RewardError:
            continue
        assert found.rewards
        assert all(0 <= value <= 1 for value in found.rewards.values())
        assert typed_values(found.rewards) == typed_values(parse_reward_files(files).rewards)
