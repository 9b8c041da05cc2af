/**
 * `sync-20261121T021500Z-3f9c2a`: kind, start in UTC, six random hex digits.
 * Made once by whoever starts a run; names its staging and its rows.
 */
export function runId(kind: string, startedAt: Date, random: string): string {
  const instant = startedAt
    .toISOString()
    .replace(/\.\d+Z$/, "Z")
    .replaceAll(/[-:]/g, "");
  return `${kind}-${instant}-${random.slice(0, 6)}`;
}

/** Whether a text is the id of a run of this kind. */
export function isRunId(kind: string, text: string): boolean {
  return text.startsWith(`${kind}-`) && /^\d{8}T\d{6}Z-[0-9a-f]{6}$/.test(text.slice(kind.length + 1));
}

/** How a run stands or ended. */
export type RunStatus =
  | "completed"
  | "completed_with_failures"
  | "failed"
  | "cancelled"
  | "running"
  | "paused";

/** Workers of another service or lake never share a queue. */
export function taskQueue(scope: string): string {
  return `nightledger-${scope}`;
}
