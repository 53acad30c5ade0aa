from assay.detectors.source_signs.code_words import read_code


def test_words_in_braces_are_those_between_any_pair() -> None:
    code = read_code("a(); if (b) { c(); { d } } e();", "javascript")
    assert sorted(code.words[index] for index in code.in_braces) == sorted(["c", "(", ")", ";", "{", "d", "}"])
