#!/bin/bash
[ "$(sh /app/greet.sh Ada)" = "hello Ada" ] && echo 1 > /logs/verifier/reward.txt || echo 0 > /logs/verifier/reward.txt
