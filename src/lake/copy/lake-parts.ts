import { hash, randomUUID } from "node:crypto";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { InputError } from "../../domain/failures.js";
import { lastCheckpointKey, logPrefix, versionOfCommit } from "../delta/delta-path.js";
import { BINDING_KEY, COPY_KEY } from "../service-binding.js";
import { fileSha256 } from "../store/local/local-store-files.js";
import { type ObjectEntry, type ObjectStore, RANDOM_ID } from "../store/object-store.js";

/** What the lake is. */
const ABOUT = "_nightledger";
const STAGING = "_staging";
/** Of use to nobody but the process, or the workflow, that wrote it. */
const OF_ONE_PLACE = /^_staging\/(scratch|sync-[^/]*(?<!-failed))\/|^_nightledger\/probes\//;
const AT_ONCE = 8;
const ATTEMPTS = 5;

/**
 * The reverse of the order in which a run commits: no copy then mentions what another one lacks
 * (docs/inside/rules.md, "Copies of a lake").
 */
const ORDER = [
  "runs",
  "quarantine_resolutions",
  "transactions",
  "link_syncs",
  "transaction_changes",
  "quarantine",
  "accounts_current",
  "bank_links_current",
  "accounts",
  "bank_links",
];

/** Takes an object, and says whether it was there already, or is gone since it was listed. */
export type TakeObject = (entry: ObjectEntry) => Promise<"taken" | "kept" | "gone">;

/** A table, or another folder of the lake, with all of its objects taken. */
interface LakePart {
  readonly folder: string;
  readonly entries: readonly ObjectEntry[];
  readonly kept: number;
}

/** Whether an object says which lake it is. */
export function isAboutLake(key: string): boolean {
  return key.startsWith(`${ABOUT}/`);
}

/** How much was taken of one folder. */
export interface TakenFolder {
  readonly folder: string;
  readonly objects: number;
  readonly bytes: number;
  /** Of these, how many were there already. */
  readonly kept: number;
}

export function amountOf({ folder, entries, kept }: LakePart): TakenFolder {
  return { folder, objects: entries.length, bytes: entries.reduce((sum, { size }) => sum + size, 0), kept };
}

/** Whether an object's key never has other bytes: a data file of a table. */
export function neverChanges(key: string): boolean {
  return !key.startsWith("_") && !key.includes("/_delta_log/") && RANDOM_ID.test(key);
}

/**
 * Takes everything that a lake holds but what says which lake it is, while runs go on. What waits comes first: a step leaves
 * the staging area only once the tables have what came of it. @throws InputError where a table changes too fast
 */
export async function* lakeParts(from: ObjectStore, take: TakeObject): AsyncGenerator<LakePart> {
  const folders = (await from.folders("")).filter((name) => !name.startsWith("."));
  const tables = folders.filter((name) => !name.startsWith("_"));
  const others = folders.filter((name) => name.startsWith("_") && name !== ABOUT && name !== STAGING);
  const first = ORDER.filter((name) => tables.includes(name));
  if (folders.includes(STAGING)) yield staging(from, take);
  for (const folder of [...first, ...tables.filter((name) => !ORDER.includes(name)), ...others])
    yield wholeFolder(from, folder, take);
}

/** Takes what says which lake it is, except its binding. */
export async function aboutLake(from: ObjectStore, take: TakeObject): Promise<LakePart> {
  const found = await listed(from, ABOUT);
  const wanted = found.filter(({ key }) => key !== BINDING_KEY && key !== COPY_KEY);
  const { kept, gone } = await takeAll(wanted, take);
  return { folder: ABOUT, entries: wanted.filter((entry) => !gone.includes(entry)), kept };
}

/** Takes a table as its log was listed, or another folder; again where something went, or the log lacked a version. */
async function wholeFolder(from: ObjectStore, folder: string, take: TakeObject): Promise<LakePart> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    // Taken before the log is listed, it names a checkpoint that is listed.
    const hint = await from.stat(lastCheckpointKey(folder));
    const hints = hint === undefined || (await take(hint)) === "gone" ? [] : [hint];
    const log = (await from.list(logPrefix(folder))).filter(({ key }) => key !== lastCheckpointKey(folder));
    const files = (await listed(from, folder)).filter(({ key }) => !key.startsWith(logPrefix(folder)));
    const { kept, gone } = await takeAll([...log, ...files], take);
    if (gone.length === 0 && !hasGap(log)) return { folder, entries: [...hints, ...log, ...files], kept };
  }
  throw new InputError(
    `${folder} of ${from.address} changes faster than it can be copied. End what runs there, and run the same command again.`,
  );
}

/** Whether a commit is missing between others: a listing may lack one that is written at the same time. */
function hasGap(log: readonly ObjectEntry[]): boolean {
  const versions = log.flatMap(({ key }) => versionOfCommit(key) ?? []);
  return versions.some((version, at) => at > 0 && version !== (versions[at - 1] ?? 0) + 1);
}

/**
 * Takes what waits, as it was listed, and what has replaced some of it since. Plans come last: while a plan is there, so are
 * the answers that were made by it. What is new after some rounds began after the copy did.
 */
async function staging(from: ObjectStore, take: TakeObject): Promise<LakePart> {
  const taken = new Map<string, ObjectEntry>();
  let wanted = await listed(from, STAGING);
  let kept = 0;
  for (let round = 1; round <= ATTEMPTS && wanted.length > 0; round += 1) {
    const isPlan = ({ key }: ObjectEntry) => key.includes("/plans/");
    for (const some of [wanted.filter((entry) => !isPlan(entry)), wanted.filter(isPlan)]) {
      const result = await takeAll(some, take);
      for (const entry of some) taken.set(entry.key, entry);
      for (const { key } of result.gone) taken.delete(key);
      kept += result.kept;
    }
    const now = await listed(from, STAGING);
    const left = new Set(now.map(({ key }) => key));
    const gone = [...wanted.map(({ key }) => key), ...taken.keys()].filter((key) => !left.has(key));
    const changed = new Set(gone.map(stateOf));
    wanted = now.filter(({ key }) => !taken.has(key) && changed.has(stateOf(key)));
  }
  return { folder: STAGING, entries: [...taken.values()], kept };
}

/** What is replaced together: a call, or all that a folder of few objects holds. */
function stateOf(key: string): string {
  const parts = key.split("/");
  return parts.length > 4 ? dirname(key) : parts.slice(0, 2).join("/");
}

async function listed(from: ObjectStore, folder: string): Promise<ObjectEntry[]> {
  return (await from.list(`${folder}/`)).filter(({ key }) => !OF_ONE_PLACE.test(key));
}

async function takeAll(entries: readonly ObjectEntry[], take: TakeObject) {
  const gone: ObjectEntry[] = [];
  let kept = 0;
  await mapConcurrent(AT_ONCE, entries, async (entry) => {
    const result = await take(entry);
    if (result === "gone") gone.push(entry);
    if (result === "kept") kept += 1;
  });
  return { kept, gone };
}

/** Larger objects go through a file. */
const IN_MEMORY_BYTES = 1024 * 1024;

/** Fetches an object: its size, hash, and how to write it durably to a store, or drop it; undefined where it has been deleted since it was listed. */
export async function fetchObject(
  from: ObjectStore,
  { key, size }: Pick<ObjectEntry, "key" | "size">,
  scratch: string,
) {
  if (size <= IN_MEMORY_BYTES) {
    const body = await from.get(key);
    return (
      body && {
        size: body.length,
        sha256: async () => hash("sha256", body),
        put: (to: ObjectStore, as: string) => to.put(as, body, { durable: true }),
        drop: async () => undefined,
      }
    );
  }
  const localPath = join(scratch, randomUUID());
  if (!(await from.getFile(key, localPath))) return undefined;
  return {
    size: (await stat(localPath)).size,
    sha256: () => fileSha256(localPath),
    async put(to: ObjectStore, as: string) {
      if ((await to.stat(as)) !== undefined) await to.delete(as);
      await to.uploadAll([{ localPath, key: as }]);
    },
    drop: () => rm(localPath, { force: true }),
  };
}

/** Works with a directory for what is on its way. */
export async function withScratch<R>(work: (scratch: string) => Promise<R>): Promise<R> {
  const scratch = await mkdtemp(join(tmpdir(), "nightledger-copy-"));
  try {
    return await work(scratch);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
