import type { TableSpec } from "../delta/delta-schema.js";
import { bigint, timestamptz, varchar } from "./columns.js";

export const runs = {
  name: "runs",
  about: "One row for each run that ended, cancelled ones included",
  columns: [
    ...varchar({ run_id: "`<kind>-<start in UTC>-<6 hex>`" }),
    ...varchar({ job_id: "the same for the same roster, streams and options" }),
    ...varchar({ kind: "`sync`, `onboard`, `cip`, `import`, `reconcile`" }),
    ...varchar({ status: "`completed`, `completed_with_failures`, `failed`, `cancelled`" }),
    ...varchar({ options: "JSON: what was asked for, such as streams, links, full, pageSize" }),
    ...varchar({ roster_sha256: "of the canonical roster" }),
    ...bigint({ users: "in the roster; for a bulk job the rows of its file" }),
    ...bigint({ links: "found, of every status", synced: "links", unchanged: "links" }),
    ...bigint({ skipped: "links; for a bulk job rows", not_ready: "links" }),
    ...bigint({ failed: "links; for a bulk job rows, for a batch customers", created: "feed rows" }),
    ...bigint({ updated: "feed rows", removed: "feed rows, inferred ones included" }),
    ...bigint({ quarantined: "bad rows of every stream that this run brought", pages: "of transactions" }),
    ...bigint({ restarts: "of updates", calls: "requests sent" }),
    ...timestamptz({ started_at: "when it was asked for", finished_at: "when its last row was written" }),
    ...varchar({ version: "of Nightledger" }),
    ...varchar({ schedule: "name of the schedule that started it; null if none did" }),
    ...timestamptz({ scheduled_at: "when it was due: its logical date, however late it began" }),
    ...varchar({ message: "why the run ended otherwise than `completed`, or did not begin" }),
    ...bigint({ quarantine_open: "bad rows of any run that were open when this sync ended" }),
    ...bigint({ superseded: "links that another run committed first" }),
    ...bigint({
      paused_ms:
        "milliseconds in which a pause that the service asked for (`Retry-After`) held some of its calls",
    }),
    ...varchar({ reason: "why the run ended so, as a code" }),
    ...varchar({ lake_root: "one sha256 (hex) for the whole lake as it was before this row" }),
    ...varchar({ lake_root_of: "the text that `lake_root` is the sha256 of" }),
    ...varchar({ command: "the command line that asked for it, texts that may be secret as `…`" }),
    ...varchar({ phases: "JSON: `phase`, `began_at` and `ended_at` of what it did; some overlap" }),
    ...bigint({
      answer_bytes: "in the bodies of the answers of the service; those of refusals are not counted",
      still_reading: "links that the run read for as long as it may, and that the next one goes on with",
    }),
    ...timestamptz({
      service_time: "the newest `Date` of the service that its worker had seen; null before one",
    }),
  ],
} as const satisfies TableSpec;

/** A row dated ahead is the newest of nothing. */
export const IS_TIMELY = "greatest(started_at, finished_at) <= now() + interval 1 hour";

export const runFailures = {
  name: "run_failures",
  about: "What failed in a run",
  columns: [
    ...varchar({ run_id: "the run", stream: "for a sync; else null" }),
    ...bigint({ line: "of the file of an export or import, 0 if the run failed as a whole" }),
    ...varchar({ owner: "`fp_id` of the user; `reading` for the reading of a sync as a whole" }),
    ...varchar({ reason: "why" }),
    ...varchar({ message: "what the service said when it refused the request, values as `[value]`" }),
    ...timestamptz({ failed_at: "when it was recorded" }),
  ],
} as const satisfies TableSpec;
