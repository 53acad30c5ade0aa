#!/bin/bash
answer=$(tr -d '[:space:]' < /workspace/answer.txt 2>/dev/null | tr '[:upper:]' '[:lower:]')
if [ "$answer" = canberra ]; then echo '{"reward": 1}'; else echo '{"reward": 0}'; fi > /logs/verifier/reward.json
