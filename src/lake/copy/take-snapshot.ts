import { InputError } from "../../domain/failures.js";
import { jsonObjectOf } from "../../domain/json/value.js";
import { versionOfCheckpoint, versionOfCommit } from "../delta/delta-path.js";
import type { ObjectStore } from "../store/object-store.js";
import { bindingOf, claimPlace } from "./copy-lake.js";
import {
  aboutLake,
  amountOf,
  fetchObject,
  lakeParts,
  neverChanges,
  type TakenFolder,
  type TakeObject,
  withScratch,
} from "./lake-parts.js";
import {
  objectKey,
  objectsIn,
  putSnapshot,
  readSnapshot,
  type SnapshotFile,
  snapshotKeys,
} from "./snapshot.js";

/** Which files a snapshot that has not ended has copied. */
const UNFINISHED = "unfinished.json";
/** A snapshot that was cut short reads at most so much again. */
const NOTE_BYTES = 256 * 1024 * 1024;

type Files = Map<string, SnapshotFile>;

/**
 * Takes a snapshot of a lake while runs go on. Only what the place lacks is written, the manifest last; with `lookOnly` nothing.
 * @throws InputError where there is no lake, or where the place is taken
 */
export async function takeSnapshot(
  from: ObjectStore,
  to: ObjectStore,
  tell: (taken: TakenFolder) => void,
  lookOnly = false,
) {
  const binding = await bindingOf(from);
  await claimPlace(to, { lake: binding.lake, from: from.address, of: "snapshots" }, lookOnly);
  const instant = new Date().toISOString();
  const [known, there, taken] = [await knownFiles(to), await objectsIn(to), new Map() as Files];
  let unnoted = 0;
  const note = async (size: number) => {
    unnoted += size;
    if (unnoted < NOTE_BYTES) return;
    unnoted = 0;
    const stay = [...known, ...taken].filter(([key]) => neverChanges(key));
    await to.put(UNFINISHED, JSON.stringify(Object.fromEntries(stay)), { durable: true });
  };
  const files: Record<string, SnapshotFile> = {};
  const amount = { objects: 0, bytes: 0, kept: 0 };
  await withScratch(async (scratch) => {
    const take: TakeObject = async (entry) => {
      const { key, size } = entry;
      const before = neverChanges(key) ? known.get(key) : undefined;
      if (before?.size === size && there.get(objectKey(before.sha256)) === size) {
        taken.set(key, before);
        return "kept";
      }
      if (lookOnly) return "taken";
      const fetched = await fetchObject(from, entry, scratch);
      if (fetched === undefined) return "gone";
      const file = { size: fetched.size, sha256: await fetched.sha256() };
      const as = objectKey(file.sha256);
      taken.set(key, file);
      const isThere = there.get(as) === file.size;
      there.set(as, file.size);
      await (isThere ? fetched.drop() : fetched.put(to, as));
      await note(file.size);
      return isThere ? "kept" : "taken";
    };
    const add = (part: Parameters<typeof amountOf>[0]) => {
      const of = amountOf(part);
      amount.objects += of.objects;
      amount.bytes += of.bytes;
      amount.kept += of.kept;
      for (const { key } of part.entries) files[key] = taken.get(key) as SnapshotFile;
      tell(of);
    };
    for await (const part of lakeParts(from, take)) add(part);
    add(await aboutLake(from, take));
  });
  const manifest = { instant, binding, tables: versionsOf(Object.keys(files)), files };
  if (lookOnly) return { ...manifest, root: null, amount };
  const now = await objectsIn(to);
  if (Object.values(files).some(({ sha256 }) => !now.has(objectKey(sha256))))
    throw new InputError(
      `Files went from ${to.address} while the snapshot was taken, so it is none. Take one at a time, and run the same command again.`,
    );
  const root = await putSnapshot(to, manifest);
  await to.delete(UNFINISHED);
  return { ...manifest, root, amount };
}

/** What the newest snapshot, and one that was cut short, know of the lake's files. */
async function knownFiles(place: ObjectStore): Promise<Files> {
  const newest = (await snapshotKeys(place)).at(-1);
  const { files = {} } = newest === undefined ? {} : await readSnapshot(place, newest);
  const unfinished = jsonObjectOf((await place.get(UNFINISHED))?.toString("utf8") ?? "") ?? {};
  return new Map(Object.entries({ ...files, ...unfinished } as Record<string, SnapshotFile>));
}

/** The version of each table whose log is among the files. */
function versionsOf(keys: readonly string[]): Record<string, number> {
  const versions: Record<string, number> = {};
  for (const key of keys.toSorted()) {
    const version = versionOfCommit(key) ?? versionOfCheckpoint(key)?.version;
    const table = key.split("/", 1)[0] as string;
    if (version !== undefined && !key.startsWith("_"))
      versions[table] = Math.max(versions[table] ?? 0, version);
  }
  return versions;
}
