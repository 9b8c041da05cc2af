import { randomUUID } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { readFile, stat, writeFile } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type {
  GetObjectCommandInput,
  GetObjectCommandOutput,
  ListObjectsV2CommandOutput,
  S3,
} from "@aws-sdk/client-s3";
import { mapConcurrent } from "../../../domain/concurrent-work.js";
import { type S3Place, s3Address } from "../../../domain/lake-address.js";
import { asFull } from "../local/local-store-errors.js";
import { isKey, type ObjectEntry, partsOfKey } from "../object-store.js";
import { ATTEMPTS, openS3 } from "./s3-client.js";
import { BucketError, isNoObject, statusOf, unavailable } from "./s3-errors.js";

const PART_BYTES = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
/**
 * Larger files go in parts, for two more requests; not with a condition, since a refusal may close the connection under
 * a large body and be lost.
 */
const WHOLE_BYTES = PARTS_AT_ONCE * PART_BYTES;
const BETWEEN_ATTEMPTS_MS = 200;
const MOST_DELETED_AT_ONCE = 1_000;
const SINGLE_AT_ONCE = 16;
/** Metadata that tells one write from all others. */
const WRITE_ID = "nightledger-write";

interface ObjectPlace {
  readonly Bucket: string;
  readonly Key: string;
}

/** A prefix of a bucket; requests fail with {@link BucketError}. */
export class S3Bucket {
  #opened: Promise<S3> | undefined;

  constructor(
    private readonly place: S3Place,
    private readonly endpoint?: string,
  ) {}

  addressOf(key: string): string {
    return `s3://${this.place.bucket}/${this.place.prefix}${key}`;
  }

  async get(key: string): Promise<Buffer | undefined> {
    return this.#reading(this.#at(key), async ({ Body }) =>
      Buffer.from((await Body?.transformToByteArray()) ?? []),
    );
  }

  /** False where there is no such object, or it has another tag. */
  async fetch(key: string, path: string, tag?: string): Promise<boolean> {
    await writeFile(path, "", { flag: "wx", mode: 0o600 });
    const found = await this.#reading({ ...this.#at(key), IfMatch: tag }, async ({ Body, ContentLength }) => {
      await pipeline(Body as Readable, createWriteStream(path));
      const { size } = await stat(path);
      if (size === ContentLength) return true;
      throw new BucketError(this.addressOf(key), `came with ${size} of its ${ContentLength} bytes.`);
    });
    return found === true;
  }

  async head(key: string) {
    const found = await this.#about(key, (s3) =>
      s3.headObject(this.#at(key)).catch((error) => {
        if (!isNoObject(error)) throw error;
      }),
    );
    if (!found) return undefined;
    const { ContentLength = 0, LastModified = new Date(0), Metadata, ETag = "" } = found;
    const entry = { key, size: ContentLength, modifiedAt: LastModified };
    return { ...entry, tag: ETag, writeId: Metadata?.[WRITE_ID] };
  }

  async put(key: string, body: Uint8Array | string): Promise<void> {
    await this.#about(key, (s3) => s3.putObject({ ...this.#at(key), Body: body || Buffer.alloc(0) }));
  }

  /** In parts where it is large; a failure leaves none. */
  async putFile(key: string, path: string): Promise<void> {
    await this.#about(key, (s3) => sendFile(s3, this.#at(key), path, WHOLE_BYTES));
  }

  putFileIfAbsent(key: string, path: string): Promise<boolean> {
    return this.#claim(key, (s3, terms) => sendFile(s3, terms, path));
  }

  putIfAbsent(key: string, body: Uint8Array | string): Promise<boolean> {
    return this.#claim(key, (s3, terms) => s3.putObject({ ...terms, Body: body || Buffer.alloc(0) }));
  }

  /** In key order, after `startAfter`. */
  async list(prefix: string, startAfter: string, isListed = isKey): Promise<ObjectEntry[]> {
    const from = startAfter === "" ? {} : { StartAfter: `${this.place.prefix}${startAfter}` };
    const found: ObjectEntry[] = [];
    for await (const page of this.#pages(prefix, from))
      found.push(...this.#entriesOf(page).filter(({ key }) => isListed(key)));
    return found;
  }

  /** The first page of a listing, by key. */
  async firstEntries(start: string): Promise<ReadonlyMap<string, ObjectEntry>> {
    const { value: page = {} } = await this.#pages(start, {}).next();
    return new Map(this.#entriesOf(page).map((entry) => [entry.key, entry]));
  }

  #entriesOf({ Contents = [] }: Pick<ListObjectsV2CommandOutput, "Contents">): ObjectEntry[] {
    return Contents.map(({ Key = "", Size = 0, LastModified = new Date(0) }) => {
      return { key: Key.slice(this.place.prefix.length), size: Size, modifiedAt: LastModified };
    });
  }

  async folders(prefix: string): Promise<string[]> {
    const before = this.place.prefix.length + prefix.length;
    const names: string[] = [];
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, { Delimiter: "/" })) {
      names.push(...CommonPrefixes.map(({ Prefix = "" }) => Prefix.slice(before, -1)));
    }
    return names.filter(isKey);
  }

  async hasObjects(): Promise<boolean> {
    for await (const { Contents = [] } of this.#pages("", { MaxKeys: 1 })) return Contents.length > 0;
    return false;
  }

  async delete(key: string): Promise<void> {
    await this.#about(key, (s3) => s3.deleteObject(this.#at(key)));
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    const s3 = await this.#s3();
    for (let from = 0; from < keys.length; from += MOST_DELETED_AT_ONCE) {
      const some = keys.slice(from, from + MOST_DELETED_AT_ONCE);
      const Delete = { Objects: some.map((key) => ({ Key: this.#at(key).Key })), Quiet: true };
      // Some stores refuse this request; a single delete says why, if it fails too.
      const isDone = await s3.deleteObjects({ Bucket: this.place.bucket, Delete }).then(
        ({ Errors = [] }) => Errors.length === 0,
        () => false,
      );
      if (!isDone) await mapConcurrent(SINGLE_AT_ONCE, some, (key) => this.delete(key));
    }
  }

  /** By every request that {@link putFile} may need. */
  async tryParts(key: string): Promise<void> {
    await this.#about(key, async (s3) => {
      const at = this.#at(key);
      const { UploadId } = await s3.createMultipartUpload(at);
      const upload = { ...at, UploadId };
      try {
        const { ETag } = await s3.uploadPart({ ...upload, PartNumber: 1, Body: "1" });
        const MultipartUpload = { Parts: [{ ETag, PartNumber: 1 }] };
        await s3.completeMultipartUpload({ ...upload, MultipartUpload, IfNoneMatch: "*" });
      } finally {
        await s3.abortMultipartUpload(upload).catch((error) => {
          if (!isNoObject(error)) throw error;
        });
      }
    });
  }

  #s3(): Promise<S3> {
    this.#opened ??= openS3(this.endpoint);
    return this.#opened;
  }

  /** Makes a new object with our mark: a 412 may answer our own write, sent again. */
  async #claim(
    key: string,
    write: (s3: S3, terms: ReturnType<typeof newObject>) => Promise<unknown>,
  ): Promise<boolean> {
    const id = randomUUID();
    for (let attempt = 1; ; attempt += 1) {
      try {
        await write(await this.#s3(), newObject(this.#at(key), id));
        return true;
      } catch (error) {
        const status = statusOf(error);
        const found = status === 412 ? await this.head(key) : undefined;
        if (found !== undefined) return found.writeId === id;
        // 409: another write was under way. 412 without an object: it was deleted since.
        const isRace = status === 409 || status === 412;
        if (!isRace || attempt === ATTEMPTS) throw unavailable(error, this.addressOf(key));
        await sleep(BETWEEN_ATTEMPTS_MS * attempt);
      }
    }
  }

  #at(key: string): ObjectPlace {
    partsOfKey(s3Address(this.place), key);
    return { Bucket: this.place.bucket, Key: `${this.place.prefix}${key}` };
  }

  async #about<T>(key: string, request: (s3: S3) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#s3());
    } catch (error) {
      throw unavailable(error, this.addressOf(key));
    }
  }

  /** Reads an object again where its body was cut, which the SDK does not. */
  async #reading<T>(
    asked: GetObjectCommandInput & ObjectPlace,
    read: (found: GetObjectCommandOutput) => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read(await (await this.#s3()).getObject(asked));
      } catch (error) {
        const full = asFull(error);
        if (full !== undefined) throw full;
        const status = statusOf(error);
        if (isNoObject(error) || status === 412) return undefined;
        if (status !== undefined || attempt === ATTEMPTS) {
          throw unavailable(error, `s3://${asked.Bucket}/${asked.Key}`);
        }
        await sleep(BETWEEN_ATTEMPTS_MS * attempt);
      }
    }
  }

  async *#pages(
    prefix: string,
    how: { readonly StartAfter?: string; readonly Delimiter?: string; readonly MaxKeys?: number },
  ): AsyncGenerator<ListObjectsV2CommandOutput> {
    let token: string | undefined;
    do {
      const below = { Bucket: this.place.bucket, Prefix: `${this.place.prefix}${prefix}` };
      const asked = { ...below, ...how, ContinuationToken: token };
      const page = await this.#about(prefix, (s3) => s3.listObjectsV2(asked));
      yield page;
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }
}

async function sendFile(
  client: S3,
  terms: ReturnType<typeof newObject> | ObjectPlace,
  path: string,
  mostWhole = PART_BYTES,
): Promise<void> {
  if ((await stat(path)).size <= mostWhole) {
    await client.putObject({ ...terms, Body: await readFile(path) });
    return;
  }
  const { Upload } = await import("@aws-sdk/lib-storage");
  const params = { ...terms, Body: createReadStream(path) };
  await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
}

function newObject(at: ObjectPlace, id: string) {
  return { ...at, IfNoneMatch: "*", Metadata: { [WRITE_ID]: id } };
}
