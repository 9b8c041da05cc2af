import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, encrypted, integer, timestamptz, varchar } from "./columns.js";

export const proxyCalls = {
  name: "proxy_calls",
  about: "The requests of proxy runs, one row for each line of each run",
  columns: [
    ...varchar({ run_id: "the run" }),
    ...bigint({ line: "of its file" }),
    ...varchar({ proxy: "id of the proxy configuration", id: "your id of the request" }),
    ...varchar({ fp_id: "the vault that the row names; null if none" }),
    ...varchar({ status: "`answered`, `unknown`, `refused`, `skipped`" }),
    ...varchar({ reason: "why it is not `answered` with a status below 400" }),
    ...integer({ http_status: "of the answer: the target's, or the service's own; null without one" }),
    ...integer({ asked: "requests that may have reached the service" }),
    ...varchar({ content_type: "of the answer; null if it has none" }),
    ...bigint({ duration_ms: "from the start of the request to the last byte of the answer" }),
    ...bigint({ response_bytes: "length of the answer's body" }),
    ...varchar({ response_sha256: "hash of the answer's body, in hex" }),
    ...encrypted({ body: "the answer's body, encrypted" }),
    ...varchar({ body_encoding: "`utf-8` or `base64`: how `body` is written" }),
    ...timestamptz({ called_at: "when the answer was kept, or the row was given up" }),
  ],
} as const satisfies TableSpec;
