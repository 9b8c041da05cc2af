import { StagingLostError } from "../../../domain/failures.js";
import type { RosterRow } from "../../../domain/sync/job.js";
import type { Link, Recorded } from "../../../domain/sync/link.js";
import { journalFolder, type Place } from "../../../domain/sync/place.js";
import type { ReadSliceInput } from "../../../domain/sync/run/slice-work.js";
import { freshUser, type UserProgress } from "../../../domain/sync/user-reading.js";
import type { Snapshot } from "../../../lake/delta/delta-snapshot.js";
import type { ObjectStore } from "../../../lake/store/object-store.js";
import { frozenGroup } from "../../../lake/sync/frozen-roster.js";
import { type LostAttempts, lostAttempts, readValue } from "../../../lake/sync/journal/journal.js";
import { type SliceReport, withRecords } from "../../../lake/sync/journal/report.js";
import { transactionChanges } from "../../../lake/tables/transactions.js";
import { isRepeated } from "../../slice.js";
import type { SyncDependencies } from "../dependencies.js";

export interface BegunUser {
  readonly row: RosterRow;
  readonly progress: UserProgress;
}

/** What a slice works on, with its records and rows of the frozen roster. */
export interface GivenWork {
  readonly links: (Link & Recorded)[];
  readonly waiting: (Recorded & { readonly link: Place })[];
  readonly users: BegunUser[];
  readonly fresh: BegunUser[];
  /** Pages that lost attempts of this slice staged. */
  readonly lost: LostAttempts;
  readonly feed: Snapshot;
  /** Histories of streams that are read by windows. */
  readonly windowed: ReadonlyMap<string, Snapshot>;
}

/** @throws StagingLostError */
export async function sliceInput(
  { lake, streams }: SyncDependencies,
  input: ReadSliceInput,
): Promise<GivenWork> {
  const { store } = lake;
  const { runId } = input;
  const waiting: { link: Place }[] = [];
  for (const { report, from, to } of input.waiting) {
    const places = (await readValue<SliceReport>(store, runId, report)).waiting.slice(from, to);
    waiting.push(...places.map((link) => ({ link })));
  }
  const { from, to } = input.fresh ?? { from: 0, to: 0 };
  const fresh = Array.from({ length: to - from }, (_, index) => freshUser(from + index));
  const users = await withRows(store, input, [...input.users, ...fresh]);
  const windowed = new Map<string, Snapshot>();
  for (const { name, table, windowed: isWindowed } of streams) {
    if (isWindowed && input.streams.includes(name)) {
      windowed.set(name, await lake.table(table.name).snapshot());
    }
  }
  const folders = [journalFolder(input.slice, "begun"), journalFolder(input.slice, "continued")];
  return {
    links: await withRecords(store, runId, input.links),
    waiting: await withRecords(store, runId, waiting),
    users: users.splice(0, input.users.length),
    fresh: users,
    lost: isRepeated() ? await lostAttempts(store, runId, folders) : new Map(),
    feed: await lake.table(transactionChanges.name).snapshot(),
    windowed,
  };
}

/** Reads each file of the roster once. */
async function withRows(
  store: ObjectStore,
  { runId, groupSize }: ReadSliceInput,
  users: readonly UserProgress[],
): Promise<BegunUser[]> {
  const groups = new Map<number, readonly RosterRow[]>();
  const begun: BegunUser[] = [];
  for (const progress of users) {
    const group = Math.floor(progress.user / groupSize);
    const rows = groups.get(group) ?? (await frozenGroup(store, runId, group));
    groups.set(group, rows);
    const row = rows[progress.user % groupSize];
    if (row === undefined) throw new StagingLostError(`user ${progress.user} of the frozen roster`, "torn");
    begun.push({ row, progress });
  }
  return begun;
}
