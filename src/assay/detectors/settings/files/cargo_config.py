"""``.cargo/config.toml`` and ``rust-toolchain.toml``: programs that stand between cargo and the tests."""

import re
from collections.abc import Iterator

from assay.detectors.settings.settings_text import flat, toml
from assay.detectors.source_signs.sign import Sign, sign

_HONEST_RUNNER = re.compile(
    r"(?:\S*/)?(?:qemu-[\w-]+|wasm-bindgen-test-runner|wasm-server-runner|wasm-pack|wasmtime|wasmer|node|probe-rs|probe-run|espflash|"
    r"cargo-embed|elf2uf2-rs|avrdude|ravedude|arm-none-eabi-gdb|gdb|wine(?:64)?|cross|sudo|doas|simavr|cargo)\b"
)
_HONEST_WRAPPER = re.compile(r"(?:\S*/)?(?:sccache|cachepot|ccache|clippy-driver)$")
_LOCAL_LINKER = re.compile(r"linker=(?:\.{1,2}/|[\w-]+/)|--extern\b|-Zcrate-attr|-Z[ ]crate-attr")


def cargo_signs(text: str) -> Iterator[Sign]:
    """Runners, wrappers, linkers of the workspace, and aliases that replace cargo's own commands."""
    for path, values in flat(toml(text) or {}).items():
        value = " ".join(values)[:400]
        if _is_between(path, value):
            yield sign("wrapped_tool", _line(text, path.rpartition(".")[2]), f"{path} = {value}")


def _is_between(path: str, value: str) -> bool:
    key = path.rpartition(".")[2]
    if key == "runner":
        return _HONEST_RUNNER.match(value) is None
    if key in ("rustc-wrapper", "rustc-workspace-wrapper", "rustc", "rustdoc"):
        return _HONEST_WRAPPER.match(value) is None
    if key in ("rustflags", "linker"):
        return _LOCAL_LINKER.search(value if key == "rustflags" else f"linker={value}") is not None
    if path == "toolchain.path":
        return True
    return path.startswith("alias.") and key in ("test", "t", "build", "check", "nextest")


def _line(text: str, key: str) -> int:
    found = re.search(rf"^[ \t]*[\w.\"'-]*{re.escape(key)}[\"']?[ \t]*=", text, re.MULTILINE)
    return text.count("\n", 0, found.start()) + 1 if found else 1
