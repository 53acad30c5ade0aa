#!/bin/bash
echo Canberra > /workspace/answer.txt
