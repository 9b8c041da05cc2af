#!/bin/sh
# Makes the namespace unless it is there. TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE are read by the CLI.
set -eu

attempt=1
until temporal operator cluster health; do
  if [ "$attempt" -ge 12 ]; then
    echo "Temporal at $TEMPORAL_ADDRESS is not healthy after a minute; the namespace was not made." >&2
    exit 1
  fi
  attempt=$((attempt + 1))
  sleep 5
done

temporal operator namespace describe -n "$TEMPORAL_NAMESPACE" \
  || temporal operator namespace create -n "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
