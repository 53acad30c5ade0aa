"""What skips a test in Ruby."""

SKIPS = [
    ("describe 'd' do\n xit('t') { a }\nend", "skip", False),
    ("xdescribe 'd' do\n it('t') { a }\nend", "skip", False),
    ("describe 'd' do\n xcontext 'c' do\n it('t') { a }\n end\nend", "skip", False),
    ("describe 'd' do\n it 't'\nend", "todo", False),
    ("describe 'd' do\n pending('t') { a }\nend", "xfail", False),
    ("describe 'd' do\n skip('t') { a }\nend", "skip", False),
    ("describe 'd' do\n it('t', skip: true) { a }\nend", "skip", False),
    ("describe 'd' do\n it('t', :skip => 'why') { a }\nend", "skip", False),
    ("describe 'd' do\n it('t', :skip) { a }\nend", "skip", False),
    ("describe 'd', :pending do\n it('t') { a }\nend", "xfail", False),
    ("describe 'd', skip: 'why' do\n it('t') { a }\nend", "skip", False),
    ("describe 'd' do\n it('t', if: false) { a }\nend", "skip", False),
    ("describe 'd' do\n it('t', unless: true) { a }\nend", "skip", False),
    ("describe 'd' do\n it('t') { skip }\nend", "skip", False),
    ("describe 'd' do\n it('t') { skip 'why' }\nend", "skip", False),
    ("describe 'd' do\n it 't' do\n pending\n a\n end\nend", "xfail", False),
    ("describe 'd' do\n it 't' do\n skip if true\n end\nend", "skip", False),
    ("describe 'd' do\n before { skip 'why' }\n it('t') { a }\nend", "skip", False),
    ("class ATest < Minitest::Test\n def setup\n skip\n end\n def test_t; end\nend", "skip", False),
    ("class ATest < Minitest::Test\n def test_t\n skip 'why'\n end\nend", "skip", False),
    ("class ATest < Test::Unit::TestCase\n def test_t\n omit('why')\n end\nend", "skip", False),
    ("class ATest < Test::Unit::TestCase\n def test_t\n pend\n end\nend", "xfail", False),
    (
        "class ATest < Minitest::Test\n def self.runnable_methods\n []\n end\n def test_t; end\nend",
        "disabled",
        False,
    ),
    ("describe 'd' do\n if false\n it('t') { a }\n end\nend", "disabled", False),
    ("describe 'd' do\n it 't' do\n return\n expect(a).to eq 1\n end\nend", "disabled", False),
    ("describe 'd' do\n it 't' do\n next\n expect(a).to eq 1\n end\nend", "disabled", False),
    ("at_exit { exit! 0 }\ndescribe 'd' do\n it('t') { a }\nend", "disabled", False),
    ("describe 'd' do\n it 't' do\n skip 'why' if windows?\n end\nend", "skip", True),
    ("describe 'd' do\n it 't' do\n if windows?\n skip\n end\n end\nend", "skip", True),
    ("describe 'd' do\n it 't' do\n skip unless ENV['CI']\n end\nend", "skip", True),
    ("describe 'd' do\n it('t', skip: windows?) { a }\nend", "skip", True),
    ("class ATest < Test::Unit::TestCase\n def test_t\n omit_if(windows?)\n end\nend", "skip", True),
]

NO_SKIPS = [
    "describe 'd' do\n it('t', skip: false) { a }\nend",
    "describe 'd' do\n it 't' do # skip\n list.skip(2)\n expect(a).to eq 'skip'\n end\nend",
    "describe 'd' do\n it('t') { fill_in :skip, with: skip_value }\nend",
    "describe 'skip' do\n it('t', type: :request) { a }\nend",
]

SKIPS_OF_EACH = [
    ("exit 0\ndescribe 'd' do\n it('t') { a }\nend", {"d > t": ["disabled", "disabled", "disabled"]}),
    ("describe 'd' do\n it('a') { b }\n fit('f') { a }\nend", {"d > a": ["focus"], "d > f": []}),
    ("describe 'd' do\n it('a') { b }\n it('f', :focus) { a }\nend", {"d > a": ["focus"], "d > f": []}),
    ("describe 'd' do\n it('a') { b }\n it('f', focus: true) { a }\nend", {"d > a": ["focus"], "d > f": []}),
    ("describe 'd' do\n it('a') { b }\n focus('f') { a }\nend", {"d > a": ["focus"], "d > f": []}),
]
