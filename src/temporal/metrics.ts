import type { MetricMeter } from "@temporalio/common";
import { Runtime } from "@temporalio/worker";
import type { MadeCall } from "../domain/service/made-call.js";

interface MeasuredRun {
  readonly kind: string;
  readonly status: string;
  readonly schedule: string | undefined;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
  /** What became of the rows of a bulk job's file. */
  readonly rows?: Readonly<Record<string, number>> | undefined;
}

/** What a process counts; no id of a person, link or run is a label (docs/run/operate.md, "Metrics"). */
export interface Metrics {
  called(call: MadeCall): void;
  runEnded(run: MeasuredRun): void;
  conflicted(table: string): void;
  openRows(rows: number): void;
  /** `taken`, `validated`, or why a webhook was refused. */
  received(result: string): void;
}

/** Columns of `runs`. */
const CHANGES = ["created", "updated", "removed", "quarantined"];
const ROWS = "Rows that runs created, updated, removed and quarantined; of a file: done, failed or skipped";

/** Counts by the SDK's meter, which drops everything where `NIGHTLEDGER_METRICS` is not set. */
export function sdkMetrics(meter: MetricMeter = Runtime.instance().metricMeter): Metrics {
  const counter = (name: string, words: string, unit?: string) => meter.createCounter(name, unit, words);
  const histogram = (name: string, words: string) => meter.createHistogram(name, "float", "s", words);
  const gauge = (name: string, words: string) => meter.createGauge(name, "float", "s", words);
  const calls = counter("nightledger_calls", "Calls of the service, by operation and status");
  const took = histogram("nightledger_call_duration_seconds", "From the start of a call to its end");
  const waited = histogram("nightledger_call_wait_seconds", "How long calls waited for limits and pauses");
  const bytes = counter("nightledger_answer_bytes", "In the bodies of answers of the service", "By");
  const runs = counter("nightledger_runs", "Runs that have ended, by kind and status");
  const rows = counter("nightledger_rows", ROWS);
  const pages = counter("nightledger_pages", "Pages of lists that were read");
  const restarts = counter("nightledger_restarts", "Lists that were read again from their start");
  const lasted = gauge("nightledger_run_duration_seconds", "How long the last run of a kind took");
  const finished = gauge(
    "nightledger_last_completed_timestamp_seconds",
    "When the last run that completed ended, with failures or without, since 1970",
  );
  const conflictWords = "Attempts to commit that another writer was faster than, by table";
  const conflicts = counter("nightledger_commit_conflicts", conflictWords);
  const openWords = "Rows of customers that are in work or waited for";
  const open = meter.createGauge("nightledger_open_rows", "int", undefined, openWords);
  const webhookWords = "Requests to the receiver of webhooks, by what became of them";
  const webhooks = counter("nightledger_webhooks", webhookWords);
  return {
    called({ operation, status, seconds, waitedSeconds, bytes: read }) {
      calls.add(1, { operation, status });
      bytes.add(read, { operation });
      took.record(seconds, { operation });
      waited.record(waitedSeconds, { operation });
    },
    runEnded({ kind, status, schedule = "", seconds, counts, rows: ofFile = {} }) {
      runs.add(1, { kind, status });
      for (const change of CHANGES) rows.add(counts[change] ?? 0, { kind, change });
      for (const [change, count] of Object.entries(ofFile)) rows.add(count, { kind, change });
      pages.add(counts.pages ?? 0, { kind });
      restarts.add(counts.restarts ?? 0, { kind });
      lasted.set(seconds, { kind, schedule });
      if (status.startsWith("completed")) finished.set(Date.now() / 1_000, { kind, schedule });
    },
    conflicted: (table) => conflicts.add(1, { table }),
    openRows: (rows) => open.set(rows),
    received: (result) => webhooks.add(1, { result }),
  };
}
