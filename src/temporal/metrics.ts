import type { MetricMeter } from "@temporalio/common";
import { Runtime } from "@temporalio/worker";
import type { MadeCall } from "../domain/service/pace/call-pace.js";

/** A run that has ended. */
interface MeasuredRun {
  readonly kind: string;
  readonly status: string;
  readonly schedule: string | undefined;
  readonly seconds: number;
  readonly counts: Readonly<Record<string, number>>;
}

/** What a worker counts for Prometheus or OTLP; no id of a person, link or run is a label (docs/run/operate.md, "Metrics"). */
export interface Metrics {
  called(call: MadeCall): void;
  runEnded(run: MeasuredRun): void;
  alerted(rule: string, state: "raised" | "cleared"): void;
}

/** Columns of `runs` that are rows by what became of them. */
const CHANGES = ["created", "updated", "removed", "quarantined"];
const COUNTED = {
  pages: "Pages of lists that were read",
  restarts: "Lists that were read again from their start",
};

/** Counts by the SDK's meter, which drops everything where `NIGHTLEDGER_METRICS` is not set. */
export function sdkMetrics(meter: MetricMeter = Runtime.instance().metricMeter): Metrics {
  const calls = meter.createCounter(
    "nightledger_calls",
    undefined,
    "Calls of the service, by operation and status",
  );
  const took = meter.createHistogram(
    "nightledger_call_duration_seconds",
    "float",
    "s",
    "From the start of a call to its end",
  );
  const waited = meter.createHistogram(
    "nightledger_call_wait_seconds",
    "float",
    "s",
    "How long calls waited for limits and pauses",
  );
  const runs = meter.createCounter("nightledger_runs", undefined, "Runs that have ended, by kind and status");
  const rows = meter.createCounter(
    "nightledger_rows",
    undefined,
    "Rows that runs created, updated, removed and quarantined",
  );
  const counters = Object.entries(COUNTED).map(
    ([name, words]) => [name, meter.createCounter(`nightledger_${name}`, undefined, words)] as const,
  );
  const lasted = meter.createGauge(
    "nightledger_run_duration_seconds",
    "float",
    "s",
    "How long the last run of a kind took",
  );
  const finished = meter.createGauge(
    "nightledger_last_completed_timestamp_seconds",
    "float",
    "s",
    "When the last run that completed ended, since 1970",
  );
  const alerts = meter.createCounter(
    "nightledger_alerts",
    undefined,
    "Alerts that were raised and cleared, by rule",
  );
  return {
    called({ operation, status, seconds, waitedSeconds }) {
      calls.add(1, { operation, status });
      took.record(seconds, { operation });
      waited.record(waitedSeconds, { operation });
    },
    runEnded({ kind, status, schedule = "", seconds, counts }) {
      runs.add(1, { kind, status });
      for (const change of CHANGES) rows.add(counts[change] ?? 0, { kind, change });
      for (const [name, counter] of counters) counter.add(counts[name] ?? 0, { kind });
      lasted.set(seconds, { kind, schedule });
      if (status === "completed") finished.set(Date.now() / 1_000, { kind, schedule });
    },
    alerted: (rule, state) => alerts.add(1, { rule, state }),
  };
}
