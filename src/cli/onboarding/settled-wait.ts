import { setTimeout as sleep } from "node:timers/promises";
import {
  batchStatus,
  type CustomerCounts,
  countOf,
  moveRows,
  type OnboardSummary,
  queuedRows,
} from "../../domain/onboarding/batch/batch-totals.js";
import { isOpenOutcome } from "../../domain/onboarding/customer/customer-state.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { latestOutcomesSql, outcomeLines, putOutcomesCsv } from "../../lake/onboarding/outcomes-csv.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { LATEST_OF_A_LINE } from "../../lake/tables/onboardings.js";
import { withStoreQuery } from "../lake/query.js";
import type { JobSession } from "../session/job-session.js";
import type { RunEnd } from "../session/run-watch.js";
import { WatchEnd } from "../session/watch-end.js";

const POLL_EVERY_MS = 2_000;

/**
 * Waits until no row of a batch waits for people, by the table; gives the summary as it is then, and writes the
 * outcomes as CSV once more. After `notAfter`, in epoch milliseconds, nobody is waited for any more.
 */
export async function waitUntilSettled(
  { preflight: { store }, sealed, temporal, signal }: JobSession,
  summary: OnboardSummary,
  notAfter: number,
): Promise<RunEnd<OnboardSummary>> {
  const end = new WatchEnd(temporal.lost, signal);
  const batches = new FrozenBatches(sealed);
  const { batch_id: batchId, customers } = summary;
  return withStoreQuery(store, async (query) => {
    while (!signal.aborted) {
      const rows = await latest(query, batchId);
      const open = rows.some(({ status, review }) => isOpenOutcome(status, review));
      if (!open || Date.now() >= notAfter) {
        const range = { batchId, rows: customers.total };
        const outcomes = await outcomeLines(query.query(latestOutcomesSql(batchId)));
        await putOutcomesCsv(store, batches, range, outcomes);
        return { kind: "completed", result: settled(summary, rows) };
      }
      await end.before(sleep(POLL_EVERY_MS));
    }
    return { kind: "interrupted" };
  });
}

interface LatestRows {
  readonly status: string;
  readonly review: boolean;
  readonly rows: number;
}

async function latest(query: LakeQuery, batchId: string): Promise<LatestRows[]> {
  const found: LatestRows[] = [];
  const sql = `select status, coalesce(requires_manual_review, false) as review, count(*) as n from (
      select * from onboardings where batch_id = '${batchId}' ${LATEST_OF_A_LINE}
    ) group by all`;
  for await (const batch of query.query(sql)) {
    for (const { status, review, n } of batch) {
      found.push({ status: String(status), review: review === true, rows: Number(n) });
    }
  }
  return found;
}

function settled(summary: OnboardSummary, rows: readonly LatestRows[]): OnboardSummary {
  let customers: CustomerCounts = queuedRows(summary.customers.total);
  for (const { status, rows: count } of rows) {
    customers = moveRows(customers, "queued", countOf(status), count);
  }
  const manual_review = rows.reduce((sum, { review, rows: count }) => sum + (review ? count : 0), 0);
  const status = batchStatus(customers, summary.status === "cancelled");
  return { ...summary, customers, manual_review, status };
}
