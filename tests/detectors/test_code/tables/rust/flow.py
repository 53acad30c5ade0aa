"""What runs and what counts of the statements of a test in Rust."""

NEVER_RUNS = [
    "if false { assert_eq!(x, 3); }",
    "if cfg!(any()) { assert_eq!(x, 3); }",
    "if 1 > 2 { } else if false { assert_eq!(x, 3); }",
    "return; assert_eq!(x, 3);",
    "if true { return; } assert_eq!(x, 3);",
    "if x { return; } else { return; } assert_eq!(x, 3);",
    "unsafe { return; } assert_eq!(x, 3);",
    "loop { break; assert_eq!(x, 3); }",
    "while false { assert_eq!(x, 3); }",
    "for _ in 0..0 { assert_eq!(x, 3); }",
    "(0..0).for_each(|y| assert_eq!(y, 3));",
    "[].iter().for_each(|y| { assert_eq!(y, 3); });",
    "for y in [] { assert_eq!(y, 3); }",
    "std::process::exit(0); assert_eq!(x, 3);",
    "let never = || { assert_eq!(x, 3); };",
    "let _unused = async { assert_eq!(x, 3); };",
    "fn never() { assert_eq!(x, 3); }",
    "let run = false; if run { assert_eq!(x, 3); }",
    "const RUN: bool = false; if RUN { assert_eq!(x, 3); }",
]

SWALLOWED = [
    "let _ = std::panic::catch_unwind(|| { assert_eq!(x, 3); });",
    "let _ = panic::catch_unwind(AssertUnwindSafe(|| assert_eq!(x, 3)));",
    "let r = catch_unwind(|| { assert_eq!(x, 3); });",
    "catch_unwind(|| { assert_eq!(x, 3); }).ok();",
    "std::thread::spawn(move || { assert_eq!(x, 3); });",
]

COUNTS = [
    "if x { return; } assert_eq!(x, 3);",
    "if x { assert_eq!(x, 3); }",
    "#[cfg(unix)] assert_eq!(x, 3);",
    "let Some(x) = f() else { return; }; assert_eq!(x, 3);",
    "let y = match f() { Some(y) => y, None => return, }; assert_eq!(y, 3);",
    "xs.iter().for_each(|x| { if *x { return; } }); assert_eq!(x, 3);",
    "loop { if x { break; } } assert_eq!(x, 3);",
    "for i in 0..3 { if i == 1 { continue; } assert_eq!(x, 3); }",
    "fn check(x: i32) { assert_eq!(x, 3); } check(1);",
    "check(1); fn check(x: i32) { assert_eq!(x, 3); }",
    "let check = |x| assert_eq!(x, 3); check(1);",
    "let mut run = false; run = true; if run { assert_eq!(x, 3); }",
    "let block = async { assert_eq!(x, 3); }; rt.block_on(block);",
    "while let Some(x) = it.next() { assert_eq!(x, 3); }",
    "catch_unwind(|| { assert_eq!(x, 3); }).unwrap();",
    "let r = catch_unwind(|| { assert_eq!(x, 3); }); assert!(r.is_ok());",
    "let t = thread::spawn(move || { assert_eq!(x, 3); }); t.join().unwrap();",
    "thread::spawn(move || { assert_eq!(x, 3); }).join().unwrap();",
    "tokio::spawn(async move { assert_eq!(x, 3); }).await.unwrap();",
    "thread::scope(|s| { s.spawn(|| assert_eq!(x, 3)); });",
]
