#!/bin/bash
set -e
grep -q done /workspace/answer.txt
python3 /tests/this-file-does-not-exist.py
echo 1 > /logs/verifier/reward.txt
