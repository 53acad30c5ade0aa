"""Secrets that were packed: what is in an archive is searched, and no archive harms whoever looks into it."""

import base64
import bz2
import contextlib
import gzip
import io
import lzma
import tarfile
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.detectors.secrets import archives
from assay.detectors.secrets.archives import decompressed, unpacked
from assay.detectors.secrets.scan import scan_bytes
from tests.checks.secret_samples import github

TOKEN = github(5)
SETTINGS = f"NAME=app\nTOKEN={TOKEN}\n".encode()


def zipped(files: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", method) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return target.getvalue()


def tarred(mode: str) -> bytes:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode=mode) as tar:  # type: ignore[call-overload]
        member = tarfile.TarInfo("app/.env")
        member.size = len(SETTINGS)
        tar.addfile(member, io.BytesIO(SETTINGS))
    return target.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        zipped({"readme.txt": b"x" * 5000, ".env": SETTINGS}),
        zipped({".env": SETTINGS}, zipfile.ZIP_STORED),
        zipped({f"keys/{TOKEN}.txt": b""}),
        gzip.compress(SETTINGS),
        bz2.compress(SETTINGS),
        lzma.compress(SETTINGS),
        tarred("w"),
        tarred("w:gz"),
        tarred("w:xz"),
        b"\0" * 5000 + SETTINGS + b"\0" * 5000,
        SETTINGS.decode().encode("utf-32"),
    ],
    ids=["zip", "stored", "name", "gzip", "bzip2", "xz", "tar", "tar.gz", "tar.xz", "among zeros", "utf-32"],
)
def test_a_token_in_a_binary_file(data: bytes) -> None:
    assert [found.secret.value for found in scan_bytes(data, "data.bin")] == [TOKEN]


@pytest.mark.parametrize(
    "text",
    [
        base64.b64encode(gzip.compress(SETTINGS)).decode(),
        base64.b64encode(zlib.compress(SETTINGS)).decode(),
    ],
    ids=["gzip", "zlib"],
)
def test_a_token_that_was_compressed_and_written_as_text(text: str) -> None:
    assert [found.secret.value for found in scan_bytes(f'BLOB = "{text}"\n'.encode(), "a.py")] == [TOKEN]


def test_a_bomb_is_read_up_to_the_cap() -> None:
    bomb = zipped({"a": b"\0" * (archives.MAX_BYTES + 1), "b": SETTINGS})
    assert sum(map(len, unpacked(bomb))) <= archives.MAX_BYTES + 100
    assert len(decompressed(gzip.compress(b"\0" * 10_000), limit=100) or b"") == 100


def test_an_archive_that_is_cut_off_is_no_error() -> None:
    for data in (zipped({".env": SETTINGS}), gzip.compress(SETTINGS), lzma.compress(SETTINGS)):
        scan_bytes(data[: len(data) // 2], "a.zip")


@given(
    st.sampled_from([b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\0", b"x\x9c"]), st.binary(max_size=200)
)
def test_any_bytes_behind_a_mark_are_no_error(mark: bytes, rest: bytes) -> None:
    with contextlib.suppress(StopIteration):
        next(unpacked(mark + rest))


@pytest.mark.parametrize(
    ("line", "form"),
    [
        (f't = b85decode("{base64.b85encode(TOKEN.encode()).decode()}")', "base85"),
        (f't = "{"-".join(TOKEN)}".replace("-", "")', "filled up"),
        ("token: " + "".join(f"={ord(sign):02X}" for sign in TOKEN), "quoted-printable"),
    ],
)
def test_further_disguises(line: str, form: str) -> None:
    assert [(found.secret.value, found.form) for found in scan_bytes(line.encode(), "a.py")] == [(TOKEN, form)]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".env", "DB_PASSWORD={}"),
        ("settings.yml", "password: {}"),
        (".pgpass", "db.corp.net:5432:app:bot:{}"),
        ("deploy.sh", "sshpass -p '{}' ssh root@10.0.0.1"),
        ("deploy.sh", "mysql -h db.corp.net -u root -p{} app"),
        ("sign.sh", "openssl enc -aes-256-cbc -pass pass:{}"),
    ],
)
def test_passwords_where_tools_want_them(path: str, line: str) -> None:
    password = "v8#Lq2!tRz" + "9wXc4@Mn7"
    assert [found.secret.value for found in scan_bytes(f"{line.format(password)}\n".encode(), path)] == [password]


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (".env.example", "PASSWORD_HASHER=argon2id$v=19"),
        (".env.example", "LOG_FORMAT=%(asctime)s|%(message)s"),
        ("settings.yml", "password_policy: min-length-12,digits,symbols"),
        ("hosts.txt", "10.0.0.1:8080:proxy:http:https"),
    ],
)
def test_settings_that_are_no_passwords(path: str, line: str) -> None:
    assert scan_bytes(f"{line}\n".encode(), path) == []
