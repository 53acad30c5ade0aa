"""What is a test in Ruby, what it is called, how often it runs and what it asserts in all."""

COLLECTED = [
    ("class ATest < Minitest::Test\n def test_a; end\nend", True),
    ("class ATest < Minitest::Test\n def xtest_a; end\nend", False),
    ("class ATest < Minitest::Test\n def _test_a; end\nend", False),
    ("class ATest < Minitest::Test\n def skip_test_a; end\nend", False),
    ("class ATest < Minitest::Test\n private\n def test_a; end\nend", False),
    ("class ATest < Minitest::Test\n private def test_a; end\nend", False),
    ("class ATest < Minitest::Test\n private\n def help; end\n public\n def test_a; end\nend", True),
    ("class ATest\n def test_a; end\nend", False),
    ("class ATest\n describe 'd' do\n def test_a; end\n end\nend", True),
    ("class ATest < Minitest::Test\n def test_name=; end\nend", True),
]

NO_TESTS = [
    "describe 'd' do\n let(:it) { 1 }\n before { b }\nend",
    "# it('a') { b }\n=begin\nit('c') { d }\n=end\nx = \"it 'e' do\"\n__END__\nit('f') { g }",
]

IDENTITIES = [
    (
        "RSpec.describe Parser do\n context 'when open' do\n it('reads') { a }\n end\nend",
        ["Parser > when open > reads"],
    ),
    ("describe Parser, '#read', type: :model do\n specify('a') { b }\nend", ["Parser #read > a"]),
    ("feature 'f' do\n scenario 's' do\n a\n end\nend", ["f > s"]),
    ("class ParserTest < Minitest::Test\n def test_reads\n a\n end\nend", ["ParserTest > test_reads"]),
    ("class ParserTest < ActiveSupport::TestCase\n test 'reads' do\n a\n end\nend", ["ParserTest > reads"]),
    ("module Web\n class ATest < Test::Unit::TestCase\n def test_a; end\n end\nend", ["Web > ATest > test_a"]),
    ("describe 'd' do\n it { is_expected.to be_valid }\nend", ["d > is_expected.to(be_valid)"]),
    ("describe 'd' do\n it \"n #{n}\" do\n a\n end\nend", ["d > n #{n}"]),
    ("describe 'd' do\n it_behaves_like 'a list'\nend", ["d > behaves like a list"]),
]

CASES = [
    (f"describe 'd' do\n {examples}\nend", cases)
    for examples, cases in [
        ("[1, 2, 3].each { |n| it('t') { a } }", 3),
        ("%w[a b].each do |n|\n it('t') { a }\n end", 2),
        ("{ a: 1, b: 2 }.each { |k, v| it('t') { a } }", 2),
        ("LIST = [1, 2].freeze\n LIST.each { |n| it('t') { a } }", None),
        ("LIST = [1, 2]\n LIST.each { |n| it('t') { a } }", 2),
        ("load.each { |n| it('t') { a } }", None),
        ("it('t') { a }", 1),
    ]
]

HELPERS = [
    (
        "class ATest < Minitest::Test\n def teardown\n assert_empty left\n end\n"
        " def check(x)\n assert_equal 1, x\n end\n def test_a\n check(b)\n end\nend",
        ["assert_empty(left)", "assert_equal(1, b)"],
    ),
]
