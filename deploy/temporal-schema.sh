#!/bin/sh
# Makes Temporal's two databases, or brings them up to the server's schema. Repeated, it changes nothing.
set -eu

schema() {
  database=$1
  name=$2
  temporal-sql-tool --db "$database" create
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema --schema-name "$name"
}

schema temporal postgresql/v12/temporal
schema temporal_visibility postgresql/v12/visibility
