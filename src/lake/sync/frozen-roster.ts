import { leftOf } from "../../domain/run.js";
import { type RosterRow, rosterRows, rosterText } from "../../domain/sync/roster.js";
import { wholeDocument } from "../staging.js";
import { StagingLostError } from "../staging-lost-error.js";
import type { ObjectStore } from "../store/object-store.js";

export const GROUP_SIZE = 1_000;

function rosterKey(runId: string, group: number): string {
  return `_staging/${runId}/roster/${group}.jsonl`;
}

/** Stages the rows of a roster durably, one file per group: later changes of the roster belong to the next run. */
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

/** Keeps the frozen roster of a run that was cut short, for a retry; does nothing where it is gone or torn. */
export async function keepRoster(store: ObjectStore, runId: string): Promise<void> {
  const rows = await wholeRoster(store, runId).catch((error: unknown) => {
    if (error instanceof StagingLostError) return [];
    throw error;
  });
  if (rows.length > 0) await freezeRoster(store, leftOf(runId), rows);
}

/** Reads a frozen roster as far as it is there; none if it is gone. @throws StagingLostError where it is torn. */
export async function wholeRoster(store: ObjectStore, runId: string): Promise<RosterRow[]> {
  const rows: RosterRow[] = [];
  for (let group = 0; ; group += 1) {
    const key = rosterKey(runId, group);
    const text = await store.get(key);
    if (text === undefined) return rows;
    for (const row of wholeDocument(key, () => rosterRows(text.toString("utf8")))) rows.push(row);
  }
}

/**
 * Reads users `[from, to)` of a run, as they were frozen.
 *
 * @param groupSize users in one file
 * @throws StagingLostError
 */
export async function frozenUsers(
  store: ObjectStore,
  runId: string,
  groupSize: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<RosterRow[]> {
  const users: RosterRow[] = [];
  for (let group = Math.floor(from / groupSize); group * groupSize < to; group += 1) {
    const key = rosterKey(runId, group);
    const text = await store.get(key);
    if (text === undefined) throw new StagingLostError(key, "gone from the lake's staging area");
    const first = group * groupSize;
    const rows = wholeDocument(key, () => rosterRows(text.toString("utf8")));
    users.push(...rows.slice(Math.max(0, from - first), to - first));
  }
  return users;
}

/** Selects those of some users that a run's frozen roster names; none if its staging is gone. */
export async function usersInRoster(
  store: ObjectStore,
  runId: string,
  users: ReadonlySet<string>,
): Promise<Set<string>> {
  const named = (await wholeRoster(store, runId)).map(({ fp_id }) => fp_id);
  return new Set(named.filter((user) => users.has(user)));
}
