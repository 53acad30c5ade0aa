"""What the reader makes of tests in Ruby."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.formats.test_code.model import Assertion, Strength, Test, TestCode
from assay.formats.test_code.ruby import read_ruby

VACUOUS, PRESENCE, SHAPE, CLOSE, EXACT = Strength


def only(code: TestCode) -> Test:
    assert len(code.tests) == 1
    return code.tests[0]


def asserted(statements: str) -> tuple[Assertion, ...]:
    return only(read_ruby(f"describe 'd' do\n  it 't' do\n    {statements}\n  end\nend\n")).assertions


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
    ("describe 'd' do\n let(:it) { 1 }\n before { b }\nend", []),
    ("# it('a') { b }\n=begin\nit('c') { d }\n=end\nx = \"it 'e' do\"\n__END__\nit('f') { g }", []),
]


@pytest.mark.parametrize(("code", "identities"), IDENTITIES)
def test_identities_are_the_path_of_names(code: str, identities: list[str]) -> None:
    assert [test.identity for test in read_ruby(code).tests] == identities


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


@pytest.mark.parametrize(("code", "collected"), COLLECTED)
def test_what_the_runner_collects(code: str, collected: bool) -> None:
    assert only(read_ruby(code)).collected is collected


SKIPS = [
    ("describe 'd' do\n xit('t') { a }\nend", ["skip"]),
    ("xdescribe 'd' do\n it('t') { a }\nend", ["skip"]),
    ("describe 'd' do\n xcontext 'c' do\n it('t') { a }\n end\nend", ["skip"]),
    ("describe 'd' do\n it 't'\nend", ["todo"]),
    ("describe 'd' do\n pending('t') { a }\nend", ["xfail"]),
    ("describe 'd' do\n skip('t') { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', skip: true) { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', :skip => 'why') { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', :skip) { a }\nend", ["skip"]),
    ("describe 'd', :pending do\n it('t') { a }\nend", ["xfail"]),
    ("describe 'd', skip: 'why' do\n it('t') { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', if: false) { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', unless: true) { a }\nend", ["skip"]),
    ("describe 'd' do\n it('t', skip: false) { a }\nend", []),
    ("describe 'd' do\n it('t') { skip }\nend", ["skip"]),
    ("describe 'd' do\n it('t') { skip 'why' }\nend", ["skip"]),
    ("describe 'd' do\n it 't' do\n pending\n a\n end\nend", ["xfail"]),
    ("describe 'd' do\n it 't' do\n skip if true\n end\nend", ["skip"]),
    ("describe 'd' do\n before { skip 'why' }\n it('t') { a }\nend", ["skip"]),
    ("class ATest < Minitest::Test\n def setup\n skip\n end\n def test_t; end\nend", ["skip"]),
    ("class ATest < Minitest::Test\n def test_t\n skip 'why'\n end\nend", ["skip"]),
    ("class ATest < Test::Unit::TestCase\n def test_t\n omit('why')\n end\nend", ["skip"]),
    ("class ATest < Test::Unit::TestCase\n def test_t\n pend\n end\nend", ["xfail"]),
    ("class ATest < Minitest::Test\n def self.runnable_methods\n []\n end\n def test_t; end\nend", ["disabled"]),
    ("describe 'd' do\n if false\n it('t') { a }\n end\nend", ["disabled"]),
    ("describe 'd' do\n it 't' do\n return\n expect(a).to eq 1\n end\nend", ["disabled"]),
    ("describe 'd' do\n it 't' do\n next\n expect(a).to eq 1\n end\nend", ["disabled"]),
    ("exit 0\ndescribe 'd' do\n it('t') { a }\nend", ["disabled", "disabled", "disabled"]),
    ("at_exit { exit! 0 }\ndescribe 'd' do\n it('t') { a }\nend", ["disabled"]),
    ("describe 'd' do\n it 't' do # skip\n list.skip(2)\n expect(a).to eq 'skip'\n end\nend", []),
    ("describe 'd' do\n it('t') { fill_in :skip, with: skip_value }\nend", []),
    ("describe 'skip' do\n it('t', type: :request) { a }\nend", []),
]


@pytest.mark.parametrize(("code", "kinds"), SKIPS)
def test_skips(code: str, kinds: list[str]) -> None:
    found = only(read_ruby(code)).skips
    assert [skip.kind for skip in found] == kinds
    assert not any(skip.conditional for skip in found)


@pytest.mark.parametrize(
    "code",
    [
        "describe 'd' do\n it 't' do\n skip 'why' if windows?\n end\nend",
        "describe 'd' do\n it 't' do\n if windows?\n skip\n end\n end\nend",
        "describe 'd' do\n it 't' do\n skip unless ENV['CI']\n end\nend",
        "describe 'd' do\n it('t', skip: windows?) { a }\nend",
        "class ATest < Test::Unit::TestCase\n def test_t\n omit_if(windows?)\n end\nend",
    ],
)
def test_a_condition_that_is_no_constant_makes_a_skip_conditional(code: str) -> None:
    assert [(skip.kind, skip.conditional) for skip in only(read_ruby(code)).skips] == [("skip", True)]


@pytest.mark.parametrize(
    "focused", ["fit('f') { a }", "it('f', :focus) { a }", "it('f', focus: true) { a }", "focus('f') { a }"]
)
def test_focus_skips_every_other_test(focused: str) -> None:
    code = read_ruby(f"describe 'd' do\n it('a') {{ b }}\n {focused}\nend")
    assert {test.identity: [skip.kind for skip in test.skips] for test in code.tests} == {
        "d > a": ["focus"],
        "d > f": [],
    }


CASES = [
    ("[1, 2, 3].each { |n| it('t') { a } }", 3),
    ("%w[a b].each do |n|\n it('t') { a }\n end", 2),
    ("{ a: 1, b: 2 }.each { |k, v| it('t') { a } }", 2),
    ("LIST = [1, 2].freeze\n LIST.each { |n| it('t') { a } }", None),
    ("LIST = [1, 2]\n LIST.each { |n| it('t') { a } }", 2),
    ("load.each { |n| it('t') { a } }", None),
    ("it('t') { a }", 1),
]


@pytest.mark.parametrize(("code", "cases"), CASES)
def test_cases(code: str, cases: int | None) -> None:
    assert only(read_ruby(f"describe 'd' do\n {code}\nend")).cases == cases


ASSERTIONS = [
    ("expect(got).to eq(3)", EXACT, "got", "3"),
    ("expect(got).to eql 3", EXACT, "got", "3"),
    ("expect(got).to be 3", EXACT, "got", "3"),
    ("expect(got).to be == 3", EXACT, "got", "3"),
    ("expect(got).to be_nil", EXACT, "got", "nil"),
    ("expect(got).to be true", EXACT, "got", "true"),
    ("expect(got).to contain_exactly(1, 2)", EXACT, "got", "1, 2"),
    ("expect { f }.to raise_error(ArgumentError)", EXACT, "f", "ArgumentError"),
    ("expect { f }.to raise_error(StandardError)", SHAPE, "f", "StandardError"),
    ("expect { f }.to raise_error", SHAPE, "f", None),
    ("expect { f }.not_to raise_error", PRESENCE, "f", None),
    ("expect { f }.to change { n }.by(1)", EXACT, "f", "1"),
    ("expect(got).not_to be_nil", PRESENCE, "got", "nil"),
    ("expect(got).to be_truthy", PRESENCE, "got", None),
    ("expect(got).to_not eq 3", SHAPE, "got", "3"),
    ("expect(got).to include(3)", SHAPE, "got", "3"),
    ("expect(got).to match(/a#b/)", SHAPE, "got", "/a#b/"),
    ("expect(got).to be > 3", SHAPE, "got", "3"),
    ("expect(got).to be_a(String)", SHAPE, "got", "String"),
    ("expect(got).to be_valid", SHAPE, "got", None),
    ("expect(got).to eq(anything)", PRESENCE, "got", "anything"),
    ("expect(got == 3).to be true", EXACT, "got", "3"),
    ("is_expected.to eq 3", EXACT, "subject", "3"),
    ("got.should == 3", EXACT, "got", "3"),
    ("got.should eq 3", EXACT, "got", "3"),
    ("got.should_not be_nil", PRESENCE, "got", "nil"),
    ("should be_valid", SHAPE, "subject", None),
    ("assert_equal 3, got", EXACT, "got", "3"),
    ("assert_same 3, got", EXACT, "got", "3"),
    ("assert_nil got", EXACT, "got", "nil"),
    ("assert got", PRESENCE, "got", None),
    ("assert got == 3", EXACT, "got", "3"),
    ("refute_nil got", PRESENCE, "got", "nil"),
    ("refute_equal 3, got", SHAPE, "got", "3"),
    ("assert_not_nil got", PRESENCE, "got", None),
    ("assert_includes got, 3", SHAPE, "got", "3"),
    ("assert_match(/x/, got)", SHAPE, "got", "/x/"),
    ("assert_raises(KeyError) { f }", EXACT, "", "KeyError"),
    ("assert_raises { f }", SHAPE, "", None),
    ("assert_nothing_raised { f }", PRESENCE, "", None),
    ("_(got).must_equal 3", EXACT, "got", "3"),
    ("got.must_equal 3", EXACT, "got", "3"),
    ("got.wont_be_nil", PRESENCE, "got", "nil"),
    ("raise 'wrong' if got != 3", EXACT, "got", "3"),
    ("raise 'wrong' unless got == 3", EXACT, "got", "3"),
    ("flunk unless got", PRESENCE, "got", None),
    ("expect_valid(got, 3)", SHAPE, "got", "3"),
    ("expect(true).to be true", VACUOUS, "true", "true"),
    ("expect(true).to be_truthy", VACUOUS, "true", "true"),
    ("expect(1).to eq 1", VACUOUS, "1", "1"),
    ("expect(got).to eq got", VACUOUS, "got", "got"),
    ("expect(got)", VACUOUS, "got", None),
    ("expect(got.size).to be >= 0", VACUOUS, "got.size", "0"),
    ("assert true", VACUOUS, "true", "true"),
    ("assert 0", VACUOUS, "0", "true"),
    ("assert_equal 1, 1", VACUOUS, "1", "1"),
    ("assert_equal got, got", VACUOUS, "got", "got"),
    ("pass", VACUOUS, "", None),
]


@pytest.mark.parametrize(("statement", "strength", "subject", "expected"), ASSERTIONS)
def test_assertions(statement: str, strength: Strength, subject: str, expected: str | None) -> None:
    found = asserted(statement)[0]
    assert (found.strength, found.subject, found.expected) == (strength, subject, expected)
    assert found.reachable
    assert not found.swallowed


TOLERANCES = [
    ("expect(got).to be_within(0.1).of(3)", 0.1),
    ("assert_in_delta 3.0, got, 0.01", 0.01),
    ("assert_in_delta 3.0, got", 0.001),
    ("_(got).must_be_close_to 3.0, 0.5", 0.5),
]


@pytest.mark.parametrize(("statement", "tolerance"), TOLERANCES)
def test_tolerances(statement: str, tolerance: float) -> None:
    found = asserted(statement)[0]
    assert (found.strength, found.subject) == (CLOSE, "got")
    assert found.tolerance == pytest.approx(tolerance)


UNREACHABLE = [
    "return\n expect(a).to eq 1",
    "next\n expect(a).to eq 1",
    "raise 'x'\n expect(a).to eq 1",
    "if false\n expect(a).to eq 1\n end",
    "expect(a).to eq 1 if false",
    "expect(a).to eq 1 if nil",
    "unless true\n expect(a).to eq 1\n end",
    "expect(a).to eq 1 unless true",
    "while false\n expect(a).to eq 1\n end",
    "[].each { |x| expect(x).to eq 1 }",
    "return if true\n expect(a).to eq 1",
    "if x\n return\n else\n return\n end\n expect(a).to eq 1",
    "if true\n b\n else\n expect(a).to eq 1\n end",
]


@pytest.mark.parametrize("statement", UNREACHABLE)
def test_unreachable(statement: str) -> None:
    assert [found.reachable for found in asserted(statement)] == [False]


SWALLOWED = [
    "begin\n expect(a).to eq 1\n rescue => e\n puts e\n end",
    "begin\n expect(a).to eq 1\n rescue Exception\n end",
    "begin\n expect(a).to eq 1\n rescue RSpec::Expectations::ExpectationNotMetError\n # raise\n end",
    "expect(a).to eq(1) rescue nil",
    "begin\n expect(a).to eq 1\n ensure\n return\n end",
    "expect(a).to eq 1\n rescue StandardError\n nil",
]


@pytest.mark.parametrize("statement", SWALLOWED)
def test_swallowed(statement: str) -> None:
    assert [found.swallowed for found in asserted(statement)] == [True]


KEPT = [
    "begin\n expect(a).to eq 1\n rescue => e\n raise\n end",
    "begin\n expect(a).to eq 1\n rescue => e\n flunk e.message\n end",
    "begin\n expect(a).to eq 1\n rescue Timeout::Error\n retry\n end",
    "begin\n risky\n rescue => e\n raise 'x'\n end\n expect(a).to eq 1",
    "begin\n risky\n rescue\n nil\n end\n expect(a).to eq 1",
    "begin\n expect(a).to eq 1\n ensure\n clean\n end",
    "expect(a).to eq 1 if b",
    "return if b\n expect(a).to eq 1",
    "case b\n when 1\n return\n end\n expect(a).to eq 1",
    "xs.each { |x| next if x.nil?; expect(x).to eq 1 }",
    "expect(a).to eq 1 if 0",
    "case b\n when 1 then c\n else\n raise\n end\n expect(a).to eq 1",
    "on = false\n on ||= check\n expect(a).to eq 1 if on",
]


@pytest.mark.parametrize("statement", KEPT)
def test_what_runs_and_counts(statement: str) -> None:
    found = asserted(statement)[-1]
    assert found.reachable
    assert not found.swallowed


SAME = [
    ("expect(got).to eq 3", "expect(got).to eq(3)"),
    ("expect(got).to eq 'a'", 'expect(got).to eq("a")'),
    ("expect(got).to eq %q(a)", 'expect(got).to eq("a")'),
    ("expect { f }.to raise_error", "expect do\n  f\nend.to raise_error"),
    ("expect(got).to include(:a => 1)", "expect(got).to include(a: 1)"),
    ("expect(got).to eq([1, 2])", "expect(got).to eq([\n1,\n2,\n])"),
    ("expect(got).to eq(3)", "expect(got)\n  .to eq(3) # three"),
    ("assert_equal 3, got", "assert_equal(3, got)"),
    ("assert_equal 3, (got)", "assert_equal(\n  3,\n  got\n)"),
    ("expect(got).to eq %w[a b]", "expect(got).to eq(%w(a b))"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_layout_changes_nothing(one: str, other: str) -> None:
    first, second = asserted(one)[0], asserted(other)[0]
    assert (first.text, first.subject, first.expected) == (second.text, second.subject, second.expected)


def test_a_heredoc_is_the_text_it_stands_for() -> None:
    one = asserted("expect(got).to eq(<<~ONE)\n  text\nONE")[0]
    other = asserted("expect(got).to eq(<<~TWO)\n  text\nTWO")[0]
    changed = asserted("expect(got).to eq(<<~ONE)\n  more\nONE")[0]
    assert one.text == other.text != changed.text


def test_methods_and_hooks_count_for_the_tests_that_run_them() -> None:
    code = read_ruby(
        "class ATest < Minitest::Test\n def teardown\n assert_empty left\n end\n"
        " def check(x)\n assert_equal 1, x\n end\n def test_a\n check(b)\n end\nend"
    )
    assert [found.text for found in only(code).assertions] == ["assert_empty(left)", "assert_equal(1, x)"]


def test_lines_and_problems() -> None:
    code = read_ruby("\ndescribe 'd' do\n  it 't' do\n    expect(a).to eq 1\n  end\nend\n")
    assert (only(code).line, only(code).end_line, only(code).assertions[0].line) == (3, 5, 4)
    assert read_ruby("describe 'd' do\n it 't' do expect(").problems


@pytest.mark.parametrize("delimiter", ["A" * 300, '"' + "a" * 300 + '"', "`" + "a " * 300 + "`"])
def test_a_delimiter_that_the_grammar_dies_of_is_refused(delimiter: str) -> None:
    assert read_ruby(f"x = <<~{delimiter}\n").problems


def test_two_signs_in_a_string_announce_no_heredoc() -> None:
    code = read_ruby("describe 'd' do\n it 'uses `<<`' do\n expect(a).to eq '<<'\n end\nend\n" + "# more\n" * 100)
    assert (code.problems, only(code).identity) == ((), "d > uses `<<`")


PIECES = st.lists(
    st.sampled_from(
        ["describe 'd' do\n", "it 't' do\n", "end\n", "expect(a)", ".to eq ", "{", "}", "(", ")", "if ",
         "unless ", "rescue", "begin\n", "ensure\n", "skip", "'", '"', "#", "#{", "=begin\n", "=end\n",
         "<<~EOS\n", "EOS\n", "%w[", "]", "[", "/", ":", "=>", ",", "\n", " ", "class A < B\n", "def test_a\n",
         "private\n", "__END__\n", "\x00", "\ud800", "é", "raise ", "return", "&.", "?", "|x|"]
    )
).map("".join)  # fmt: skip


@given(st.one_of(st.text(), PIECES))
def test_no_text_raises(text: str) -> None:
    assert isinstance(read_ruby(text), TestCode)


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("describe 'a' do\n", "\nend"),
        ("if a\n", "\nend"),
        ("(", ")"),
        ("expect(", ").to eq(1)"),
        ("begin\n", "\nrescue\nend"),
        ("f { ", " }"),
        ("", " if a"),
    ],
)
def test_deep_nesting_costs_no_more_than_its_length(opening: str, closing: str) -> None:
    def spent(depth: int) -> float:
        text = "it 't' do\n" + opening * depth + "x" + closing * depth + "\nend"
        begin = time.process_time()
        read_ruby(text)
        return time.process_time() - begin

    assert spent(3000) < 20 * spent(500) + 3
