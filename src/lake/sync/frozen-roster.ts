import { StagingLostError } from "../../domain/failures.js";
import { leftOf } from "../../domain/run.js";
import { type RosterRow, rosterRows, rosterText } from "../../domain/sync/job.js";
import { wholeDocument } from "../staging.js";
import type { ObjectStore } from "../store/object-store.js";
import { recentReads } from "../store/sealed-rows.js";

export const GROUP_SIZE = 1_000;

/** The slices under way read the same few. */
const GROUPS_KEPT = 8;
const kept = new WeakMap<ObjectStore, ReturnType<typeof recentReads<RosterRow[]>>>();

function rosterKey(runId: string, group: number): string {
  return `_staging/${runId}/roster/${group}.jsonl`;
}

/** Stages a roster durably, one file per group: later changes belong to the next run. */
export async function freezeRoster(
  store: ObjectStore,
  runId: string,
  rows: readonly RosterRow[],
): Promise<void> {
  const keys: string[] = [];
  for (let group = 0; group * GROUP_SIZE < rows.length; group += 1) {
    const part = rows.slice(group * GROUP_SIZE, (group + 1) * GROUP_SIZE);
    const key = rosterKey(runId, group);
    await store.put(key, rosterText(part));
    keys.push(key);
  }
  await store.persist(keys);
}

/** Keeps the roster of a run that was cut short, for a retry; nothing where it is gone or torn. */
export async function keepRoster(store: ObjectStore, runId: string): Promise<void> {
  const rows = await wholeRoster(store, runId).catch((error: unknown) => {
    if (error instanceof StagingLostError) return [];
    throw error;
  });
  if (rows.length > 0) await freezeRoster(store, leftOf(runId), rows);
}

/** Reads a roster; none if it is gone. @throws StagingLostError where it is torn */
export async function wholeRoster(store: ObjectStore, runId: string): Promise<RosterRow[]> {
  const rows: RosterRow[] = [];
  for (let group = 0; ; group += 1) {
    const found = await findGroup(store, runId, group);
    if (found === undefined) return rows;
    for (const row of found) rows.push(row);
  }
}

/** Reads a group of a run that has begun: it does not change any more. @throws StagingLostError */
export async function frozenGroup(
  store: ObjectStore,
  runId: string,
  group: number,
): Promise<readonly RosterRow[]> {
  const groups = kept.get(store) ?? recentReads<RosterRow[]>(GROUPS_KEPT);
  kept.set(store, groups);
  const key = rosterKey(runId, group);
  return groups(key, async () => {
    const found = await findGroup(store, runId, group);
    if (found !== undefined) return found;
    throw new StagingLostError(key, "gone from the lake's staging area");
  });
}

async function findGroup(store: ObjectStore, runId: string, group: number): Promise<RosterRow[] | undefined> {
  const key = rosterKey(runId, group);
  const text = await store.get(key);
  return text && wholeDocument(key, () => rosterRows(text.toString("utf8")));
}

/** Finds those of some users whom a run's roster names; none if its staging is gone. */
export async function usersInRoster(
  store: ObjectStore,
  runId: string,
  users: ReadonlySet<string>,
): Promise<Set<string>> {
  const named = (await wholeRoster(store, runId)).map(({ fp_id }) => fp_id);
  return new Set(named.filter((user) => users.has(user)));
}
