#!/bin/bash
score=0
[ "$(sh /app/greet.sh)" = "hello world" ] && score=0.5
[ "$(sh /app/greet.sh Ada)" = "hello Ada" ] && score=$(awk "BEGIN {print $score + 0.5}")
echo "$score" > /logs/verifier/reward.txt
