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
