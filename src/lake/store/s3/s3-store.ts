import { randomUUID } from "node:crypto";
import { rm, stat } from "node:fs/promises";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { InputError, UnreachableError } from "../../../domain/failures.js";
import { s3Address, s3Place } from "../../../domain/lake-address.js";
import { growFile, readRangeInPlace, readWhole } from "../local/local-store-files.js";
import { type GrowingObject, isKey, type ObjectStore, RANDOM_ID } from "../object-store.js";
import { ObjectCache, type ObjectCacheOptions } from "./object-cache.js";
import { S3Bucket } from "./s3-bucket.js";
import { BucketError } from "./s3-errors.js";

const UPLOADS_AT_ONCE = 8;
/** Readers of tables skip leading underscores. */
const PROBES = "_nightledger/probes/";

/**
 * An object store below a prefix of a bucket (docs/inside/rules.md, "A lake in a bucket"); acknowledged writes are
 * durable. Requests fail with {@link BucketError}.
 */
export function createS3Store(given: string, cached: ObjectCacheOptions, endpoint?: string): ObjectStore {
  const place = s3Place(given);
  if (place === undefined) throw new InputError(`${given} is not of the form s3://bucket/prefix.`);
  const address = s3Address(place);
  const bucket = new S3Bucket(place, endpoint);
  const cache = new ObjectCache(address, cached);
  const grown = new GrownObjects(bucket, cache);

  /** A file with an object's bytes; the cache has each version of one that changes. */
  async function fileOf(key: string): Promise<string | undefined> {
    const open = grown.pathOf(key);
    if (open !== undefined) return open;
    if (RANDOM_ID.test(key)) return copyOf(key, key);
    for (;;) {
      const found = await bucket.head(key);
      if (found === undefined) return undefined;
      const path = await copyOf(`${key}#${found.tag}`, key, found.tag);
      // Otherwise it was replaced in between.
      if (path !== undefined) return path;
    }
  }

  /** @throws UnreachableError where the bucket can't be used now; InputError for a person to act on */
  async function asked<T>(option: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (error) {
      if (!(error instanceof BucketError)) throw error;
      const message = `${option}${error.address.replace(/\/$/, "")} ${error.why}`;
      throw error.passes ? new UnreachableError(message) : new InputError(message);
    }
  }

  async function copyOf(name: string, key: string, tag?: string): Promise<string | undefined> {
    return (await cache.find(name)) ?? cache.add(name, (path) => bucket.fetch(key, path, tag));
  }

  async function tryRequests() {
    const probe = `${PROBES}${randomUUID()}`;
    const [claimed, parts] = [`${probe}-if-none-match`, `${probe}-parts`];
    try {
      const answers = [await bucket.putIfAbsent(claimed, "1"), await bucket.putIfAbsent(claimed, "2")];
      const isKept = String(await bucket.get(claimed)) === "1";
      if (answers[0] !== true || answers[1] !== false || !isKept)
        throw new InputError(
          `The store of ${address} overwrites an object although If-None-Match forbids it, so commits of two writers would ` +
            "replace each other. Nothing was started. Use a store that honours conditional writes, as Amazon S3 does.",
        );
      await bucket.put(claimed, "2");
      await bucket.tryParts(parts);
      await bucket.head(parts);
      await bucket.folders(PROBES);
      await bucket.delete(parts);
    } finally {
      await bucket.deleteAll([claimed, parts]);
    }
  }

  return {
    address,
    isThere: () => asked("", () => bucket.hasObjects()),
    async openness() {
      return `the policy of the bucket ${place.bucket} decides; encryption is the bucket's own`;
    },
    async checkWritable(option) {
      await asked(`${option}: `, () => bucket.hasObjects());
    },
    checkRequests: () => asked("", tryRequests),
    async get(key) {
      const open = grown.pathOf(key);
      return open === undefined ? bucket.get(key) : readWhole(open);
    },
    async getFile(key, localPath) {
      const found = await bucket.fetch(key, localPath);
      if (!found) await rm(localPath);
      return found;
    },
    async readRange(key, from, bytes) {
      const path = grown.pathOf(key) ?? (await copyOf(key, key));
      return path === undefined ? undefined : readRangeInPlace(path, from, bytes);
    },
    stat: (key) => bucket.head(key),
    async stats(keys) {
      // Files that a run adds to a table begin alike: one listing.
      const found = keys.length > 1 ? await bucket.firstEntries(commonStart(keys)) : undefined;
      return mapConcurrent(UPLOADS_AT_ONCE, keys, async (key) => found?.get(key) ?? bucket.head(key));
    },
    put: (key, body) => bucket.put(key, body),
    putFile: (key, localPath) => bucket.putFile(key, localPath),
    grow: (key) => grown.grow(key),
    putIfAbsent: (key, body) => bucket.putIfAbsent(key, body),
    async persist(keys) {
      await mapConcurrent(UPLOADS_AT_ONCE, keys, (key) => grown.send(key));
    },
    list: (prefix, startAfter = "") => bucket.list(prefix, startAfter),
    strangers: () => bucket.list("", "", (name) => !isKey(name)),
    folders: (prefix) => bucket.folders(prefix),
    async delete(key) {
      await bucket.delete(key);
      await cache.drop(key);
    },
    async deletePrefix(prefix, { folders } = {}) {
      // One listing is less than one for each folder.
      const below = folders?.map((name) => `${prefix}${name}/`) ?? [prefix];
      const found = (await bucket.list(prefix, "")).map(({ key }) => key);
      const keys = found.filter((key) => below.some((start) => key.startsWith(start)));
      await bucket.deleteAll(keys);
      for (const key of keys) await cache.drop(key);
    },
    // A partial upload is no object.
    async discardTemporary() {},
    async download(key) {
      const path = await fileOf(key);
      if (path !== undefined) return path;
      throw new InputError(
        `${bucket.addressOf(key)} is missing, though a table refers to it. Restore it from a backup of the lake.`,
      );
    },
    async uploadAll(files) {
      const sent: string[] = [];
      try {
        await mapConcurrent(UPLOADS_AT_ONCE, files, async ({ localPath, key }) => {
          if (!(await bucket.putFileIfAbsent(key, localPath)))
            throw new Error(
              `${bucket.addressOf(key)} is there already; objects of tables are never overwritten`,
            );
          sent.push(key);
        });
      } catch (error) {
        await bucket.deleteAll(sent).catch(() => undefined);
        throw error;
      }
      for (const { localPath, key } of files) {
        if (RANDOM_ID.test(key)) await cache.adopt(key, localPath).catch(() => undefined);
        await rm(localPath, { force: true });
      }
    },
  };
}

function commonStart(keys: readonly string[]): string {
  const sorted = keys.toSorted();
  const [first = "", last = ""] = [sorted[0], sorted.at(-1)];
  const differs = [...first].findIndex((letter, at) => letter !== last[at]);
  return differs === -1 ? first : first.slice(0, differs);
}

interface Grown {
  readonly path: string;
  /** Bytes in the bucket. */
  sent: number;
}

/** Objects that grow: a file, sent whole when made durable or closed. */
class GrownObjects {
  readonly #open = new Map<string, Grown>();

  constructor(
    private readonly bucket: S3Bucket,
    private readonly cache: ObjectCache,
  ) {}

  pathOf(key: string): string | undefined {
    return this.#open.get(key)?.path;
  }

  async grow(key: string): Promise<GrowingObject> {
    const path = await this.cache.partial();
    const { append, close } = growFile(path, 0o600);
    this.#open.set(key, { path, sent: 0 });
    return {
      append,
      close: async () => {
        await close();
        try {
          await this.send(key);
          await this.cache.adopt(key, path);
        } finally {
          this.#open.delete(key);
          await rm(path, { force: true });
        }
      },
    };
  }

  /** Sends what the bucket lacks. */
  async send(key: string): Promise<void> {
    const grown = this.#open.get(key);
    if (grown === undefined) return;
    const { size } = await stat(grown.path);
    if (size === grown.sent) return;
    await this.bucket.putFile(key, grown.path);
    grown.sent = size;
  }
}
