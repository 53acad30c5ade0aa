"""Texts in Ruby or near it: where a test stands, what is broken, and pieces to build anything of."""

LINES = ("\ndescribe 'd' do\n  it 't' do\n    expect(a).to eq 1\n  end\nend\n", (3, 5, 4))
BROKEN = "describe 'd' do\n it 't' do expect("

PIECES = [
    "describe 'd' do\n", "it 't' do\n", "end\n", "expect(a)", ".to eq ", "{", "}", "(", ")", "if ",
    "unless ", "rescue", "begin\n", "ensure\n", "skip", "'", '"', "#", "#{", "=begin\n", "=end\n",
    "<<~EOS\n", "EOS\n", "%w[", "]", "[", "/", ":", "=>", ",", "\n", " ", "class A < B\n", "def test_a\n",
    "private\n", "__END__\n", "\x00", "\ud800", "é", "raise ", "return", "&.", "?", "|x|",
]  # fmt: skip

DEEP_IN = "it 't' do\n…\nend"
DEEP = [
    ("describe 'a' do\n", "\nend"),
    ("if a\n", "\nend"),
    ("(", ")"),
    ("expect(", ").to eq(1)"),
    ("begin\n", "\nrescue\nend"),
    ("f { ", " }"),
    ("", " if a"),
]
