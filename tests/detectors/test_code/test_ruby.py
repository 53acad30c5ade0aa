"""What is particular to the reader of tests in Ruby."""

import pytest

from assay.detectors.test_code.engine.reader import read
from assay.detectors.test_code.languages.ruby import LANGUAGE
from tests.detectors.test_code.languages import RUBY


def test_a_heredoc_is_the_text_it_stands_for() -> None:
    one = RUBY.assertion("expect(got).to eq(<<~ONE)\n  text\nONE")
    other = RUBY.assertion("expect(got).to eq(<<~TWO)\n  text\nTWO")
    changed = RUBY.assertion("expect(got).to eq(<<~ONE)\n  more\nONE")
    assert one.text == other.text != changed.text


@pytest.mark.parametrize("delimiter", ["A" * 300, '"' + "a" * 300 + '"', "`" + "a " * 300 + "`"])
def test_a_delimiter_that_the_grammar_dies_of_is_refused(delimiter: str) -> None:
    assert read(LANGUAGE, f"x = <<~{delimiter}\n").problems


def test_two_signs_in_a_string_announce_no_heredoc() -> None:
    test = RUBY.only("describe 'd' do\n it 'uses `<<`' do\n expect(a).to eq '<<'\n end\nend\n" + "# more\n" * 100)
    assert test.identity == "d > uses `<<`"


def test_tests_deep_in_groups_are_read() -> None:
    groups = [f"describe 'g{number}' do\n" for number in range(8)]
    text = "".join(["RSpec.describe A do\n", *groups, "it 'x' do\nexpect(f).to eq(3)\nend\n", *["end\n"] * 9])
    (test,) = RUBY.read(text).tests
    assert [each.expected for each in test.assertions] == ["3"]
