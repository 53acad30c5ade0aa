"""What a Dockerfile asks for that needs no image, and what it asks for that does."""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from assay.adapters.tasks.task_folder import DiskBuildContext
from assay.engine.sandbox import PATH
from assay.engine.tasks.dockerfile_environment import read_environment
from assay.engine.tasks.task import TaskEnvironment


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """The folder that COPY reads from, and a neighbour that it must not."""
    folder = tmp_path / "environment"
    (folder / "data" / "deep").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "c.csv", "with space", "data/x", "data/deep/y"):
        (folder / name).write_text(name)
    (tmp_path / "environment-secret").mkdir()
    (tmp_path / "environment-secret" / "key").write_text("secret")
    return folder


def read(context: Path, dockerfile: str) -> TaskEnvironment:
    return read_environment(dockerfile, DiskBuildContext(str(context)), "Dockerfile")


def copies(context: Path, dockerfile: str) -> list[tuple[list[str], str]]:
    found = read(context, dockerfile)
    assert found.needs_image is None
    return [([os.path.relpath(source, context) for source in one.sources], one.target) for one in found.copies]


@pytest.mark.parametrize(
    ("dockerfile", "workdir"),
    [
        ("", "/workspace"),
        ("FROM debian:12", "/workspace"),
        ("WORKDIR /app", "/app"),
        ("workdir /app", "/app"),
        ("WORKDIR /a\nWORKDIR b\nWORKDIR c", "/a/b/c"),
        ("WORKDIR /a/b\nWORKDIR ../c", "/a/c"),
        ("WORKDIR /a\nWORKDIR /b", "/b"),
        ("WORKDIR a", "/a"),
        ("WORKDIR /a/", "/a"),
        ('WORKDIR "/with space"', "/with space"),
        ("ENV HERE=/srv/x\nWORKDIR $HERE/y", "/srv/x/y"),
        ("ARG HERE=/srv/x\nWORKDIR ${HERE}", "/srv/x"),
        ("WORKDIR ${NOWHERE:-/app}", "/app"),
    ],
)
def test_the_working_folder(context: Path, dockerfile: str, workdir: str) -> None:
    found = read(context, dockerfile)
    assert (found.workdir, found.needs_image) == (workdir, None)


@pytest.mark.parametrize(
    ("dockerfile", "env"),
    [
        ("ENV A=1", {"A": "1"}),
        ("ENV A=1 B='two words' C=\"x y\" D=e\\ f", {"A": "1", "B": "two words", "C": "x y", "D": "e f"}),
        ("ENV A=", {"A": ""}),
        ("ENV A=b=c", {"A": "b=c"}),
        # The older form: the rest of the line is the value.
        ("ENV A one two", {"A": "one two"}),
        ("ENV A b=c", {"A": "b=c"}),
        # Variables.
        ("ENV A=1\nENV B=${A}2 C=$A D=${Z:-d} E=$Z", {"A": "1", "B": "12", "C": "1", "D": "d", "E": ""}),
        ("ENV A=1\nENV A=2", {"A": "2"}),
        # Docker's own example: within one instruction, a variable has the value that it had before.
        ("ENV abc=hello\nENV abc=bye def=$abc\nENV ghi=$abc", {"abc": "bye", "def": "hello", "ghi": "bye"}),
        ("ENV A=\\$HOME", {"A": "$HOME"}),
        (
            "ENV B=1\nENV A='$B' C=\"it's $B, isn't it\" D=\"'$B'\"",
            {"B": "1", "A": "$B", "C": "it's 1, isn't it", "D": "'1'"},
        ),
        # Arguments stand for values, and are no part of the environment.
        ("ARG V=1\nENV A=$V", {"A": "1"}),
        ("ARG V\nENV A=x$V", {"A": "x"}),
        ("ARG V=1\nENV V=2\nENV A=$V", {"V": "2", "A": "2"}),
        ("ARG V=1 W=2\nENV A=$V$W", {"A": "12"}),
        # What stands before the first stage is for its FROM, and for a stage that asks for it.
        ("ARG V=1\nFROM debian\nENV A=x$V", {"A": "x"}),
        ("ARG V=1\nFROM debian\nARG V\nENV A=x$V", {"A": "x1"}),
        ("ARG V=1\nFROM debian\nARG V=2\nENV A=x$V", {"A": "x2"}),
        # A plain image has a path for programs, and nothing else that Dockerfiles build on.
        ("ENV PATH=/app/bin:$PATH", {"PATH": f"/app/bin:{PATH}"}),
        ('ENV PATH="${PATH}:/app/bin"\nENV PATH="/x:$PATH"', {"PATH": f"/x:{PATH}:/app/bin"}),
        ("ENV A=x$HOME", {"A": "x"}),
    ],
)
def test_the_environment_variables(context: Path, dockerfile: str, env: Mapping[str, str]) -> None:
    assert read(context, dockerfile).env == env


@pytest.mark.parametrize(
    ("dockerfile", "expected"),
    [
        ("COPY a.txt /app/", [(["a.txt"], "/app/")]),
        ("COPY a.txt /app", [(["a.txt"], "/app")]),
        ("COPY a.txt b.txt /app/", [(["a.txt", "b.txt"], "/app/")]),
        ("COPY /a.txt /app/", [(["a.txt"], "/app/")]),
        ("COPY ./a.txt /app/", [(["a.txt"], "/app/")]),
        # Globs.
        ("COPY *.txt /app/", [(["a.txt", "b.txt"], "/app/")]),
        ("COPY [ab].txt /app/", [(["a.txt", "b.txt"], "/app/")]),
        ("COPY ?.csv /app/", [(["c.csv"], "/app/")]),
        ("COPY data/* /app/", [(["data/deep", "data/x"], "/app/")]),
        # Folders: their content is copied.
        ("COPY data /app", [(["data"], "/app")]),
        ("COPY data/ /app/data/", [(["data"], "/app/data/")]),
        ("COPY . /app", [(["."], "/app")]),
        # JSON, and escapes, for names with spaces.
        ('COPY ["with space", "/app/"]', [(["with space"], "/app/")]),
        ("COPY with\\ space /app/", [(["with space"], "/app/")]),
        # Targets are relative to the working folder.
        ("WORKDIR /w\nCOPY a.txt .", [(["a.txt"], "/w/")]),
        ("WORKDIR /w\nCOPY a.txt ./", [(["a.txt"], "/w/")]),
        ("WORKDIR /w\nCOPY a.txt x/", [(["a.txt"], "/w/x/")]),
        ("WORKDIR /w\nCOPY a.txt x", [(["a.txt"], "/w/x")]),
        ("WORKDIR /w\nCOPY a.txt ../x", [(["a.txt"], "/x")]),
        ("WORKDIR /w\nCOPY a.txt /x/y", [(["a.txt"], "/x/y")]),
        # Variables, flags, ADD.
        ("ARG F=a.txt\nCOPY $F /app/", [(["a.txt"], "/app/")]),
        ("COPY --chown=1000:1000 a.txt /app/", [(["a.txt"], "/app/")]),
        ("COPY --link a.txt /app/", [(["a.txt"], "/app/")]),
        ("ADD a.txt /app/", [(["a.txt"], "/app/")]),
        ("COPY a.txt /usrlocal/", [(["a.txt"], "/usrlocal/")]),
        ("COPY a.txt /x/\nCOPY b.txt /y/", [(["a.txt"], "/x/"), (["b.txt"], "/y/")]),
    ],
)
def test_files_of_the_task_are_copied(
    context: Path, dockerfile: str, expected: list[tuple[list[str], str]]
) -> None:
    assert copies(context, dockerfile) == expected


@pytest.mark.parametrize(
    "dockerfile",
    [
        "FROM debian",
        "FROM debian:12",
        "FROM debian:12-slim AS base",
        "FROM ubuntu@sha256:0123",
        "FROM scratch",
        "FROM docker.io/library/debian:12",
        "FROM --platform=linux/amd64 debian:12",
        "ARG V=12\nFROM debian:${V}",
        "FROM golang:1.22 AS build\nRUN go build\nFROM debian:12",
        "FROM debian:12 AS base\nFROM Base AS last",
        "COPY --chmod=0755 a.txt /app/",
        "USER root",
        "USER 0",
        "USER 0:0",
        'LABEL a=b\nEXPOSE 80\nCMD ["x"]\nENTRYPOINT x\nMAINTAINER me\nSTOPSIGNAL 9\nSHELL ["sh"]\nVOLUME /v',
        "HEALTHCHECK CMD x",
    ],
)
def test_what_needs_no_image(context: Path, dockerfile: str) -> None:
    assert read(context, dockerfile).needs_image is None


@pytest.mark.parametrize(
    ("dockerfile", "needs"),
    [
        ("FROM python:3.12", "Dockerfile:1: FROM python:3.12"),
        ("FROM localhost:5000/debian", "Dockerfile:1: FROM localhost:5000/debian"),
        ("FROM debian/unstable", "Dockerfile:1: FROM debian/unstable"),
        ("FROM debian:12\n\nRUN apt-get update", "Dockerfile:3: RUN apt-get update"),
        ("RUN a \\\n  b \\\n  # why\n\n  c", "Dockerfile:1: RUN a b c"),
        ("RUN one\nRUN two", "Dockerfile:1: RUN one"),
        ("FROM debian AS base\nRUN one\nFROM base", "Dockerfile:2: RUN one"),
        ("FROM golang AS build\nFROM debian\nCOPY --from=build /x /y", "Dockerfile:3: COPY --from=build /x /y"),
        ("USER bob", "Dockerfile:1: USER bob"),
        ("USER 1000", "Dockerfile:1: USER 1000"),
        ("ONBUILD RUN x", "Dockerfile:1: ONBUILD RUN x"),
        ("COPY --from=build /x /y", "Dockerfile:1: COPY --from=build /x /y"),
        ("COPY --chmod=u+x a.txt /app/", "Dockerfile:1: COPY --chmod=u+x a.txt /app/"),
        ("COPY --link --from=build /x /y", "Dockerfile:1: COPY --link --from=build /x /y"),
        ("ADD https://example.org/x /y", "Dockerfile:1: ADD https://example.org/x /y"),
        ("ADD a.txt x.tar.gz /y/", "Dockerfile:1: ADD a.txt x.tar.gz /y/"),
        ("ADD x.tar /y/", "Dockerfile:1: ADD x.tar /y/"),
        ("ADD git@github.com:a/b.git /y", "Dockerfile:1: ADD git@github.com:a/b.git /y"),
        # Into the system, whichever way it is written.
        ("COPY a.txt /usr/local/bin/x", "Dockerfile:1: COPY a.txt /usr/local/bin/x"),
        ("COPY a.txt /etc", "Dockerfile:1: COPY a.txt /etc"),
        ("COPY a.txt /tests/", "Dockerfile:1: COPY a.txt /tests/"),
        ("COPY a.txt /logs/verifier/reward.json", "Dockerfile:1: COPY a.txt /logs/verifier/reward.json"),
        ("COPY a.txt /app/../usr/x", "Dockerfile:1: COPY a.txt /app/../usr/x"),
        ("COPY a.txt //usr/x", "Dockerfile:1: COPY a.txt //usr/x"),
        ("COPY a.txt /lib64/x", "Dockerfile:1: COPY a.txt /lib64/x"),
        ("WORKDIR /a\nCOPY a.txt ../usr/x", "Dockerfile:2: COPY a.txt ../usr/x"),
        # Incomplete, or made of a here-document.
        ("COPY a.txt", "Dockerfile:1: COPY a.txt"),
        ("COPY <<EOF /app/x\nhello\nEOF", "Dockerfile:1: COPY <<EOF /app/x"),
        ("RUN " + "x" * 200, "Dockerfile:1: RUN " + "x" * 76),
    ],
)
def test_what_needs_an_image_is_named_with_its_line(context: Path, dockerfile: str, needs: str) -> None:
    assert read(context, dockerfile).needs_image == needs


@pytest.mark.parametrize("workdir", ["/usr/src/app", "/etc", "/tests", "/logs", "/solution", "/proc/x"])
def test_a_working_folder_inside_the_system_needs_an_image(context: Path, workdir: str) -> None:
    """A folder of the task in its place would hide the system, or the tests, from every command."""
    assert read(context, f"WORKDIR {workdir}").needs_image is not None


@pytest.mark.parametrize("dockerfile", ["WORKDIR /", "COPY a.txt /", "COPY a.txt .", "WORKDIR /\nCOPY a.txt ./"])
def test_nobody_gets_the_root_folder_without_an_image(context: Path, dockerfile: str) -> None:
    """A folder of the task in its place would hide everything."""
    found = read(context, dockerfile)
    assert found.needs_image is not None or not {"", "/"} & set(found.places)


@pytest.mark.parametrize(
    "keyword",
    ["NONSENSE", "PATH", "CONTEXT", "EXPAND", "FIND", "NEEDS", "TAKE", "ADD_OR_COPY", "_INIT__", "ARGUMENTS"],
)
def test_an_instruction_that_nobody_knows_needs_an_image(context: Path, keyword: str) -> None:
    assert read(context, f"{keyword} x").needs_image == f"Dockerfile:1: {keyword} x"


def test_the_first_thing_that_needs_an_image_does_not_stop_the_rest(context: Path) -> None:
    found = read(context, "FROM python:3.12\nWORKDIR /app\nENV A=1\nCOPY a.txt .\n")
    assert (found.workdir, found.env, len(found.copies)) == ("/app", {"A": "1"}, 1)


def test_the_lines_of_a_here_document_are_not_obeyed(context: Path) -> None:
    found = read(context, "RUN <<EOF\nenv A=1\ncopy nothing /x\nworkdir /evil\nEOF\nWORKDIR /app\n")
    assert (found.workdir, found.env, found.copies) == ("/app", {}, ())
    assert found.needs_image == "Dockerfile:1: RUN <<EOF"


def test_a_later_stage_starts_afresh(context: Path) -> None:
    found = read(
        context, "FROM debian:12 AS build\nWORKDIR /build\nENV A=1\nCOPY a.txt .\nFROM debian:12\nENV B=2\n"
    )
    assert (found.workdir, found.env, found.copies) == ("/workspace", {"B": "2"}, ())


def test_a_stage_goes_on_from_the_one_that_it_names(context: Path) -> None:
    first = "FROM debian:12 AS base\nARG V=1\nENV A=$V\nWORKDIR /base\nCOPY a.txt .\n"
    found = read(context, f"{first}FROM base AS other\nENV C=3\nFROM base\nENV B=$V$A\nWORKDIR deep\n")
    assert (found.workdir, found.env, len(found.copies)) == ("/base/deep", {"A": "1", "B": "11"}, 1)


def test_a_mode_in_octal_goes_with_the_files(context: Path) -> None:
    assert [one.mode for one in read(context, "COPY --chmod=0755 a.txt /app/").copies] == [0o755]


@pytest.mark.parametrize(
    ("ignore", "left_out"),
    [
        ("", []),
        ("# a.txt\n\n", []),
        ("a.txt", ["a.txt"]),
        ("/a.txt\n./b.txt\n", ["a.txt", "b.txt"]),
        ("*.txt", ["a.txt", "b.txt"]),
        ("x", []),
        ("**/x", ["data/x"]),
        ("data/", ["data", "data/deep", "data/deep/y", "data/x"]),
        ("data/*", ["data/deep", "data/deep/y", "data/x"]),
        # The last pattern that fits decides, and what it brings back brings its folders along.
        ("*\n!a.txt", ["b.txt", "c.csv", "data", "data/deep", "data/deep/y", "data/x", "with space"]),
        ("data\n!data/deep/y", ["data/x"]),
        ("!a.txt\n*.txt", ["a.txt", "b.txt"]),
    ],
)
def test_what_docker_ignores_is_not_copied(context: Path, ignore: str, left_out: list[str]) -> None:
    (context / "Dockerfile.dockerignore").write_text(f"{ignore}\nDockerfile.dockerignore\n")
    (copy,) = read(context, "COPY . /app").copies
    ignored = sorted(os.path.relpath(path, context) for path in copy.ignored)
    assert ignored == [*(["Dockerfile.dockerignore"]), *left_out]


def test_what_docker_ignores_is_not_there_to_be_named(context: Path) -> None:
    (context / ".dockerignore").write_text("a.txt\n")
    assert copies(context, "COPY *.txt /x/") == [(["b.txt"], "/x/")]
    assert "a.txt doesn't exist in " in str(read(context, "COPY a.txt /x/").broken)


@pytest.mark.parametrize(
    "word",
    ["nothing", "*.nothing", "../environment-secret/key", "../../etc/passwd", "data/../../environment-secret/key"],
)
def test_only_what_is_in_the_folder_can_be_copied(context: Path, word: str) -> None:
    found = read(context, f"FROM debian:12\nCOPY {word} /x\n")
    assert re.search(r"^Dockerfile:2: [^ ]+ doesn't exist in .*/environment$", str(found.broken))
    assert not any(copy.sources for copy in found.copies)


def test_a_link_that_leads_out_is_not_copied(context: Path) -> None:
    (context / "way-out").symlink_to("/etc/passwd")
    assert "way-out doesn't exist in" in str(read(context, "COPY way-out /x").broken)


def test_the_folder_may_have_a_name_that_looks_like_a_pattern(tmp_path: Path) -> None:
    folder = tmp_path / "[x]*?"
    folder.mkdir()
    (folder / "a.txt").write_text("a")
    assert copies(folder, "COPY *.txt /x/") == [(["a.txt"], "/x/")]


def test_the_dockerfile_is_kept(context: Path) -> None:
    assert read(context, "").dockerfile == "Dockerfile"
