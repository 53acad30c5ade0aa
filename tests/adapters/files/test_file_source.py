"""Places for files by URL."""

from pathlib import Path

import pytest

from assay.adapters.files.file_source import file_source
from assay.core.errors import InputError


def test_a_folder_by_its_url(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/file").touch()
    url = f"file://{tmp_path}/a%20b"
    assert [one.path for one in file_source(url, {}).files()] == ["file"]


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "files are at"),
        ("/folder", "files are at"),
        ("http://host/x", "files are at"),
        ("file://folder", "three slashes"),
        ("file:folder", "three slashes"),
        ("file:///a/../b", r"without .* '\.\.'"),
        ("file:///a/%2e%2e/b", r"'\.\.'"),
        ("sftp:///folder", "sftp://user@host"),
        ("sftp://user:secret@host/folder", "no password"),
        ("sftp://host:port/folder", "files are at"),
        ("gs:///prefix", "name of a bucket"),
        ("s3://user@bucket/prefix", "only sftp"),
        ("s3://bucket/prefix?x=1", r"'\?'"),
    ],
)
def test_urls_that_name_no_place(url: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as raised:
        file_source(url, {})
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(
    ("url", "environment", "why"),
    [
        ("s3://bucket", {"AWS_ACCESS_KEY_ID": "a"}, "together"),
        ("sftp://host", {"ASSAY_SFTP_KEY": "/no/such/file"}, "ASSAY_SFTP_KEY should name a file"),
        ("sftp://host", {"ASSAY_SFTP_KNOWN_HOSTS": "/no/such/file"}, "ASSAY_SFTP_KNOWN_HOSTS should name a file"),
        ("sftp://host", {"ASSAY_SFTP_CHECK_HOST_KEY": "maybe"}, "yes or no"),
        ("gs://bucket", {"ASSAY_GCS_TOKEN": ""}, "ASSAY_GCS_TOKEN"),
    ],
)
def test_settings_that_can_not_be_used(url: str, environment: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        file_source(url, environment)
