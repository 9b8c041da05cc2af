import { randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { InputError } from "../../domain/failures.js";
import { jsonObjectOf } from "../../domain/json/value.js";
import { lastCheckpointKey, logPrefix, versionOfCommit } from "../delta/delta-path.js";
import { BINDING_KEY, bindAs, COPY_KEY, readBinding, type ServiceBinding } from "../service-binding.js";
import type { ObjectEntry, ObjectStore } from "../store/object-store.js";

/** What the lake is: copied last, and its binding last of all. */
const ABOUT = "_nightledger";
const SCRATCH = "_staging/scratch/";
const AT_ONCE = 8;
/** Larger objects go through a file. */
const IN_MEMORY_BYTES = 1024 * 1024;
const ATTEMPTS = 5;

/**
 * The reverse of the order in which a run commits: no copy then mentions what another one lacks
 * (docs/run/operate.md, "Backups").
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

/** What was copied of one table, or of another folder of the lake. */
export interface CopiedFolder {
  readonly folder: string;
  readonly objects: number;
  readonly bytes: number;
  /** Of these, how many were there already, from a copy that did not end. */
  readonly kept: number;
}

/**
 * Copies a lake to a place where none is. A copy that was cut short is continued. The new lake takes no job before
 * {@link endCopy}.
 *
 * @throws InputError where there is no lake, where the place is taken, or where its store can't be relied on
 */
export async function copyLake(
  from: ObjectStore,
  to: ObjectStore,
  tell: (copied: CopiedFolder) => void,
): Promise<ServiceBinding> {
  const binding = await readBinding(from);
  if (binding === undefined)
    throw new InputError(`${from.address} is no lake: no job has bound it to a service. Nothing was copied.`);
  await claim(to, from, binding);
  const folders = (await from.folders("")).filter((name) => !name.startsWith("."));
  const tables = folders.filter((name) => !name.startsWith("_"));
  const ordered = [
    ...ORDER.filter((name) => tables.includes(name)),
    ...tables.filter((name) => !ORDER.includes(name)),
  ];
  for (const table of ordered) tell(await copyTable(from, to, table));
  for (const folder of folders.filter((name) => name.startsWith("_") && name !== ABOUT)) {
    const found = await from.list(`${folder}/`);
    const entries = found.filter(({ key }) => !key.startsWith(SCRATCH));
    tell((await copyAll(from, to, folder, entries)).copied);
  }
  return binding;
}

/** Makes the copy a lake that jobs may use, under the id of the first one. */
export async function endCopy(from: ObjectStore, to: ObjectStore, binding: ServiceBinding): Promise<void> {
  const about = await from.list(`${ABOUT}/`);
  await copyAll(
    from,
    to,
    ABOUT,
    about.filter(({ key }) => key !== BINDING_KEY),
  );
  await bindAs(to, binding);
  await to.delete(COPY_KEY);
}

/** Takes the place, unless it holds anything but a part of the same copy. */
async function claim(to: ObjectStore, from: ObjectStore, { lake }: ServiceBinding): Promise<void> {
  const taken = (why: string) =>
    new InputError(`${to.address} ${why}. Nothing was copied. Name a place where nothing is.`);
  if ((await readBinding(to)) !== undefined) throw taken("is a lake already");
  const begun = await to.get(COPY_KEY);
  if (begun === undefined && (await to.list("")).length > 0) throw taken("is not empty");
  if (begun !== undefined && jsonObjectOf(begun.toString("utf8"))?.lake !== lake)
    throw taken("has a part of another lake");
  await to.checkCommits();
  await to.put(COPY_KEY, JSON.stringify({ lake, from: from.address }), { durable: true });
}

/** Copies a table as its log was listed; again where the log was cleaned up, or lacked a version, meanwhile. */
async function copyTable(from: ObjectStore, to: ObjectStore, table: string): Promise<CopiedFolder> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const hint = await from.get(lastCheckpointKey(table));
    const log = (await from.list(logPrefix(table))).filter(({ key }) => key !== lastCheckpointKey(table));
    const files = (await from.list(`${table}/`)).filter(({ key }) => !key.startsWith(logPrefix(table)));
    const { copied, gone } = await copyAll(from, to, table, [...files, ...log]);
    if (gone > 0 || hasGap(log)) continue;
    if (hint !== undefined) await to.put(lastCheckpointKey(table), hint, { durable: true });
    return copied;
  }
  throw new InputError(
    `The table ${table} of ${from.address} changes faster than it can be copied. End what runs there, and run the same command again.`,
  );
}

/** Whether a commit is missing between others: a listing may lack one that is written at the same time. */
function hasGap(log: readonly ObjectEntry[]): boolean {
  const versions = log.flatMap(({ key }) => versionOfCommit(key) ?? []);
  return versions.some((version, at) => at > 0 && version !== (versions[at - 1] ?? 0) + 1);
}

/** Copies objects, and counts those that were deleted since they were listed. Those of a table never change, so that one of the same size is there already. */
async function copyAll(
  from: ObjectStore,
  to: ObjectStore,
  folder: string,
  entries: readonly ObjectEntry[],
): Promise<{ readonly copied: CopiedFolder; readonly gone: number }> {
  const there = new Map((await to.list(`${folder}/`)).map(({ key, size }) => [key, size]));
  const isTable = !folder.startsWith("_");
  const scratch = await mkdtemp(join(tmpdir(), "nightledger-copy-"));
  let [kept, gone] = [0, 0];
  try {
    await mapConcurrent(AT_ONCE, entries, async ({ key, size }) => {
      if (isTable && there.get(key) === size) kept += 1;
      else if (!(await copyObject({ from, to, key, size, scratch, isThere: there.has(key) }))) gone += 1;
    });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
  const bytes = entries.reduce((sum, { size }) => sum + size, 0);
  return { copied: { folder, objects: entries.length, bytes, kept }, gone };
}

/** Copies an object; false where it has been deleted since it was listed. */
async function copyObject(one: {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  readonly key: string;
  readonly size: number;
  readonly scratch: string;
  readonly isThere: boolean;
}): Promise<boolean> {
  const { from, to, key, size, scratch, isThere } = one;
  if (size <= IN_MEMORY_BYTES) {
    const body = await from.get(key);
    if (body !== undefined) await to.put(key, body, { durable: true });
    return body !== undefined;
  }
  const localPath = join(scratch, randomUUID());
  try {
    await copyFile(await from.download(key), localPath);
  } catch (error) {
    if ((await from.stat(key)) === undefined) return false;
    throw error;
  }
  if (isThere) await to.delete(key);
  await to.uploadAll([{ localPath, key }]);
  return true;
}
