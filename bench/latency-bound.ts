import type { BulkRun } from "./bulk-command.js";
import type { Figure } from "./scenario.js";

/** Milliseconds of each call, and calls in flight. */
interface LatencyBound {
  readonly latencyMs: number;
  readonly concurrency: number;
}

const MOST_RATIO = 1.15;

/** A run of a bulk job beside the time that its calls take at least. */
export function besideBound(
  scenario: string,
  variant: string,
  { seconds, commandSeconds, summary, process }: BulkRun,
  { latencyMs, concurrency }: LatencyBound,
): Figure {
  const bound = (summary.calls * latencyMs) / 1000 / concurrency;
  const ratio = seconds / bound;
  return {
    scenario,
    variant,
    measured: {
      seconds,
      command_seconds: commandSeconds,
      bound_seconds: bound,
      calls: summary.calls,
      peak_rss_mb: process.peakRssMb,
      cpu_seconds: process.cpuSeconds,
    },
    ratio,
    target: `≤ ${MOST_RATIO} × (calls × ${latencyMs} ms / ${concurrency})`,
    met: ratio <= MOST_RATIO,
  };
}
