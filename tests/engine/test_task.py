"""Where an instruction says that the output belongs, and what a task's environment takes up."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.engine.tasks.task import Copy, Origin, TaskEnvironment, choose_output


def infer_output_path(instruction: str) -> str | None:
    found = choose_output(None, instruction, "/app")
    return None if found.origin is Origin.WORKDIR else found.path


@pytest.mark.statement("evaluation.output-path-inferred")
@pytest.mark.parametrize(
    ("instruction", "path"),
    [
        ("Write /workspace/answer.json with the voltage drop.", "/workspace/answer.json"),
        ("Write your answer to `/workspace/out/report.md`.", "/workspace/out/report.md"),
        ("Into **/workspace/a-b_c.d+e@f**, please", "/workspace/a-b_c.d+e@f"),
        ("(/workspace/answer.txt)", "/workspace/answer.txt"),
        ("'/workspace/answer.txt'", "/workspace/answer.txt"),
        ("See:/workspace/answer.txt", "/workspace/answer.txt"),
        ("=/workspace/answer.txt", "/workspace/answer.txt"),
        ("first line\n/workspace/answer.txt\n", "/workspace/answer.txt"),
        # The one that is to be written wins; without such a word, the first one.
        ("Read /workspace/in.csv, write /workspace/out.csv.", "/workspace/out.csv"),
        # What ends a sentence is no part of the path.
        ("Write /workspace/answer.txt.", "/workspace/answer.txt"),
        ("Write /workspace/answer.txt, then stop", "/workspace/answer.txt"),
        ("Is it in /workspace/answer.txt?", "/workspace/answer.txt"),
        ("Work in /workspace/data/.", "/workspace/data"),
        ("/workspace/run.sh...", "/workspace/run.sh"),
        # Not a path below /workspace.
        ("Work in /workspace.", None),
        ("Work in /workspace/ only.", None),
        ("Work in /workspaces/answer.txt", None),
        ("workspace/answer.txt", None),
        ("Write /app/answer.txt.", None),
        ("", None),
        # The folder alone does not count, a path behind it does.
        ("In /workspace/ there is /workspace/answer.txt", "/workspace/answer.txt"),
        # A path that merely has a part of that name.
        ("Write /home/me/workspace/answer.txt.", None),
        ("Write ~/workspace/answer.txt.", None),
        ("Write $HOME/workspace/answer.txt.", None),
        ("Write ./workspace/answer.txt.", None),
        ("See https://example.org/workspace/readme.html.", None),
        ("Not /srv/workspace/x but /workspace/y", "/workspace/y"),
    ],
)
def test_the_output_is_the_first_path_below_the_workspace(instruction: str, path: str | None) -> None:
    """Notes, evaluation 6."""
    assert infer_output_path(instruction) == path


NAMES = st.from_regex(r"[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?", fullmatch=True)


@given(st.lists(NAMES, min_size=1, max_size=3).map("/".join), st.sampled_from([".", ",", " ", "`", ")", "\n", ""]))
def test_a_path_is_found_whatever_follows(path: str, follows: str) -> None:
    assert infer_output_path(f"Write `/workspace/{path}{follows}") == f"/workspace/{path}"


@given(st.text())
def test_whatever_is_found_lies_below_the_workspace(instruction: str) -> None:
    found = infer_output_path(instruction)
    assert found is None or (found.startswith("/workspace/") and found in instruction)


@pytest.mark.parametrize(
    ("target", "place"),
    [
        ("/app/", "/app"),
        ("/app/data/", "/app/data"),
        # A file's own name is the last part; the folder is what it belongs to.
        ("/app/x.txt", "/app"),
        ("/app/data/x.txt", "/app/data"),
        ("/x.txt", "/x.txt"),
    ],
)
def test_where_a_copy_ends_up(target: str, place: str) -> None:
    assert Copy(("x.txt",), target).place == place


@pytest.mark.parametrize(
    ("workdir", "targets", "places"),
    [
        ("/workspace", [], ["/workspace"]),
        ("/app", [], ["/app", "/workspace"]),
        ("/workspace/deep", [], ["/workspace"]),
        # All that is around the working folder, but never a folder that every system has.
        ("/app/deep/er", [], ["/app", "/workspace"]),
        ("/home/user/deep/er", [], ["/home/user", "/workspace"]),
        ("/srv/app/deep", [], ["/srv/app", "/workspace"]),
        ("/home", [], ["/home", "/workspace"]),
        ("/tmp", [], ["/tmp", "/workspace"]),
        ("/", [], ["/workspace"]),
        ("/app", ["/app/data/", "/data/"], ["/app", "/data", "/workspace"]),
        ("/app", ["/application/"], ["/app", "/application", "/workspace"]),
    ],
)
def test_the_places_of_an_environment_do_not_lie_in_each_other(
    workdir: str, targets: list[str], places: list[str]
) -> None:
    copies = tuple(Copy(("x",), target) for target in targets)
    assert TaskEnvironment(workdir, copies=copies).places == places


def test_around_the_working_folder_of_an_image_lies_what_is_the_images() -> None:
    assert TaskEnvironment("/app/deep", image="image:1").places == ["/app/deep", "/workspace"]
