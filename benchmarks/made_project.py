"""A large project with long files, like a web framework: packages with classes, and suites that test them."""

from pathlib import Path

_CLASS = '''

class Field{n}(Base):
    """Field {n} of a form."""

    default_error_messages = {{"invalid": "Enter a valid value.", "required": "This field is required."}}
    widget = None

    def __init__(self, *, max_length=None, min_length=None, strip=True, empty_value="", **kwargs):
        self.max_length = max_length
        self.min_length = min_length
        self.strip = strip
        self.empty_value = empty_value
        super().__init__(**kwargs)
        if min_length is not None:
            self.validators.append(lambda value: len(value) >= int(min_length))

    def to_python(self, value):
        if value not in self.empty_values:
            value = str(value)
            if self.strip:
                value = value.strip()
        if value in self.empty_values:
            return self.empty_value
        return value

    def clean(self, value, initial=None):
        try:
            value = self.to_python(value)
        except (TypeError, ValueError) as error:
            raise ValidationError(self.default_error_messages["invalid"], code="invalid") from error
        for validator in self.validators:
            if not validator(value):
                raise ValidationError(self.default_error_messages["invalid"], params={{"value": value}})
        return value

    def execute(self, query, params=()):
        with self.connection.cursor() as cursor:
            cursor.execute(query % tuple(params))
            return [dict(zip([column[0] for column in cursor.description], row)) for row in cursor.fetchall()]
'''
_TEST = """
    def test_clean_{n}(self):
        field = Field{n}(max_length={m}, required=False)
        self.assertEqual(field.clean(" value "), "value")
        self.assertEqual(field.clean(""), "")
        self.assertIsNone(field.widget)
        with self.assertRaisesMessage(ValidationError, "Enter a valid value."):
            field.clean("x" * {m})
        for value, expected in [("1", "1"), (" 2", "2"), ("3 ", "3")]:
            with self.subTest(value=value):
                self.assertEqual(field.clean(value), expected)
                self.assertNotIn(" ", field.clean(value))
"""
_SOURCE_HEAD = (
    '"""Fields {n}."""\n\nimport datetime\nimport re\n\nfrom framework.base import Base, ValidationError\n'
)
_TESTS_HEAD = (
    '"""Tests of fields {n}."""\n\nfrom unittest import TestCase\n\nfrom framework.base import ValidationError\n'
    "from framework.fields{n} import *  # noqa\n\n\nclass FieldTests(TestCase):\n"
)


def write_project(root: Path, files: int, long_tests: int, long_sources: int) -> list[Path]:
    """A project of so many files, most of them short. Returns the long ones, which are about 40 kB each."""
    for n in range(files - long_tests - long_sources):
        path = root / "framework" / f"part{n // 100:03d}" / f"module{n}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'"""Module {n}."""\n\nLIMIT = {n}\n')
    long: list[Path] = []
    for n in range(long_sources):
        body = "".join(_CLASS.format(n=number) for number in range(22))
        long.append(_written(root / "framework" / f"fields{n}.py", _SOURCE_HEAD.format(n=n) + body))
    for n in range(long_tests):
        body = "".join(_TEST.format(n=number, m=number + 3) for number in range(120))
        long.append(_written(root / "tests" / f"fields{n}" / "test_fields.py", _TESTS_HEAD.format(n=n) + body))
    return long


def change_project(paths: list[Path]) -> None:
    """What an honest agent does to each: an import, a logger and a remark, and one more test or function."""
    for path in paths:
        head, _, rest = path.read_text().partition("\n\n")
        middle = rest.index("\n\n", len(rest) // 2)
        more = (
            "\n    def test_more(self):\n        self.assertEqual(Field1().clean('a'), 'a')\n"
            if path.name.startswith("test_")
            else "\n\ndef more(value):\n    return [value]\n"
        )
        logger = "\n\nlogger = logging.getLogger(__name__)\n"
        text = f"{head}\n\nimport logging\n{rest[:middle]}\n\n    # A remark.{rest[middle:]}{more}{logger}"
        path.write_text(text)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path
