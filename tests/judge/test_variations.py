"""The same run in other words."""

import dataclasses

from assay.judge.calibration import FORMS, with_other_names, without_comments
from tests.judge.cases import RUN, diff_of, plain_run

DIFF = """\
diff --git a/src/calc.py b/src/calc.py
--- a/src/calc.py
+++ b/src/calc.py
@@ -1,3 +1,5 @@
 # stays: it is context
-# stays: it was removed
+# a comment alone
+total = 1  # a comment behind
+color = "#fff"  // and a slash
+x = y#z
+url = "http://x"
"""


def test_comments_of_added_lines_are_stripped_and_nothing_else() -> None:
    found = without_comments(plain_run(diff=diff_of(DIFF))).diff
    assert found is not None
    assert found.text.split("\n")[4:11] == [
        " # stays: it is context",
        "-# stays: it was removed",
        "+",
        "+total = 1",
        '+color = "#fff"',
        "+x = y#z",
        '+url = "http://x"',
    ]


def test_names_change_in_every_text_alike() -> None:
    run = dataclasses.replace(RUN, final_response="calc.py is fixed, mycalc.py is not, src/calc.py: yes")
    found = with_other_names(run)
    assert found.instruction == "Fix add in part1.py."
    assert found.final_response == "part1.py is fixed, mycalc.py is not, src/part1.py: yes"
    assert found.diff is not None
    assert "calc.py" not in found.diff.text
    assert found.trajectory is not None
    assert "part1.py" in found.trajectory.steps[1].calls[0].arguments
    assert found.status is RUN.status


def test_a_run_without_a_diff_has_nothing_to_change() -> None:
    run = plain_run("Say hello.")
    assert all(change(run) == run for change in FORMS.values())
