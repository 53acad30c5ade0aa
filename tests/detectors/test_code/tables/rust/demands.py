"""What assertions in Rust demand."""

from assay.detectors.test_code.model import Strength

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength

DEMANDS = [
    ("assert_eq!(add(1, 2), 3);", EXACT, "add(1, 2)", "3"),
    ("assert_eq!(3, add(1, 2));", EXACT, "add(1, 2)", "3"),
    ('assert_eq!(add(1, 2), 3, "sum of {}", x);', EXACT, "add(1, 2)", "3"),
    ("pretty_assertions::assert_eq!(x, vec![1, 2]);", EXACT, "x", "[1, 2]"),
    ("assert_eq!(&x, &3);", EXACT, "x", "3"),
    ("assert_eq!(x.is_ok(), true);", PRESENCE, "x", "true"),
    ("debug_assert_eq!(x, 3);", EXACT, "x", "3"),
    ("prop_assert_eq!(x, y);", EXACT, "x", "y"),
    ("assert_ne!(x, 3);", SHAPE, "x", "not 3"),
    ("assert_ne!(x, None);", PRESENCE, "x", "not None"),
    ("assert!(ok(x));", EXACT, "ok(x)", "true"),
    ("assert!(!ok(x));", EXACT, "ok(x)", "false"),
    ("assert!(x == 3);", EXACT, "x", "3"),
    ('assert!(x == 3, "because");', EXACT, "x", "3"),
    ("assert!(x > 3);", SHAPE, "x", "> 3"),
    ("assert!(x.is_ok());", PRESENCE, "x", None),
    ("assert!(x.is_some());", PRESENCE, "x", "not None"),
    ("assert!(x.is_none());", EXACT, "x", "None"),
    ("assert!(x.is_err());", SHAPE, "x", "an error"),
    ("assert!(x == 3 && y > 1);", EXACT, "x", "3"),
    ("assert!(x == 3 || y > 1);", SHAPE, "x == 3 || y > 1", None),
    ("assert!((a - b).abs() < 1e-6);", CLOSE, "a", "b"),
    ("assert!(matches!(x, Err(Error::Late)));", SHAPE, "x", "match(Err(Error::Late))"),
    ("assert!(matches!(x, Ok(_)));", PRESENCE, "x", None),
    ("assert_matches!(x, Some(3));", SHAPE, "x", "match(Some(3))"),
    ("assert_relative_eq!(x, 1.0, epsilon = 1e-3);", CLOSE, "x", "1.0"),
    ("assert_approx_eq!(x, 1.0);", CLOSE, "x", "1.0"),
    ("assert!(abs_diff_eq!(x, 1.0, epsilon = 0.1));", CLOSE, "x", "1.0"),
    ("insta::assert_snapshot!(x);", EXACT, "x", "snapshot"),
    ("assert_ok!(x);", PRESENCE, "x", "no error"),
    ("assert_tree!(x, 3);", EXACT, "x", "3"),
    ('panic!("no");', SHAPE, "reached", None),
    ('match x { Some(3) => {} _ => panic!("no") }', SHAPE, "reached", None),
    ("f(1).unwrap();", PRESENCE, "f(1)", "no error"),
    ('f(1).expect("works");', PRESENCE, "f(1)", "no error"),
    ("f(1).unwrap_err();", SHAPE, "f(1)", None),
    ("cmd.assert().success();", SHAPE, "cmd", "success()"),
    ('expect![["3"]].assert_eq(&x);', EXACT, "x", 'expect![["3"]]'),
    ("rt.block_on(async { assert_eq!(f().await, 3); });", EXACT, "f().await", "3"),
    ("for x in xs { assert_eq!(x, 3); }", EXACT, "x", "3"),
    ('if f() != 3 { panic!("no"); }', EXACT, "f()", "3"),
    ('if f() != 3 { return Err("no".into()); }', EXACT, "f()", "3"),
    ("let Some(x) = f() else { panic!() };", PRESENCE, "f()", "not None"),
    ("let Ok(x) = f() else { panic!() };", PRESENCE, "f()", None),
    ("if let Err(e) = f() { panic!() }", PRESENCE, "f()", None),
    ("assert!(matches!(x, Err(_)));", SHAPE, "x", "an error"),
    ("ensure!(f() == 3);", EXACT, "f()", "3"),
    ("assert_eq!(f(), Ok(1));", EXACT, "f().unwrap()", "1"),
    ("assert_gt!(x, 3);", SHAPE, "x", "> 3"),
    ("assert_none!(x);", EXACT, "x", "None"),
    ("let mut x = 3; f(&mut x); assert_eq!(x, 3);", EXACT, "x", "3"),
    ("assert!(xs.iter().collect::<Vec<_>>().len() > 3);", SHAPE, "xs.iter().collect::< Vec<_>>().len()", "> 3"),
    ('assert!(Regex::new("a").unwrap().is_match(&x));', SHAPE, "x", 'match(Regex::new("a").unwrap())'),
    ("within! { assert_eq!(x, 3); }", EXACT, "x", "3"),
]

ALWAYS_HOLDS = [
    "assert!(true);",
    "assert!(x == x);",
    "assert!(x == 3 || true);",
    "assert!(!false);",
    "assert!(x.is_ok() || x.is_err());",
    "assert!(matches!(x, Ok(_) | Err(_)));",
    "assert!(1 < 2);",
    "assert!(xs.len() >= 0);",
    "assert_eq!(1, 1);",
    "assert_eq!(x, x);",
    "assert_eq!(&x, &x);",
    "assert_ne!(1, 2);",
    "assert!(matches!(x, _));",
    "assert_matches!(x, _);",
    "assert_relative_eq!(x, x, epsilon = 0.1);",
    "let result = 3; assert_eq!(result, 3);",
]

TOLERANCES = [
    ("assert_relative_eq!(x, 1.0, epsilon = 0.5);", 0.5),
    ("assert_relative_eq!(x, 1.0, epsilon = 0.5, max_relative = 0.75);", 0.75),
    ("assert_abs_diff_eq!(x, 1.0, epsilon = 1e3);", 1000.0),
    ("assert_approx_eq!(x, 1.0, 0.25);", 0.25),
    ("assert_relative_eq!(x, 1.0);", None),
    ("assert!((x - 1.0).abs() <= 0.125);", 0.125),
    ("assert!((x - 1.0).abs() < f64::EPSILON);", None),
    ("assert!(f64::abs(x - 1.0) < 0.5_f64);", 0.5),
]

SAME_TEXT = [
    ("assert_eq!(add(1, 2), 3);", "assert_eq!(\n    add( 1,2, ), // the sum\n    3,\n);"),
    ("assert_eq!(x, 3);", "std::assert_eq!(x, 3);"),
    ("assert_eq!(x, 3);", 'assert_eq!(x, 3, "message {}", x);'),
    ("assert!(x == 3);", "assert!((x == 3));"),
    ('assert_eq!(x, "a");', 'assert_eq!(x, r"a");'),
    ("assert_eq!(x, 1_000);", "assert_eq!(x, 1000);"),
    ("assert_eq!(x, 3);", "assert_eq! { x, 3 }"),
]

SAME_DEMAND = [
    ("assert_eq!(x, 3);", "assert!(x == 3);"),
    ("assert_eq!(xs, vec![1, 2]);", "assert_eq!(xs, &[1, 2]);"),
    ("assert_eq!(x, None);", "assert!(x.is_none());"),
    ("assert_ne!(x, None);", "assert!(x.is_some());"),
    ("assert!(!x.is_ok());", "assert!(x.is_err());"),
    ("assert!(xs.contains(&3));", "assert_eq!(xs.contains(&3), true);"),
    ("assert!(!(x > 3));", "assert!(x <= 3);"),
]

CONSTANT = "const LIMIT: u8 = 9;"
NAMES = [
    ("let expected = 3; assert_eq!(f(), expected);", "3"),
    ("let expected: Vec<i32> = vec![1, 2]; assert_eq!(f(), expected);", "[1, 2]"),
    ("let mut expected = 3; expected += 1; assert_eq!(f(), expected);", "expected"),
    ("let expected = g(); assert_eq!(f(), expected);", "g()"),
    ("assert_eq!(f(), LIMIT);", "9"),
]

NOW_AND_THEN = [
    ("if let Ok(y) = f() { assert_eq!(y, 3); }", CLOSE),
    ("if let Ok(y) = f() { assert_eq!(y, 3); } else { panic!() }", EXACT),
    ("match f() { Ok(y) => assert_eq!(y, 3), Err(_) => panic!() }", EXACT),
    ("for y in f() { if y > 0 { assert_eq!(y, 3); } }", EXACT),
]
