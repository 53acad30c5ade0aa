#!/bin/bash
echo $((RANDOM % 2)) > /logs/verifier/reward.txt
