import { hash } from "node:crypto";
import { mapConcurrent } from "../../domain/concurrent-work.js";
import { DAY } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import { canonicalJson, jsonObjectOf } from "../../domain/json/value.js";
import type { ServiceBinding } from "../service-binding.js";
import type { ObjectStore } from "../store/object-store.js";

const SNAPSHOTS = "snapshots/";
/** Files of all snapshots of the place, by the hash of what they hold. */
const OBJECTS = "objects/";
const AT_ONCE = 8;

export interface SnapshotFile {
  readonly size: number;
  /** Hex. */
  readonly sha256: string;
}

/** What a snapshot has: everything that happened to the lake before its instant, and perhaps some of what came later. */
export interface SnapshotManifest {
  readonly instant: string;
  readonly binding: ServiceBinding;
  /** The version of each table. */
  readonly tables: Readonly<Record<string, number>>;
  /** By their keys in the lake. */
  readonly files: Readonly<Record<string, SnapshotFile>>;
}

/** A snapshot in its place. */
export interface Snapshot extends SnapshotManifest {
  /** `sha256:…`, over all of the manifest. */
  readonly root: string;
}

export function objectKey(sha256: string): string {
  return `${OBJECTS}${sha256.slice(0, 2)}/${sha256}`;
}

/** The sizes of the files that a place holds, by {@link objectKey}. */
export async function objectsIn(place: ObjectStore): Promise<Map<string, number>> {
  return new Map((await place.list(OBJECTS)).map(({ key, size }) => [key, size]));
}

/** The keys of a place's snapshots, the oldest first. */
export async function snapshotKeys(place: ObjectStore): Promise<string[]> {
  return (await place.list(SNAPSHOTS)).map(({ key }) => key);
}

function rootOf(manifest: SnapshotManifest): string {
  return `sha256:${hash("sha256", canonicalJson(manifest))}`;
}

/** Writes a snapshot's manifest, which makes it one. Returns its root. */
export async function putSnapshot(place: ObjectStore, manifest: SnapshotManifest): Promise<string> {
  const root = rootOf(manifest);
  const key = `${SNAPSHOTS}${manifest.instant.replace(/[-:.]/g, "")}.json`;
  if (await place.putIfAbsent(key, `${JSON.stringify({ root, ...manifest })}\n`)) return root;
  throw new InputError(`${place.address} has a snapshot of ${manifest.instant} already. Take another one.`);
}

/** Reads a snapshot's manifest. @throws InputError where it is not what was written */
export async function readSnapshot(place: ObjectStore, key: string): Promise<Snapshot> {
  const text = (await place.get(key))?.toString("utf8") ?? "";
  const { root, ...manifest } = (jsonObjectOf(text) ?? {}) as unknown as Snapshot;
  if (root !== undefined && rootOf(manifest) === root) return { root, ...manifest };
  throw new InputError(
    `${key} in ${place.address} is not what was written: its root does not fit. Nothing was taken, restored or deleted. ` +
      "Bring the file back from a copy, or delete it and use another snapshot (--root).",
  );
}

/** Deletes all but the newest snapshots, and files of more than a day that none names. Returns how many snapshots went. */
export async function keepNewest(place: ObjectStore, keep: number): Promise<number> {
  const keys = await snapshotKeys(place);
  const named = new Set<string>();
  for (const key of keys.slice(-keep)) {
    const { files } = await readSnapshot(place, key);
    for (const { sha256 } of Object.values(files)) named.add(objectKey(sha256));
  }
  const old = keys.slice(0, -keep);
  for (const key of old) await place.delete(key);
  const objects = await place.list(OBJECTS);
  // A younger one may be of a snapshot that another command takes now.
  const before = Date.now() - DAY;
  const unnamed = objects.filter(({ key, modifiedAt }) => !named.has(key) && modifiedAt.getTime() < before);
  await mapConcurrent(AT_ONCE, unnamed, ({ key }) => place.delete(key));
  return old.length;
}
