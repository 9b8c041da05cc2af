import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, encrypted, integer, timestamptz, varchar } from "./columns.js";

/** One row per line and run of a proxy job (docs/use/tables.md, "proxy_calls"). */
export const proxyCalls = {
  name: "proxy_calls",
  columns: [
    ...varchar("run_id"),
    ...bigint("line"),
    ...varchar("proxy", "id", "fp_id", "status", "reason"),
    ...integer("http_status", "asked"),
    ...varchar("content_type"),
    ...bigint("duration_ms", "response_bytes"),
    ...varchar("response_sha256"),
    ...encrypted("body"),
    ...varchar("body_encoding"),
    ...timestamptz("called_at"),
  ],
} as const satisfies TableSpec;
