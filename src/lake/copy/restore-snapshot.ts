import { mapConcurrent } from "../../domain/concurrent-work.js";
import { InputError } from "../../domain/failures.js";
import { RESTORED_KEY } from "../service-binding.js";
import type { ObjectStore } from "../store/object-store.js";
import { bindCopy, claimPlace } from "./copy-lake.js";
import { fetchObject, withScratch } from "./lake-parts.js";
import { objectKey, readSnapshot, type Snapshot, type SnapshotFile, snapshotKeys } from "./snapshot.js";

const AT_ONCE = 8;

/** Finds the newest snapshot of a place, or the one with a root. @throws InputError where there is none */
export async function findSnapshot(place: ObjectStore, root: string | undefined): Promise<Snapshot> {
  const keys = (await snapshotKeys(place)).toReversed();
  for (const key of keys) {
    try {
      const found = await readSnapshot(place, key);
      if (root === undefined || found.root === root) return found;
    } catch (error) {
      if (root === undefined || !(error instanceof InputError)) throw error;
    }
  }
  const which = root === undefined ? "whole snapshot" : `snapshot with the root ${root}`;
  throw new InputError(
    `${place.address} has no ${which}. Nothing was restored. \`nightledger lake snapshot --list ${place.address}\` shows what it has.`,
  );
}

/**
 * Restores a snapshot to a place where no lake is; jobs may use it once every byte is the one in the manifest.
 * @param lookOnly compare every byte of the snapshot, and write nothing
 * @throws InputError where the place is taken, or naming a file that is not what the manifest says
 */
export async function restoreSnapshot(
  from: ObjectStore,
  { root, instant, binding, files }: Snapshot,
  to: ObjectStore,
  lookOnly = false,
): Promise<void> {
  const there = new Map<string, number>();
  if (!lookOnly) {
    await claimPlace(to, { lake: binding.lake, from: from.address, of: root });
    for (const { key, size } of await to.list("")) there.set(key, size);
  }
  await withScratch(async (scratch) => {
    const isWhole = async (key: string, { size, sha256 }: SnapshotFile) => {
      if (there.get(key) !== size) return false;
      const fetched = await fetchObject(to, { key, size }, scratch);
      const found = await fetched?.sha256();
      await fetched?.drop();
      return found === sha256;
    };
    await mapConcurrent(AT_ONCE, Object.entries(files), async ([key, file]) => {
      if (await isWhole(key, file)) return;
      const as = objectKey(file.sha256);
      const fetched = await fetchObject(from, { key: as, size: file.size }, scratch).catch((error) => {
        throw error instanceof InputError
          ? unlike(from, key, file, `can't be read: ${error.message}`)
          : error;
      });
      if (fetched === undefined) throw unlike(from, key, file, "is missing");
      const found = await fetched.sha256();
      if (found !== file.sha256) throw unlike(from, key, file, `has ${fetched.size} bytes, sha256 ${found}`);
      await (lookOnly ? fetched.drop() : fetched.put(to, key));
    });
  });
  if (lookOnly) return;
  await to.put(RESTORED_KEY, JSON.stringify({ instant, root }), { durable: true });
  await bindCopy(to, binding);
}

function unlike(
  { address }: ObjectStore,
  key: string,
  { size, sha256 }: SnapshotFile,
  what: string,
): InputError {
  return new InputError(
    `${key}: the snapshot has ${size} bytes, sha256 ${sha256}, and ${objectKey(sha256)} in ${address} ${what}. ` +
      "No job can use what was restored. Bring that file back from a copy and run the same command again, or restore another snapshot (--root) to another place.",
  );
}
