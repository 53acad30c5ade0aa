#!/bin/bash
printf '#!/bin/sh\necho "hello ${1:-world}"\n' > /app/greet.sh
