"""What skips a test in Rust."""

SKIPS = [
    ("#[test] #[ignore]\nfn a() { }", "skip", False),
    ('#[test] #[ignore = "later"]\nfn a() { }', "skip", False),
    ("#[ignore] #[tokio::test]\nfn a() { }", "skip", False),
    ("#[test] #[cfg_attr(all(), ignore)]\nfn a() { }", "skip", False),
    ('#[test] #[cfg_attr(test, ignore = "later")]\nfn a() { }', "skip", False),
    ("#[test] #[cfg_attr(windows, ignore)]\nfn a() { }", "skip", True),
    ("#[test] #[cfg_attr(miri, ignore)]\nfn a() { }", "skip", True),
    ("#[cfg(any())] #[test]\nfn a() { }", "excluded", False),
    ("#[cfg(FALSE)] #[test]\nfn a() { }", "excluded", False),
    ('#[cfg(feature = "never")] #[test]\nfn a() { }', "excluded", False),
    ('#[cfg(feature = "serde")] #[test]\nfn a() { }', "excluded", True),
    ("#[cfg(not(test))] #[test]\nfn a() { }", "excluded", False),
    ("#[cfg(all(test, not(all())))] #[test]\nfn a() { }", "excluded", False),
    ("#[cfg(unix)] #[test]\nfn a() { }", "excluded", True),
    ('#[cfg(target_os = "linux")] #[test]\nfn a() { }', "excluded", True),
    ("#[test_case(1 => ignore)]\nfn a() { }", "skip", False),
]

NO_SKIPS = [
    "#[test] #[cfg(test)] fn a() { }",
    "#[test] #[cfg_attr(any(), ignore)] fn a() { }",
    "#[test] #[cfg(not(any()))] fn a() { }",
    '/// #[ignore]\n// ignore\n#[test] fn a() { let ignore = "#[ignore]"; }',
    "#[ignore] struct X;\n#[test] fn a() { }",
    '#[test] #[doc = "ignore"] fn a() { }',
    "#[cfg(windows)] use foo::bar;\n#[test] fn a() { }",
]
