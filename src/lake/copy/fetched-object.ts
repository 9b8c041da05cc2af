import { hash, randomUUID } from "node:crypto";
import { copyFile, mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileSha256 } from "../store/local/local-store-files.js";
import type { ObjectEntry, ObjectStore } from "../store/object-store.js";

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
  try {
    await copyFile(await from.download(key), localPath);
  } catch (error) {
    if ((await from.stat(key)) === undefined) return undefined;
    throw error;
  }
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
