import type { BulkOptions } from "../../domain/bulk/bulk-job.js";

/** What a reconciliation compares, as its options say it. */
export interface ReconciledRange {
  /** First and last day; null for no bound. */
  readonly from: string | null;
  readonly to: string | null;
  /** Only these bank links; null for all. */
  readonly links: readonly string[] | null;
  /** Whether every row is compared, also where the totals agree. */
  readonly rows: boolean;
}

/** The options that say so; those that are left out are not part of the job. */
export function rangeOptions({ from, to, links, rows }: Partial<ReconciledRange>): BulkOptions {
  return {
    ...(from != null && { from }),
    ...(to != null && { to }),
    ...(links != null && { links: links.join(",") }),
    ...(rows === true && { rows }),
  };
}

/** Reads them back. */
export function rangeOf({ from, to, links, rows }: BulkOptions): ReconciledRange {
  return {
    from: typeof from === "string" ? from : null,
    to: typeof to === "string" ? to : null,
    links: typeof links === "string" ? links.split(",") : null,
    rows: rows === true,
  };
}
