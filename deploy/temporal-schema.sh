#!/bin/sh
# Makes Temporal's two databases, or brings them up to the server's schema. Repeated, it changes nothing.
set -eu

schema() {
  database=$1
  versions=$2
  temporal-sql-tool --db "$database" create
  temporal-sql-tool --db "$database" setup-schema -v 0.0
  temporal-sql-tool --db "$database" update-schema -d "$versions"
}

schema temporal /etc/temporal/schema/postgresql/v12/temporal/versioned
schema temporal_visibility /etc/temporal/schema/postgresql/v12/visibility/versioned
