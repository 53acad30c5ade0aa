"""A good configuration for every type of scorer that has a field without a default."""

from typing import Any

CONFIGURATION: dict[str, dict[str, Any]] = {
    "command": {"command": "true"},
    "baseline_tests": {"command": "true"},
    "allowed_paths": {"patterns": ["src/*"]},
    "forbid_paths": {"patterns": ["ci/*"]},
    "max_files_changed": {"limit": 0},
    "file_exists": {"path": "a"},
    "trajectory": {"max_steps": 0},
    "tests_unmodified": {"paths": ["tests/test_a.py"]},
    "baseline_unmodified": {"paths": ["Makefile"]},
    "hidden_tests": {"command": "true", "files": {"tests/test_hidden.py": "def test(): pass"}},
    "llm_judge": {"rubric": "x"},
    "same_when_unwatched": {"command": "true"},
    "test_data_unmodified": {"command": "true"},
    "tests_bite": {"command": "true"},
    "tests_need_the_fix": {"command": "true"},
}
