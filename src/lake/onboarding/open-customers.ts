import { hash } from "node:crypto";
import {
  customerKey,
  SHARDS,
  type Shard,
  type SteppedRow,
  shardOf,
} from "../../domain/onboarding/follow/shard.js";
import { identityHash, playbookKeyOf } from "../../domain/onboarding/identity.js";
import type { SealedStore } from "../store/sealed-store.js";
import { madeOf } from "./made-businesses.js";

const PREFIX = "_staging/follow/";

/** One version of a shard; versions grow, and the highest counts. */
export interface ShardVersion {
  readonly version: number;
  readonly shard: Shard;
}

const NEVER: ShardVersion = { version: 0, shard: {} };

/** The latest version of a shard, or the latest before another. */
export async function readShard(
  sealed: SealedStore,
  shard: number,
  before = Number.POSITIVE_INFINITY,
): Promise<ShardVersion> {
  for (;;) {
    const versions = (await versionsOf(sealed, shard)).filter((version) => version < before);
    const version = Math.max(0, ...versions);
    if (version === 0) return NEVER;
    const found = await sealed.get<Shard>(shardKey(shard, version));
    if (found !== undefined) return { version, shard: found };
    // A later version has replaced it meanwhile.
  }
}

/**
 * Writes a version of a shard, once: the same version again, or by a worker that was thought dead, changes nothing.
 * The version that it replaces stays until the next one, for a repetition to begin from.
 */
export async function writeShard(
  sealed: SealedStore,
  shard: number,
  version: number,
  { version: replaced, shard: _ }: ShardVersion,
  entries: Shard,
): Promise<void> {
  await sealed.putIfAbsent(shardKey(shard, version), entries);
  for (const old of await versionsOf(sealed, shard)) {
    if (old < replaced) await sealed.delete(shardKey(shard, old));
  }
}

/** The highest version of any shard; 0 where there is none. */
export async function highestVersion(sealed: SealedStore): Promise<number> {
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  let highest = 0;
  for (const shard of shards) highest = Math.max(highest, ...(await versionsOf(sealed, shard)));
  return highest;
}

/** Who a message is about; it may name the customer in two ways. */
export interface NamedCustomer {
  readonly fpId: string | null;
  readonly externalId: string | null;
  readonly playbookKey: string | null;
}

/** Keys of the open rows that wait for a message; none where it names no playbook. */
export async function openCustomersOf(
  sealed: SealedStore,
  { fpId, externalId, playbookKey }: NamedCustomer,
): Promise<string[]> {
  if (playbookKey === null) return [];
  const made = fpId === null ? undefined : await madeOf(sealed, fpId);
  const hashes = [
    ...(fpId ? [identityHash(sha256, `fp_id:${fpId}`)] : []),
    ...(externalId ? [identityHash(sha256, `external_id:${externalId}`)] : []),
    ...(made === undefined ? [] : [made]),
  ];
  const keys = hashes.map((one) => customerKey(playbookKeyOf(playbookKey), one));
  const open = await Promise.all(
    keys.map(async (key) => key in (await readShard(sealed, shardOf(key))).shard),
  );
  return keys.filter((_, at) => open[at]);
}

/** Keeps what a slice has done, once: the first that ends counts. */
export async function keepSlice(
  sealed: SealedStore,
  slice: string,
  rows: readonly SteppedRow[],
): Promise<void> {
  await sealed.putIfAbsent(sliceKey(slice), rows);
}

/** What a slice has done; undefined where it has not ended. */
export function keptSlice(sealed: SealedStore, slice: string): Promise<readonly SteppedRow[] | undefined> {
  return sealed.get<readonly SteppedRow[]>(sliceKey(slice));
}

export function dropSlice(sealed: SealedStore, slice: string): Promise<void> {
  return sealed.delete(sliceKey(slice));
}

const sha256 = (text: string) => hash("sha256", text);
const shardPrefix = (shard: number) => `${PREFIX}open/${shard.toString(16).padStart(2, "0")}/`;
const shardKey = (shard: number, version: number) => `${shardPrefix(shard)}${version}`;
const sliceKey = (slice: string) => `${PREFIX}slices/${slice}`;

async function versionsOf(sealed: SealedStore, shard: number): Promise<number[]> {
  const entries = await sealed.list(shardPrefix(shard));
  return entries.map(({ key }) => Number(key.slice(key.lastIndexOf("/") + 1)));
}
