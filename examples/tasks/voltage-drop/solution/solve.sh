#!/bin/bash
python3 - <<'PY'
import json
drop = 2 * 25 * 16 * 7.41e-3
percent = 100 * drop / 230
json.dump({"voltage_drop_v": round(drop, 3), "voltage_drop_pct": round(percent, 3), "compliant": percent <= 3},
          open("/workspace/answer.json", "w"))
PY
