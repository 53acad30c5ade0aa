"""The words of each language, one file a language."""

from assay.detectors.source_signs.languages import (
    csharp,
    go,
    java,
    javascript,
    kotlin,
    php,
    python,
    ruby,
    rust,
    swift,
)
from assay.detectors.source_signs.words import Words

WORDS: dict[str, Words] = {
    "csharp": csharp.WORDS,
    "go": go.WORDS,
    "java": java.WORDS,
    "javascript": javascript.WORDS,
    "kotlin": kotlin.WORDS,
    "php": php.WORDS,
    "python": python.WORDS,
    "ruby": ruby.WORDS,
    "rust": rust.WORDS,
    "swift": swift.WORDS,
}
