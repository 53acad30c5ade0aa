#!/bin/sh
# As many verifiers do, it runs the agent's program beside itself.
sum=$(sh /workspace/add.sh 3 4 2>/dev/null)
if [ "$sum" = 7 ]; then reward=1; else reward=0; fi
echo "{\"reward\": $reward}" > /logs/verifier/reward.json
