import { hash } from "node:crypto";
import { DamagedError } from "../../domain/failures.js";
import { groupedBy } from "../../domain/grouped-by.js";
import type { OpenCustomer } from "../../domain/onboarding/customer/open-customer.js";
import {
  customerKey,
  SHARDS,
  type Shard,
  type SteppedRow,
  shardOf,
} from "../../domain/onboarding/follow/shard.js";
import { identityHash, playbookKeyOf } from "../../domain/onboarding/identity.js";
import { recentReads } from "../store/sealed-rows.js";
import type { SealedStore } from "../store/sealed-store.js";
import { madeBusiness } from "./call-notes.js";

const PREFIX = "_staging/follow/";
/** Versions, and rows that they changed, after which the shards are written anew. */
const MOST_CHANGES = 32;
const MOST_CHANGED_ROWS = 2_000;
/** Reads in a row that find what they need replaced; more means that something is missing. */
const MOST_READS = 50;

/** Each is written once. */
const SHARDS_KEPT = 128;
const VERSIONS_KEPT = 2 * MOST_CHANGES;

/** Null for a row that was finished. */
export type ChangedRows = Readonly<Record<string, OpenCustomer | null>>;

export interface NamedCustomer {
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly playbookKey: string | null;
}

interface Manifest {
  readonly shards: Readonly<Record<number, number>>;
  /** In no shard yet, oldest first. */
  readonly changes: readonly number[];
}

/** An object that is written once, with its own changes by shard. */
interface Version extends Manifest {
  /** Names what led to it. */
  readonly id: string;
  readonly rows: Readonly<Record<number, ChangedRows>>;
}

/** The highest version counts. */
interface OpenRows extends Manifest {
  readonly version: number;
}

const NOTHING: Version = { id: "", shards: {}, changes: [], rows: {} };

const NEVER: OpenRows = { version: 0, shards: {}, changes: [] };

const REPLACED = new Error("a later version has replaced these open rows");

/**
 * The open rows of a lake, in its staging area. A version is one object, whatever number of rows it changes; after some,
 * their changes go into the shards. Nothing is changed in place, so that a repetition, or a worker that was thought dead,
 * writes what is there already.
 */
export class OpenCustomers {
  readonly #versions = recentReads<Version>(VERSIONS_KEPT);
  readonly #shards = recentReads<Shard>(SHARDS_KEPT);

  /** @param lost collects damaged and missing objects, which then read as empty; left out, they are errors */
  constructor(
    private readonly sealed: SealedStore,
    private readonly lost?: Set<string>,
  ) {}

  /** Reads from the latest version; again where that was replaced meanwhile. */
  async read<R>(use: (rows: OpenRows) => Promise<R>): Promise<R> {
    for (let reads = 1; ; reads += 1) {
      try {
        return await use(await this.at());
      } catch (error) {
        if (error !== REPLACED || reads === MOST_READS) throw error;
      }
    }
  }

  /** The latest version, or the latest before another. @throws REPLACED */
  async at(before = Number.POSITIVE_INFINITY): Promise<OpenRows> {
    const versions = (await this.#list()).filter((one) => one < before).sort((a, b) => b - a);
    for (const version of versions) {
      const found = await this.#version(version);
      if (found !== NOTHING) return { version, shards: found.shards, changes: found.changes };
    }
    return NEVER;
  }

  /** The highest version, where it is later, or this one by another id. */
  async takenBy(version: number, id: string): Promise<number | undefined> {
    const highest = Math.max(0, ...(await this.#list()));
    if (highest < version) return undefined;
    return highest === version && (await this.#version(version)).id === id ? undefined : highest;
  }

  /** @throws REPLACED */
  async shard({ shards, changes }: OpenRows, number: number): Promise<Shard> {
    const version = shards[number];
    const written = version === undefined ? {} : await this.#shard(number, version);
    const changed = await Promise.all(changes.map((one) => this.#version(one)));
    return withChanges(written, Object.assign({}, ...changed.map(({ rows }) => rows[number])));
  }

  async keysOf({ fpId, externalId, playbookKey }: NamedCustomer): Promise<string[]> {
    if (playbookKey === null) return [];
    const made = fpId ? await madeBusiness(this.sealed, fpId).find() : undefined;
    const hashes = [
      ...(fpId ? [identityHash(sha256, `fp_id:${fpId}`)] : []),
      ...(externalId ? [identityHash(sha256, `external_id:${externalId}`)] : []),
      ...(made === undefined ? [] : [made]),
    ];
    const keys = hashes.map((one) => customerKey(playbookKeyOf(playbookKey), one));
    return this.read(async (rows) => {
      const isOpen = await Promise.all(
        keys.map(async (key) => key in (await this.shard(rows, shardOf(key)))),
      );
      return keys.filter((_, at) => isOpen[at]);
    });
  }

  /** Writes the version after `before`, once, and deletes what only earlier ones need. */
  async write(
    { version, id }: { readonly version: number; readonly id: string },
    before: OpenRows,
    changed: ChangedRows,
  ): Promise<void> {
    const ofShard = groupedBy(Object.entries(changed), ([key]) => shardOf(key));
    const rows = Object.fromEntries([...ofShard].map(([number, some]) => [number, Object.fromEntries(some)]));
    const changes = [...before.changes, version];
    const older = await Promise.all(before.changes.map((one) => this.#version(one)));
    const all = [...older.map((one) => one.rows), rows];
    const isMended = this.lost !== undefined && this.lost.size > 0;
    const isLong = isMended || changes.length >= MOST_CHANGES || countOf(all) >= MOST_CHANGED_ROWS;
    const next = isLong
      ? { id, ...(await this.#folded(version, before, all)) }
      : { id, shards: before.shards, changes, rows };
    const key = versionKey(version);
    if (await this.sealed.putIfAbsent(key, next)) await this.#versions(key, async () => next);
    await this.#clean(version, before, next);
  }

  async #folded(
    version: number,
    before: OpenRows,
    all: readonly Version["rows"][],
  ): Promise<Omit<Version, "id">> {
    const entries = Object.entries(before.shards);
    const there = entries.filter(([number, at]) => !this.lost?.has(shardKey(Number(number), at)));
    const shards: Record<number, number> = Object.fromEntries(there);
    for (const number of new Set(all.flatMap((one) => Object.keys(one)).map(Number))) {
      const earlier = shards[number];
      const written = earlier === undefined ? {} : await this.#shard(number, earlier);
      const shard = withChanges(written, Object.assign({}, ...all.map((one) => one[number])));
      delete shards[number];
      if (Object.keys(shard).length === 0) continue;
      await this.sealed.putIfAbsent(shardKey(number, version), shard);
      shards[number] = version;
    }
    return { shards, changes: [], rows: {} };
  }

  /** A repetition begins from the version before. */
  async #clean(version: number, before: OpenRows, next: Manifest): Promise<void> {
    const versions = await this.#list();
    // A worker that was thought dead knows nothing of what later versions need.
    if (versions.some((one) => one > version)) return;
    const kept = new Set([version, before.version, ...before.changes, ...next.changes]);
    for (const one of versions) if (!kept.has(one)) await this.sealed.delete(versionKey(one));
    if (before.changes.length > 0) return;
    const keys = new Set(
      [before, next].flatMap(({ shards }) =>
        Object.entries(shards).map(([number, at]) => shardKey(Number(number), at)),
      ),
    );
    for (const { key } of await this.sealed.list(`${PREFIX}shards/`)) {
      if (!keys.has(key)) await this.sealed.delete(key);
    }
  }

  #version(version: number): Promise<Version> {
    const key = versionKey(version);
    return this.#versions(key, () => this.#found(key, NOTHING));
  }

  #shard(number: number, version: number): Promise<Shard> {
    const key = shardKey(number, version);
    return this.#shards(key, () => this.#found<Shard>(key, {}));
  }

  async #found<T>(key: string, empty: T): Promise<T> {
    const found = await unlessDamaged(this.sealed.get<T>(key), key, this.lost);
    if (found !== undefined) return found;
    if (this.lost === undefined) throw REPLACED;
    this.lost.add(key);
    return empty;
  }

  async #list(): Promise<number[]> {
    const entries = await this.sealed.list(`${PREFIX}versions/`);
    return entries.map(({ key }) => Number(key.slice(key.lastIndexOf("/") + 1)));
  }
}

function countOf(all: readonly Version["rows"][]): number {
  const shards = all.flatMap((rows) => Object.values(rows));
  return shards.reduce((sum, changed) => sum + Object.keys(changed).length, 0);
}

function withChanges(shard: Shard, changes: ChangedRows): Shard {
  const rows: Record<string, OpenCustomer> = { ...shard };
  for (const [key, row] of Object.entries(changes)) {
    if (row === null) delete rows[key];
    else rows[key] = row;
  }
  return rows;
}

export const SHARD_NUMBERS: readonly number[] = Array.from({ length: SHARDS }, (_, number) => number);

async function unlessDamaged<T>(found: Promise<T>, key: string, lost: Set<string> | undefined) {
  try {
    return await found;
  } catch (error) {
    if (lost === undefined || !(error instanceof DamagedError)) throw error;
    lost.add(key);
    return undefined;
  }
}

const sliceKey = (slice: string) => `${PREFIX}slices/${slice}`;

/** What a slice has done: the first that ends counts. */
export function keptSlice(sealed: SealedStore, slice: string) {
  return sealed.kept<readonly SteppedRow[]>(sliceKey(slice));
}

/** Damaged, it is nothing where `lost` is given: its rows are worked on again. */
export function findSlice(sealed: SealedStore, slice: string, lost: Set<string> | undefined) {
  return unlessDamaged(keptSlice(sealed, slice).find(), sliceKey(slice), lost);
}

export function dropSlices(sealed: SealedStore): Promise<void> {
  return sealed.deletePrefix(`${PREFIX}slices/`);
}

const sha256 = (text: string) => hash("sha256", text);
const versionKey = (version: number) => `${PREFIX}versions/${version}`;
const shardKey = (number: number, version: number) => `${PREFIX}shards/${number}-${version}`;
