"""What runs and what counts of the statements of a test in Ruby."""

NEVER_RUNS = [
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

SWALLOWED = [
    "begin\n expect(a).to eq 1\n rescue => e\n puts e\n end",
    "begin\n expect(a).to eq 1\n rescue Exception\n end",
    "begin\n expect(a).to eq 1\n rescue RSpec::Expectations::ExpectationNotMetError\n # raise\n end",
    "expect(a).to eq(1) rescue nil",
    "begin\n expect(a).to eq 1\n ensure\n return\n end",
    "expect(a).to eq 1\n rescue StandardError\n nil",
]

COUNTS = [
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
