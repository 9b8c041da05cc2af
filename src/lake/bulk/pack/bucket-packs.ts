import { randomUUID } from "node:crypto";
import { mkdir, mkdtemp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { InputError, StagingLostError } from "../../../domain/failures.js";
import type { ObjectStore } from "../../store/object-store.js";
import { PROOF } from "./manifest.js";
import type { PackPlace } from "./pack-place.js";
import { readSums, sumsOf } from "./verify-pack.js";

const AT_ONCE = 8;

/**
 * Packs in a store that renames nothing. An attempt stages its files by hash; the first to write `SHA256SUMS` decides
 * the pack, and all others put the same bytes in place, `manifest.json` last: a pack without it is not there
 * (docs/inside/rules.md, "A lake in a bucket").
 */
export function bucketPacks(store: ObjectStore, prefix: string): PackPlace {
  const keyOf = (id: string, path: string) => `${prefix}${id}/${path}`;
  const stagedKey = (id: string, sha256: string) => `_staging/${id}/pack/${sha256}`;
  const addressOf = (id: string) => `${store.address}/${prefix}${id}`;
  const isThere = async (id: string) => (await store.stat(keyOf(id, PROOF.manifest))) !== undefined;

  /** @param written the pack's files in this process */
  async function settle(id: string, scratch: string, written?: Sums): Promise<boolean> {
    if (await isThere(id)) return true;
    const text = (await store.get(keyOf(id, PROOF.sums)))?.toString("utf8");
    if (text === undefined) return false;
    async function put([path, sha256]: readonly [string, string]): Promise<void> {
      let file = join(scratch, path);
      if (text !== written?.text) {
        file = join(scratch, randomUUID());
        if (!(await store.getFile(stagedKey(id, sha256), file)))
          throw new StagingLostError(`${path} of ${addressOf(id)}`, "gone from the lake's staging area");
      }
      await store.putFile(keyOf(id, path), file);
    }
    const files = sumsOf(text);
    const last = files.get(PROOF.manifest) ?? "";
    files.delete(PROOF.manifest);
    await mapConcurrent(AT_ONCE, [...files], put);
    await put([PROOF.manifest, last]);
    return true;
  }

  return {
    addressOf,
    isThere,
    names: () => store.folders(prefix),
    async read(id, scratch, paths) {
      const start = keyOf(id, "");
      const found = paths ?? (await store.list(start)).map(({ key }) => key.slice(start.length));
      if (found.length === 0) throw new InputError(`there is no pack ${addressOf(id)}. Nothing was read.`);
      await mapConcurrent(AT_ONCE, found, async (path) => {
        const file = join(scratch, id, path);
        await mkdir(dirname(file), { recursive: true, mode: 0o700 });
        await store.getFile(keyOf(id, path), file);
      });
      return join(scratch, id);
    },
    begin: (_, scratch) => mkdtemp(join(scratch, "pack-")),
    async publish(id, directory) {
      const sums = await readSums(directory);
      await mapConcurrent(AT_ONCE, [...sums.byPath], ([path, sha256]) =>
        store.putFile(stagedKey(id, sha256), join(directory, path)),
      );
      await store.putIfAbsent(keyOf(id, PROOF.sums), sums.text);
      await settle(id, directory, sums);
    },
    resume: settle,
  };
}

type Sums = Awaited<ReturnType<typeof readSums>>;
