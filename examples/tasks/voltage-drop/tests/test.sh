#!/bin/bash
# The reward is written on every path: first as a failure, then as what the checks find.
echo '{"reward": 0.0}' > /logs/verifier/reward.json
python3 /tests/grade.py
