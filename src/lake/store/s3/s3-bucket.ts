import { createReadStream, createWriteStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { GetObjectCommandOutput, ListObjectsV2CommandOutput, S3 } from "@aws-sdk/client-s3";
import type { S3Place } from "../../../domain/lake-address.js";
import type { ObjectEntry } from "../object-store.js";
import { ATTEMPTS, openS3 } from "./s3-client.js";
import { BucketError, isNoObject, statusOf, unavailable } from "./s3-errors.js";

/** Larger files are sent in parts of this size. */
const PART_BYTES = 16 * 1024 * 1024;
const PARTS_AT_ONCE = 2;
const BETWEEN_ATTEMPTS_MS = 200;
const MOST_DELETED_AT_ONCE = 1_000;
/** Of the metadata of an object: tells one write from all others. */
const WRITE_ID = "nightledger-write";

/** One prefix of a bucket, by the requests that a store makes. They fail with {@link BucketError}. */
export class S3Bucket {
  #opened: Promise<S3> | undefined;

  constructor(private readonly place: S3Place) {}

  addressOf(key: string): string {
    return `s3://${this.place.bucket}/${this.place.prefix}${key}`;
  }

  async get(key: string): Promise<Buffer | undefined> {
    return this.#reading(key, async ({ Body }) => Buffer.from((await Body?.transformToByteArray()) ?? []));
  }

  /** Writes an object's bytes into a file; false where there is no such object. */
  async fetch(key: string, path: string): Promise<boolean> {
    const found = await this.#reading(key, async ({ Body, ContentLength }) => {
      await pipeline(Body as Readable, createWriteStream(path, { mode: 0o600 }));
      const { size } = await stat(path);
      if (size === ContentLength) return true;
      throw new BucketError(`${this.addressOf(key)} came with ${size} of its ${ContentLength} bytes.`);
    });
    return found === true;
  }

  async head(key: string): Promise<(ObjectEntry & { readonly writeId: string | undefined }) | undefined> {
    const found = await this.#about(key, (s3) =>
      s3.headObject(this.#at(key)).catch((error) => {
        if (!isNoObject(error)) throw error;
      }),
    );
    if (!found) return undefined;
    const { ContentLength = 0, LastModified = new Date(0), Metadata } = found;
    return { key, size: ContentLength, modifiedAt: LastModified, writeId: Metadata?.[WRITE_ID] };
  }

  async put(key: string, body: Uint8Array | string): Promise<void> {
    await this.#about(key, (s3) => s3.putObject({ ...this.#at(key), Body: body }));
  }

  /** Sends a file, in parts where it is large; a failure leaves no part. */
  async upload(key: string, path: string): Promise<void> {
    const { size } = await stat(path);
    if (size <= PART_BYTES) return this.put(key, await readFile(path));
    const { Upload } = await import("@aws-sdk/lib-storage");
    await this.#about(key, (client) => {
      const params = { ...this.#at(key), Body: createReadStream(path) };
      return new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
    });
  }

  /**
   * Writes an object unless its key is taken. A 412 may also answer our own write, sent again after its first answer was
   * lost, so the object says whose it is.
   */
  async putIfAbsent(key: string, body: Uint8Array | string, writeId: string): Promise<boolean> {
    const params = { ...this.#at(key), Body: body, IfNoneMatch: "*", Metadata: { [WRITE_ID]: writeId } };
    for (let attempt = 1; ; attempt += 1) {
      try {
        await (await this.#s3()).putObject(params);
        return true;
      } catch (error) {
        const status = statusOf(error);
        const found = status === 412 ? await this.head(key) : undefined;
        if (found !== undefined) return found.writeId === writeId;
        // 409: another write of the key was under way. 412 without an object: it has been deleted since.
        const isRace = status === 409 || status === 412;
        if (!isRace || attempt === ATTEMPTS) throw unavailable(error, this.addressOf(key));
        await sleep(BETWEEN_ATTEMPTS_MS * attempt);
      }
    }
  }

  /** Lists the objects below a prefix that come after a key, in key order. */
  async list(prefix: string, startAfter: string): Promise<ObjectEntry[]> {
    const from = startAfter === "" ? {} : { StartAfter: `${this.place.prefix}${startAfter}` };
    const found: ObjectEntry[] = [];
    for await (const { Contents = [] } of this.#pages(prefix, from)) {
      for (const { Key = "", Size = 0, LastModified = new Date(0) } of Contents) {
        found.push({ key: Key.slice(this.place.prefix.length), size: Size, modifiedAt: LastModified });
      }
    }
    return found;
  }

  async folders(prefix: string): Promise<string[]> {
    const before = this.place.prefix.length + prefix.length;
    const names: string[] = [];
    for await (const { CommonPrefixes = [] } of this.#pages(prefix, { Delimiter: "/" })) {
      names.push(...CommonPrefixes.map(({ Prefix = "" }) => Prefix.slice(before, -1)));
    }
    return names;
  }

  async hasObjects(): Promise<boolean> {
    for await (const { Contents = [] } of this.#pages("", { MaxKeys: 1 })) return Contents.length > 0;
    return false;
  }

  async delete(key: string): Promise<void> {
    await this.#about(key, (s3) => s3.deleteObject(this.#at(key)));
  }

  async deleteAll(keys: readonly string[]): Promise<void> {
    for (let from = 0; from < keys.length; from += MOST_DELETED_AT_ONCE) {
      const some = keys.slice(from, from + MOST_DELETED_AT_ONCE).map((key) => this.#at(key));
      const Delete = { Objects: some.map(({ Key }) => ({ Key })), Quiet: true };
      await this.#about(keys[from] ?? "", async (s3) => {
        const { Errors = [] } = await s3.deleteObjects({ Bucket: this.place.bucket, Delete });
        const [refused] = Errors;
        if (refused !== undefined)
          throw Object.assign(new Error(refused.Message), { name: refused.Code ?? "" });
      });
    }
  }

  #s3(): Promise<S3> {
    this.#opened ??= openS3();
    return this.#opened;
  }

  #at(key: string) {
    return { Bucket: this.place.bucket, Key: `${this.place.prefix}${key}` };
  }

  async #about<T>(key: string, request: (s3: S3) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#s3());
    } catch (error) {
      throw unavailable(error, this.addressOf(key));
    }
  }

  /** Reads an object with its body. The SDK sends a request again, but does not read a body that was cut again. */
  async #reading<T>(
    key: string,
    read: (found: GetObjectCommandOutput) => Promise<T>,
  ): Promise<T | undefined> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await read(await (await this.#s3()).getObject(this.#at(key)));
      } catch (error) {
        if (isNoObject(error)) return undefined;
        if (statusOf(error) !== undefined || attempt === ATTEMPTS)
          throw unavailable(error, this.addressOf(key));
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
      const { Bucket, Key: Prefix } = this.#at(prefix);
      const asked = { Bucket, Prefix, ...how, ContinuationToken: token };
      const page = await this.#about(prefix, (s3) => s3.listObjectsV2(asked));
      yield page;
      token = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (token !== undefined);
  }
}
