"""Three dimensions by weight: the drop, its share, and the verdict."""

import json
from pathlib import Path

DROP = 2 * 25 * 16 * 7.41e-3
SHARE = 100 * DROP / 230
WEIGHTS = {"voltage_drop_v": 2.0, "voltage_drop_pct": 1.0, "compliant": 1.0}


def near(value: object, expected: float) -> tuple[float, str]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0, f"{value!r} is not a number"
    off = abs(value - expected) / expected
    return (1.0 if off <= 0.01 else 0.5 if off <= 0.05 else 0.0), f"{100 * off:.2f} % from the reference"


answer = json.loads(Path("/workspace/answer.json").read_text())
scores = {
    "voltage_drop_v": near(answer.get("voltage_drop_v"), DROP),
    "voltage_drop_pct": near(answer.get("voltage_drop_pct"), SHARE),
    "compliant": (1.0, "right") if answer.get("compliant") is (SHARE <= 3) else (0.0, "wrong"),
}
details = {name: {"score": score, "max_score": 1.0, "evidence": why} for name, (score, why) in scores.items()}
reward = sum(WEIGHTS[name] * score for name, (score, _) in scores.items()) / sum(WEIGHTS.values())
Path("/logs/verifier/details.json").write_text(json.dumps(details))
Path("/logs/verifier/reward.json").write_text(json.dumps({"reward": round(reward, 4)}))
