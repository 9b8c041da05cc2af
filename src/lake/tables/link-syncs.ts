import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, integer, timestamptz, varchar } from "./columns.js";

export const linkSyncs = {
  name: "link_syncs",
  about: "One row for each bank link and run: how it ended, and its certificate",
  columns: [
    ...varchar({ run_id: "the run that wrote the row", link_id: "the bank link", fp_id: "the user" }),
    ...varchar({
      external_id:
        "yours, as the roster said; where it said none, as it did when the link was committed last",
    }),
    ...varchar({
      status: "how it ended",
      reason: "why it was skipped or failed, or the error of its link that was read",
    }),
    ...integer({ generation: "of the link after the run; null for a link that was never committed" }),
    ...varchar({ cursor_in: "what the first request of the update sent; null for none" }),
    ...varchar({ cursor_out: "what the next run will send" }),
    ...bigint({ pages: "pages of the last attempt" }),
    ...bigint({ restarts: "how often the update was read again from its start", created: "rows committed" }),
    ...bigint({ updated: "rows committed", removed: "rows committed, inferred ones included" }),
    ...bigint({ quarantined: "bad rows among those delivered" }),
    ...bigint({ sign_conflicts: "rows committed whose `amount` and `signed_amount` are of opposite sign" }),
    ...bigint({ sequence_from: "smallest `sequence` committed; null for none", sequence_to: "greatest" }),
    ...varchar({ pages_sha256: "rolling hash of the pages" }),
    ...varchar({ rows_sha256: "hash of the committed rows: Rows of a certificate; null without rows" }),
    ...varchar({ certificate_prev: "the link's certificate before; null for none" }),
    ...varchar({ certificate: "of this update; null if nothing was committed" }),
    ...timestamptz({ started_at: "when the slice that found the link began" }),
    ...timestamptz({ finished_at: "when the row was made" }),
    ...bigint({
      id_conflicts:
        "rows committed as `created` under the id of a posted transaction that was there, with another account, date or amount",
    }),
  ],
} as const satisfies TableSpec;
