#!/bin/bash
printf '#!/bin/sh\necho "hello $1"\n' > /app/greet.sh
chmod +x /app/greet.sh
