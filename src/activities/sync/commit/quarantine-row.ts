import type { BadRow } from "../../../lake/sync/journal/journal.js";

/** Where a bad row stood: whose answer, which page of it. */
interface BadRowPlace {
  readonly runId: string;
  readonly stream: string;
  readonly fp_id: string;
  readonly link_id: string | null;
  readonly page: number;
}

/** One row of `quarantine` (docs/use/tables.md, "quarantine"). */
export function quarantineRow(
  { runId, stream, fp_id, link_id, page }: BadRowPlace,
  { list, index, reason, payload }: BadRow,
  fetched_at: string | undefined,
): Record<string, unknown> {
  return { run_id: runId, stream, fp_id, link_id, page, index, list, reason, payload, fetched_at };
}
