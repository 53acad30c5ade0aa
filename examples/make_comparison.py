"""Writes the example runs in examples/comparison, as terminal-bench writes them. Run it again after changing it:

.venv/bin/python examples/make_comparison.py

Three agents have had thirty tasks with four attempts each. The second is better than the first; the third is so
little better that nobody can tell from these runs.
"""

import json
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path(__file__).parent / "comparison"
TASKS = 30
ATTEMPTS = 4
# How many percent of its attempts each agent would pass on an easy, a middling and a hard task.
AGENTS = {"monday": (85, 45, 10), "tuesday": (95, 70, 30), "wednesday": (87, 47, 12)}


def main() -> None:
    for number, (name, chances) in enumerate(AGENTS.items()):
        folder = FOLDER / name
        folder.mkdir(parents=True, exist_ok=True)
        metadata = {
            "run_id": name,
            "dataset_name": "puzzles",
            "agent_name": "solver",
            "model_name": f"model-{name}",
        }
        (folder / "run_metadata.json").write_text(json.dumps(metadata, indent=2) + "\n")
        results = {"results": list(entries(name, chances, luck(101 + number)))}
        (folder / "results.json").write_text(json.dumps(results, indent=1) + "\n")


def entries(name: str, chances: tuple[int, ...], draws: Iterator[int]) -> Iterator[dict[str, object]]:
    for task in range(TASKS):
        kind = ("easy", "middling", "hard")[task % 3]
        for attempt in range(1, ATTEMPTS + 1):
            yield {
                "trial_name": f"{kind}-{task:02d}.{attempt}-of-{ATTEMPTS}.{name}",
                "task_id": f"{kind}-{task:02d}",
                "is_resolved": next(draws) % 100 < chances[task % 3],
                "failure_mode": "unset",
                "total_input_tokens": 1200 + next(draws) % 400,
                "total_output_tokens": 300 + next(draws) % 100,
            }


def luck(seed: int) -> Iterator[int]:
    """Whole numbers that look random and are the same each time (a Lehmer generator)."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state // 97


if __name__ == "__main__":
    main()
