"""What is a test in Go, what it is called, how often it runs and what it asserts in all."""

from tests.detectors.test_code.languages import GO

COLLECTED = [
    ("func TestA(t *testing.T) {}", True),
    ("func Test(t *testing.T) {}", True),
    ("func Test_a(t *testing.T) {}", True),
    ("func TestÄ(t *testing.T) {}", True),
    ("func (s *ParserSuite) TestA() {}", True),
    ("func testA(t *testing.T) {}", False),
    ("func Testa(t *testing.T) {}", False),
    ("func _TestA(t *testing.T) {}", False),
    ("func XTestA(t *testing.T) {}", False),
    ("func DisabledTestA(t *testing.T) {}", False),
    ("func TestA() {}", False),
    ("func TestA(t *testing.B) {}", False),
    ("func TestA(t *testing.T, more int) {}", False),
]

NO_TESTS = [
    "func BenchmarkA(b *testing.B) {}",
    "func FuzzA(f *testing.F) {}",
    "func ExampleA() { fmt.Println(1) }",
    "func setup(t *testing.T) *DB { return nil }",
    "func helper(t *testing.T) {}",
    "// func TestA(t *testing.T) {}",
    'var s = "func TestA(t *testing.T) {}"',
]

IDENTITIES = [
    ("func TestA(t *testing.T) {}", ["TestA"]),
    ("func Test(t *testing.T) {}", ["Test"]),
    ("func Test_a(t *testing.T) {}", ["Test_a"]),
    ("func TestÄ(t *testing.T) {}", ["TestÄ"]),
    ("func (s *ParserSuite) TestA() {}", ["ParserSuite > TestA"]),
    ("func testA(t *testing.T) {}", ["testA"]),
    ("func Testa(t *testing.T) {}", ["Testa"]),
    ("func _TestA(t *testing.T) {}", ["_TestA"]),
    ("func XTestA(t *testing.T) {}", ["XTestA"]),
    ("func DisabledTestA(t *testing.T) {}", ["DisabledTestA"]),
    ("func TestA() {}", ["TestA"]),
    ("func TestA(t *testing.B) {}", ["TestA"]),
    ("func TestA(t *testing.T, more int) {}", ["TestA"]),
]

CASES = [
    (GO.test_of(statements), cases)
    for statements, cases in [
        ("for _, c := range []int{1, 2, 3} {\n if f(c) != 1 { t.Error() }\n}", 3),
        ('tests := map[string]int{"a": 1, "b": 2}\nfor n, c := range tests {\n if f(c) != 1 { t.Error(n) }\n}', 2),
        ("for _, c := range load() {\n if f(c) != 1 { t.Error() }\n}", 1),
        ("if f() != 1 { t.Error() }", 1),
    ]
]
