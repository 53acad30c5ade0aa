"""Places for files by URL."""

from contextlib import suppress
from pathlib import Path
from typing import Any, ClassVar

import pytest

from assay.adapters.sources.files.file_source import file_source
from assay.core.errors import InputError
from assay.dialects.criteria.playground_file import SETTINGS


def test_a_folder_by_its_url(tmp_path: Path) -> None:
    (tmp_path / "a b").mkdir()
    (tmp_path / "a b/file").touch()
    url = f"file://{tmp_path}/a%20b"
    assert [one.path for one in file_source(url, {}).files()] == ["file"]


@pytest.mark.parametrize(("scheme", "name"), [(scheme, one) for scheme in SETTINGS for one in SETTINGS[scheme]])
def test_every_setting_that_a_playground_file_may_name_is_read(scheme: str, name: str) -> None:
    class Asked(dict[str, str]):
        names: ClassVar[set[str]] = set()

        def get(self, key: str, default: Any = None) -> Any:
            self.names.add(key)
            return default

        def __contains__(self, key: object) -> bool:
            self.names.add(str(key))
            return key == "ASSAY_GCS_TOKEN"

    with suppress(InputError):
        file_source(f"{scheme}://host/prefix", Asked()).close()
    assert name in Asked.names


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("", "the URL of files must be"),
        ("/folder", "the URL of files must be"),
        ("http://host/x", "the URL of files must be"),
        ("file://folder", "three slashes"),
        ("file:folder", "three slashes"),
        ("file:///a/../b", r"without .* '\.\.'"),
        ("file:///a/%2e%2e/b", r"'\.\.'"),
        ("sftp:///folder", "sftp://user@host"),
        ("sftp://user:secret@host/folder", "must not contain a password"),
        ("sftp://host:port/folder", "the URL of files must be"),
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
        ("sftp://host", {"ASSAY_SFTP_KEY": "/no/such/file"}, "ASSAY_SFTP_KEY must name a file"),
        ("sftp://host", {"ASSAY_SFTP_KNOWN_HOSTS": "/no/such/file"}, "ASSAY_SFTP_KNOWN_HOSTS must name a file"),
        ("sftp://host", {"ASSAY_SFTP_CHECK_HOST_KEY": "maybe"}, "yes or no"),
        ("gs://bucket", {"ASSAY_GCS_TOKEN": ""}, "ASSAY_GCS_TOKEN"),
    ],
)
def test_settings_that_can_not_be_used(url: str, environment: dict[str, str], why: str) -> None:
    with pytest.raises(InputError, match=why):
        file_source(url, environment)
