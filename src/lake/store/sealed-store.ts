import { StagingLostError } from "../../domain/failures.js";
import type { Sealer } from "../../domain/sealer.js";
import type { ObjectStore, PutOptions } from "./object-store.js";

/** The part of a store with customers' data and secrets on their way: an object opens only under its own key. */
export class SealedStore {
  constructor(
    private readonly store: ObjectStore,
    /** Seals what is kept elsewhere, such as a value of a table. */
    readonly sealer: Sealer,
  ) {}

  /** Seals bytes; atomic, and durable when asked. */
  async putBytes(key: string, bytes: Uint8Array, options?: PutOptions): Promise<void> {
    await this.store.put(key, this.sealer.seal(bytes, key), options);
  }

  /** Seals a value as JSON; atomic, and durable when asked. */
  async put(key: string, value: unknown, options?: PutOptions): Promise<void> {
    await this.putBytes(key, jsonBytes(value), options);
  }

  /** Seals a value as JSON, durably; `false` when the key exists already. */
  async putIfAbsent(key: string, value: unknown): Promise<boolean> {
    return this.store.putIfAbsent(key, this.sealer.seal(jsonBytes(value), key));
  }

  /** Opens an object's bytes; `undefined` where there is none. @throws InputError for a wrong key, or changed bytes. */
  async getBytes(key: string): Promise<Buffer | undefined> {
    const sealed = await this.store.get(key);
    if (sealed === undefined) return undefined;
    const { buffer, byteOffset, byteLength } = this.sealer.open(sealed, key);
    return Buffer.from(buffer, byteOffset, byteLength);
  }

  /** Opens an object's value; `undefined` where there is none. Throws as {@link getBytes} does. */
  async get<T>(key: string): Promise<T | undefined> {
    const bytes = await this.getBytes(key);
    return bytes === undefined ? undefined : (JSON.parse(bytes.toString("utf8")) as T);
  }

  /** Opens the value of an object that must be there. @throws StagingLostError when it is not. */
  async require<T>(key: string): Promise<T> {
    const value = await this.get<T>(key);
    if (value !== undefined) return value;
    throw new StagingLostError(key, "gone from the lake's staging area");
  }

  readonly persist: ObjectStore["persist"] = (keys) => this.store.persist(keys);
  /** Gives the size of the sealed bytes, and their time by the store's clock. */
  readonly stat: ObjectStore["stat"] = (key) => this.store.stat(key);
  readonly list: ObjectStore["list"] = (prefix, startAfter) => this.store.list(prefix, startAfter);
  readonly delete: ObjectStore["delete"] = (key) => this.store.delete(key);

  async deletePrefix(prefix: string, options?: PutOptions): Promise<void> {
    await this.store.deletePrefix(prefix, options);
  }
}

function jsonBytes(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value), "utf8");
}
