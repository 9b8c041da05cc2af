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
  const found = new Set<string>();
  for (let group = 0; found.size < users.size; group += 1) {
    const text = await store.get(rosterKey(runId, group));
    if (text === undefined) break;
    for (const { fp_id } of rosterRows(text.toString("utf8"))) {
      if (users.has(fp_id)) found.add(fp_id);
    }
  }
  return found;
}
