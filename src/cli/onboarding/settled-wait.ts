import { setTimeout as sleep } from "node:timers/promises";
import { added } from "../../domain/counts.js";
import {
  batchStatus,
  type CustomerCounts,
  countOf,
  type OnboardSummary,
  queuedRows,
} from "../../domain/onboarding/batch/batch-totals.js";
import { isOpen, type Verdict } from "../../domain/onboarding/verdict.js";
import { FrozenBatches } from "../../lake/onboarding/frozen-batch.js";
import { writeOutcomesCsv } from "../../lake/onboarding/outcomes-csv.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import { LATEST_OF_A_LINE, onboardings } from "../../lake/tables/onboardings.js";
import type { JobSession } from "../session/job-session.js";
import { type RunEnd, WatchEnd } from "../shell/watch.js";

const POLL_EVERY_MS = 2_000;

/** Rows whose latest outcomes are alike. */
interface LatestRows extends Verdict {
  /** A webhook may still say that a reviewer has to decide. */
  readonly is_heard: boolean;
  readonly n: number | bigint;
}

/**
 * Waits until no row of a batch waits for people, or until `notAfter` in epoch milliseconds, and writes the outcomes as
 * CSV once more.
 */
export async function waitUntilSettled(
  { preflight: { store }, sealed, temporal, signal }: JobSession,
  summary: OnboardSummary,
  notAfter: number,
): Promise<RunEnd<OnboardSummary>> {
  const end = new WatchEnd(temporal.lost, signal);
  const { batch_id: batchId, customers } = summary;
  const sql = `select status, coalesce(requires_manual_review, false) as review,
      coalesce(expires_at > now(), false) as is_heard, count(*) as n from (
      select * from onboardings where batch_id = '${batchId}' ${LATEST_OF_A_LINE}
    ) group by all`;
  const wait = async (query: LakeQuery): Promise<RunEnd<OnboardSummary>> => {
    while (!signal.aborted) {
      const latest = await rowsOf<LatestRows>(query, sql);
      const isOver = !latest.some((rows) => isOpen(rows) || rows.is_heard);
      if (isOver || Date.now() >= notAfter) {
        const range = { batchId, rows: customers.total };
        await writeOutcomesCsv(store, new FrozenBatches(sealed), range, (text) => query.query(text));
        return { kind: "completed", result: settledSummary(summary, latest) };
      }
      await end.before(sleep(POLL_EVERY_MS));
    }
    return { kind: "interrupted" };
  };
  return withStoreQuery(store, wait, { tables: [onboardings] });
}

function settledSummary(summary: OnboardSummary, latest: readonly LatestRows[]): OnboardSummary {
  const customers = latest.reduce<CustomerCounts>(
    (counts, { status, n }) => added(counts, { queued: -Number(n), [countOf(status)]: Number(n) }),
    queuedRows(summary.customers.total),
  );
  const manual_review = latest.reduce((sum, { review, n }) => sum + (review ? Number(n) : 0), 0);
  return {
    ...summary,
    customers,
    manual_review,
    status: batchStatus(customers, summary.status === "cancelled"),
  };
}
