"""Rust."""

from assay.detectors.source_signs.words import Words

WORDS = Words(
    equality=("<eq|equals>",),
    inequality=("ne",),
    environment=("env.<var|var_os>(*)", "<env!|option_env!>(*)"),
    outside=("env.<args|args_os|current_exe>()",),
    threads=("thread.current().name()",),
    asks=(
        "cfg!(test)",
        "cfg!(not(test))",
        "<env.var|option_env!>(CARGO_<MANIFEST_DIR|PKG_*|CRATE_NAME>).is_<ok|some>()",
    ),
    stack=("Backtrace.*", "backtrace.*", "Location.caller()"),
    exits=("^<std.|>process.exit(0)", "^exit(0)"),
    at_end=("set_hook(*)",),
    early=("<ctor|ctor.ctor|dtor|ctor.dtor|test|tokio.test>",),
    shadows=("<assert|assert_eq|assert_ne|panic|debug_assert*>",),
    exits_anywhere_in_tests=False,
)
