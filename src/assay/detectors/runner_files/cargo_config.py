"""``.cargo/config.toml`` and ``rust-toolchain.toml``: programs that stand between cargo and the tests."""

import re
import tomllib
from collections.abc import Iterator

from assay.detectors.source_signs.sign import Sign, sign

_HONEST_RUNNER = re.compile(
    r"(?:\S*/)?(?:qemu-[\w-]+|wasm-bindgen-test-runner|wasm-server-runner|wasm-pack|wasmtime|wasmer|node|probe-rs|probe-run|espflash|"
    r"cargo-embed|elf2uf2-rs|avrdude|ravedude|arm-none-eabi-gdb|gdb|wine(?:64)?|cross|sudo|doas|simavr|cargo)\b"
)
_HONEST_WRAPPER = re.compile(r"(?:\S*/)?(?:sccache|cachepot|ccache|clippy-driver)$")
_LOCAL_LINKER = re.compile(r"linker=(?:\.{1,2}/|[\w-]+/)|--extern\b|-Zcrate-attr|-Z[ ]crate-attr")


def cargo_signs(text: str) -> Iterator[Sign]:
    """Runners, wrappers, linkers of the workspace, and aliases that replace cargo's own commands."""
    settings = _loaded(text)
    for path, value in _flat(settings):
        shown = f"{'.'.join(path)} = {value}"
        if _is_between(path, value):
            yield sign("wrapped_tool", _line(text, path[-1]), shown)


def _is_between(path: tuple[str, ...], value: str) -> bool:
    key = path[-1]
    if key == "runner":
        return _HONEST_RUNNER.match(value) is None
    if key in ("rustc-wrapper", "rustc-workspace-wrapper", "rustc", "rustdoc"):
        return _HONEST_WRAPPER.match(value) is None
    if key in ("rustflags", "linker"):
        return _LOCAL_LINKER.search(value if key == "rustflags" else f"linker={value}") is not None
    if path == ("toolchain", "path"):
        return True
    return path[0] == "alias" and key in ("test", "t", "build", "check", "nextest")


def _flat(settings: dict[str, object]) -> Iterator[tuple[tuple[str, ...], str]]:
    waiting: list[tuple[tuple[str, ...], object]] = [((), settings)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting += [((*path, str(key))[-6:], inner) for key, inner in value.items()]
        elif path:
            words = [str(item) for item in value] if isinstance(value, list) else [str(value)]
            yield path, " ".join(words)[:400]


def _loaded(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError, ValueError):
        return {}


def _line(text: str, key: str) -> int:
    found = re.search(rf"^[ \t]*[\w.\"'-]*{re.escape(key)}[\"']?[ \t]*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1
