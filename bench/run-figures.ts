import type { SyncRun } from "./sync-command.js";

/** What is said of every run: the whole, and its parts apart. Parts overlap, so they don't add up. */
export function runFigures(run: SyncRun): Record<string, number> {
  const { activities } = run;
  const busy = (type: string) => activities.busy[type] ?? 0;
  return {
    seconds: run.seconds,
    command_seconds: run.commandSeconds,
    calling_seconds: activities.calling,
    calling_span_seconds: activities.callingSpan,
    load_seconds: busy("load"),
    commit_seconds: busy("commit"),
    materialize_seconds: busy("materialize"),
    calls: run.summary.calls,
    peak_rss_mb: run.process.peakRssMb,
    cpu_seconds: run.process.cpuSeconds,
    temporal_cpu_seconds: run.temporal.cpuSeconds,
    stand_in_cpu_seconds: run.standInCpuSeconds,
  };
}
