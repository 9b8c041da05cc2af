import type { LogRetention } from "../../../../src/lake/delta/log-clean-up.js";
import type { ObjectEntry, ObjectStore } from "../../../../src/lake/store/object-store.js";

const DAY_MS = 86_400_000;

/** Only the commits after the older one of two checkpoints stay. */
export const NO_RETENTION: LogRetention = {
  days: 1,
  mostVersions: 0,
  mostBytes: 0,
  fewVersions: 0,
  fewBytes: 0,
};

function versionFile(version: number, rest: string): string {
  return `${String(version).padStart(20, "0")}.${rest}`;
}

/** An entry of a log's listing. */
export function commitEntry(version: number, day = 0, size = 1_000): ObjectEntry {
  return entry(versionFile(version, "json"), day, size);
}

export function checkpointEntry(version: number, { size = 10_000, part = "" } = {}): ObjectEntry {
  return entry(versionFile(version, `checkpoint${part}.parquet`), 0, size);
}

function entry(name: string, day: number, size: number): ObjectEntry {
  return { key: `t/_delta_log/${name}`, size, modifiedAt: new Date(day * DAY_MS + 5) };
}

/** The names in a table's log, without their zeros: `12.json`, `10.checkpoint.parquet`. */
export async function logNames(store: ObjectStore, table: string): Promise<string[]> {
  const entries = await store.list(`${table}/_delta_log/`);
  return entries.map(({ key }) => key.replace(/^.*\/0*(?=[\d_])/, ""));
}
