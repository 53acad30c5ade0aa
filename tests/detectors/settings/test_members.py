"""Parts of a build that it no longer lists."""

import pytest

from assay.detectors.settings.members import is_list, left_out

CARGO = '[package]\nname = "x"\n'
SOLUTION = 'Project("{F}") = "A", "a\\A.csproj", "{1}"\nEndProject\n'


def gone(path: str, before: str | None, after: str | None) -> list[str]:
    return [part for part, _ in left_out(path, before, after)]


@pytest.mark.parametrize(
    ("path", "before", "after", "parts"),
    [
        ("pom.xml", "<module>a</module><module> b </module>", "<module>b</module>", ["a"]),
        ("pom.xml", "<module>a</module>", "<!-- <module>a</module> -->x", ["a"]),
        ("settings.gradle", "include 'a', ':b:c'", "include 'a'", ["b/c"]),
        ("settings.gradle.kts", 'include(":a")\ninclude(":b")', 'include(":b")\n// include(":a")', ["a"]),
        ("App.sln", SOLUTION, "x", ["a/A.csproj"]),
        ("App.slnx", '<Project Path="a/A.csproj" />', "<Solution/>", ["a/A.csproj"]),
        ("go.work", "use (\n\t./a\n\t./b\n)\n", "use ./b\n", ["a"]),
        ("Cargo.toml", '[workspace]\nmembers = ["a", "b"]', '[workspace]\nmembers = ["b"]', ["a"]),
        ("Cargo.toml", '[workspace]\nmembers = ["a"]', '[workspace]\nmembers = ["a"]\nexclude = ["a"]', ["a"]),
        ("package.json", '{"workspaces": ["a", "b"]}', '{"workspaces": {"packages": ["b"]}}', ["a"]),
        ("Cargo.toml", CARGO, f'{CARGO}[[test]]\nname = "it"\nharness = false', ["tests/it.rs"]),
        ("Cargo.toml", CARGO, f'{CARGO}[[test]]\nname = "it"\nrequired-features = ["f"]', ["tests/it.rs"]),
        ("Cargo.toml", CARGO, f'{CARGO}[[test]]\nname = "it"\npath = "x.rs"', ["tests/it.rs"]),
        # Still there, by another pattern or in another form.
        ("Cargo.toml", '[workspace]\nmembers = ["crates/a"]', '[workspace]\nmembers = ["crates/*"]', []),
        ("Cargo.toml", CARGO, f'{CARGO}[[test]]\nname = "it"\npath = "tests/it.rs"', []),
        ("package.json", '{"workspaces": ["a"]}', '{"workspaces": ["*"]}', []),
        # New or deleted as a whole, or broken.
        ("pom.xml", None, "<module>a</module>", []),
        ("pom.xml", "<module>a</module>", None, []),
        ("package.json", '{"workspaces": ["a"]}', "{", ["a"]),
        ("other.xml", "<module>a</module>", "x", []),
    ],
)
def test_what_is_left_out(path: str, before: str | None, after: str | None, parts: list[str]) -> None:
    assert gone(path, before, after) == parts


def test_which_files_list_parts() -> None:
    assert is_list("a/pom.xml")
    assert not is_list("a/build.xml")
