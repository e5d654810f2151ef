#!/bin/bash
# Runs in new user and mount namespaces. Waits until the host has mapped the ids, then becomes the sandbox's root.
set -eu
echo >&4
read -r _ <&5
exec 4>&- 5<&-
# Descriptors that the host's own parent has left open.
for descriptor in /proc/self/fd/*; do
  descriptor=${descriptor##*/}
  if [ "$descriptor" -gt 3 ]; then eval "exec $descriptor>&-"; fi
done
if [ "$SANDBOX_USERS" = many ]; then
  exec setpriv --reuid=0 --regid=0 --clear-groups "$@"
fi
exec "$@"
