import { expect } from "vitest";
import { writeCheckpoint } from "../../../../src/lake/delta/checkpoint.js";
import type { Snapshot } from "../../../../src/lake/delta/delta-snapshot.js";
import { openTable } from "../../../../src/lake/delta/delta-table.js";
import type { ObjectStore } from "../../../../src/lake/store/object-store.js";
import type { TestLake } from "../delta-lake.js";
import { counting, NO_CHECKPOINTS } from "./counted-actions.js";
import { logNames } from "./log-entries.js";

/** Holds a state against what commits of `counting` make of a table; gives its version. */
export function expectCounted({ version, domains }: Snapshot): number {
  const expected: Record<string, string> = {};
  for (let at = 0; at <= version; at += 1) {
    Object.assign(expected, { count: `${at}`, [`link-${at % 7}`]: `of ${at}` });
  }
  expect(Object.fromEntries(domains)).toEqual(expected);
  return version;
}

/** Reads a table from its log alone and holds it against its commits of `counting`. */
export async function readCounted(lake: TestLake, table: string, store = lake.store): Promise<number> {
  return expectCounted(await openTable(store, table, lake.duckdb).snapshot());
}

/** Makes a table as an older release left it: a checkpoint after each second version, and all commits. */
export async function makeOldTable(lake: TestLake, table: string, versions: number): Promise<void> {
  const old = openTable(lake.store, table, lake.duckdb, NO_CHECKPOINTS);
  for (let version = 0; version < versions; version += 1) {
    await old.commit(counting);
    if (version % 2 === 0) await writeCheckpoint({ ...lake, table }, await old.snapshot());
  }
}

/** Holds a log against what its readers need: one run of commits, and the checkpoint that is named, within it. */
export async function expectWholeLog(store: ObjectStore, table: string): Promise<void> {
  const names = await logNames(store, table);
  const commits = names.filter((name) => /^\d+\.json$/.test(name)).map((name) => Number.parseInt(name, 10));
  const [first = 0] = commits;
  expect(commits).toEqual(commits.map((_, at) => first + at));
  const hint = await store.get(`${table}/_delta_log/_last_checkpoint`);
  const { version } = JSON.parse(String(hint)) as { version: number };
  expect(names).toContain(`${version}.checkpoint.parquet`);
  expect(first).toBeLessThanOrEqual(version + 1);
}
