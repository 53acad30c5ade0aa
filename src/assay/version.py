"""The version of Assay and of its grading engine.

``ENGINE`` rises whenever a change can move a score; it is recorded on every grading.
"""

VERSION = "0.1.0"
ENGINE = 13
