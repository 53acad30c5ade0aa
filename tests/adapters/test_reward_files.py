"""read_rewards on the disk: what a hostile agent could leave in the verifier's folder."""

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay import harbor
from assay.adapters.jobs.job_folder import read_reward_files
from assay.evidence.files import Absent, Content, Refusal
from tests.adapters.test_safe_read import HOSTILE, NOWHERE
from tests.builders import within

PROFILES = list(harbor.Profile)


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("name", ["reward.json", "reward.txt"])
@pytest.mark.parametrize(("make", "why"), HOSTILE)
def test_what_is_no_file_is_refused_at_once(
    tmp_path: Path, make: Callable[[Path], None], why: Refusal, name: str, profile: harbor.Profile
) -> None:
    make(tmp_path / name)
    with within(60), pytest.raises(harbor.RewardFileRefusedError) as raised:
        harbor.read_rewards(tmp_path, profile)
    assert raised.value.refused.why is why
    assert raised.value.reason_code == "harbor_reward_parse_error"


@pytest.mark.parametrize(("make", "why"), HOSTILE)
def test_a_hostile_reward_json_does_not_fall_back_to_reward_txt(
    tmp_path: Path, make: Callable[[Path], None], why: Refusal
) -> None:
    make(tmp_path / "reward.json")
    (tmp_path / "reward.txt").write_text("1")
    with within(60), pytest.raises(harbor.RewardFileRefusedError):
        harbor.read_rewards(tmp_path)


@pytest.mark.statement("harbor.dangling-link")
@pytest.mark.parametrize("make", NOWHERE)
def test_a_link_to_nowhere_is_no_file(tmp_path: Path, make: Callable[[Path], None]) -> None:
    make(tmp_path / "reward.json")
    with pytest.raises(harbor.RewardFileNotFoundError):
        harbor.read_rewards(tmp_path)
    (tmp_path / "reward.txt").write_text("0.5")
    assert harbor.read_rewards(tmp_path).rewards == {"reward": 0.5}


def test_a_hard_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").write_text("1\n")
    (tmp_path / "reward.txt").hardlink_to(tmp_path / "elsewhere")
    assert harbor.read_rewards(tmp_path).rewards == {"reward": 1.0}


@pytest.mark.parametrize("as_what", [str, Path])
def test_the_folder_may_be_a_text_or_a_path(tmp_path: Path, as_what: type[str] | type[Path]) -> None:
    (tmp_path / "reward.txt").write_text("1")
    found = harbor.read_rewards(as_what(tmp_path), "strict")
    assert found == harbor.RewardReading({"reward": 1.0}, f"{tmp_path}/reward.txt", harbor.Profile.STRICT)


def test_no_folder_no_reward(tmp_path: Path) -> None:
    with pytest.raises(harbor.RewardFileNotFoundError) as raised:
        harbor.read_rewards(tmp_path / "missing")
    folder = tmp_path / "missing"
    assert str(raised.value) == f"No reward file found at {folder}/reward.txt or {folder}/reward.json"


def test_a_file_where_the_folder_should_be(tmp_path: Path) -> None:
    (tmp_path / "verifier").write_text("1")
    with pytest.raises(harbor.RewardFileNotFoundError):
        harbor.read_rewards(tmp_path / "verifier")


def test_an_unknown_profile_is_a_mistake_of_the_caller(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="harbor-9"):
        harbor.read_rewards(tmp_path, "harbor-9")


@pytest.mark.parametrize(
    ("profile", "size", "refused"),
    [
        ("harbor-0.13.1", 16 * 1024 * 1024, False),
        ("harbor-0.13.1", 16 * 1024 * 1024 + 1, True),
        ("strict", 1024 * 1024, False),
        ("strict", 1024 * 1024 + 1, True),
    ],
)
def test_the_limit_of_each_profile(tmp_path: Path, profile: str, size: int, refused: bool) -> None:
    (tmp_path / "reward.txt").write_bytes(b"1" + b" " * (size - 1))
    if refused:
        with pytest.raises(harbor.RewardFileRefusedError, match="larger than the limit"):
            harbor.read_rewards(tmp_path, profile)
    else:
        assert harbor.read_rewards(tmp_path, profile).rewards == {"reward": 1.0}


@pytest.mark.parametrize(
    ("name", "data", "error"),
    [
        ("reward.json", b"[" * 1_000_000, "RecursionError"),
        ("reward.json", b'{"a":' * 200_000, "RecursionError"),
        ("reward.json", b'{"a": ' + b"9" * 5000 + b"}", "VerifierOutputParseError"),
        ("reward.json", b"\0" * 1000, "VerifierOutputParseError"),
        ("reward.json", b'{"a": "\xff"}', "VerifierOutputParseError"),
        ("reward.json", b'{"a\\u0000": null}', "ValidationError"),
        ("reward.json", b"", "RewardFileEmptyError"),
        ("reward.txt", b"\0" * 1000, "VerifierOutputParseError"),
        ("reward.txt", b"\xff\xfe1", "VerifierOutputParseError"),
        ("reward.txt", b"1" * 5000 + b"x", "VerifierOutputParseError"),
        ("reward.txt", b"", "RewardFileEmptyError"),
    ],
)
def test_hostile_content(tmp_path: Path, name: str, data: bytes, error: str) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(harbor.RewardError) as raised:
        harbor.read_rewards(tmp_path)
    assert raised.value.exception_type == error


@given(data=st.binary(), name=st.sampled_from(["reward.json", "reward.txt"]), profile=st.sampled_from(PROFILES))
def test_no_file_crashes_it(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, name: str, profile: harbor.Profile
) -> None:
    folder = tmp_path_factory.mktemp("verifier")
    (folder / name).write_bytes(data)
    try:
        found = harbor.read_rewards(folder, profile)
    except harbor.RewardError:
        return
    assert isinstance(found, harbor.RewardReading)


def test_reward_txt_is_not_opened_where_reward_json_exists(tmp_path: Path) -> None:
    (tmp_path / "reward.json").write_text("{}")
    (tmp_path / "reward.txt").write_text("1")
    found = read_reward_files(tmp_path)
    assert found.json == Content(f"{tmp_path}/reward.json", b"{}")
    assert found.text == Absent(f"{tmp_path}/reward.txt")


def test_reward_json_is_not_opened_where_reward_txt_counts(tmp_path: Path) -> None:
    (tmp_path / "reward.json").write_text('{"reward": 0}')
    (tmp_path / "reward.txt").write_text("1")
    assert harbor.read_rewards(tmp_path, "harbor-0.6").rewards == {"reward": 1.0}
    (tmp_path / "reward.json").unlink()
    (tmp_path / "reward.json").mkdir()
    assert harbor.read_rewards(tmp_path, "harbor-0.6").rewards == {"reward": 1.0}


def test_a_linked_verifier_folder_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "reward.txt").write_text("1")
    (tmp_path / "trial").mkdir()
    (tmp_path / "trial" / "verifier").symlink_to("../elsewhere")
    found = read_reward_files(tmp_path, ("trial", "verifier"))
    assert not isinstance(found.json, Content)
    assert not isinstance(found.text, Content)
