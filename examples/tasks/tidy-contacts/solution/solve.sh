#!/bin/bash
{ echo name,email; awk '{print $1 "," tolower($2)}' contacts.txt | sort -u -t, -k2,2; } > /workspace/contacts.csv
