import type { ObjectStore } from "../store/object-store.js";

export interface Amount {
  readonly files: number;
  readonly bytes: number;
}

export const NOTHING: Amount = { files: 0, bytes: 0 };

export function amountOf(files: Iterable<{ readonly size: number }>): Amount {
  let [count, bytes] = [0, 0];
  for (const { size } of files) [count, bytes] = [count + 1, bytes + size];
  return { files: count, bytes };
}

export function plus(a: Amount, b: Amount): Amount {
  return { files: a.files + b.files, bytes: a.bytes + b.bytes };
}

const KEY = "_nightledger/maintain.json";

/** Size of one kind of thing, and how much of it went. */
export interface Upkeep {
  readonly kept: Amount;
  readonly freed: Amount;
}

/** The size of a lake at its last upkeep. */
export interface LastUpkeep {
  readonly started_at: string;
  readonly retain_days: number;
  readonly live: Amount;
  readonly old_files: Upkeep;
  readonly logs: Upkeep;
  readonly staging: Upkeep;
}

export async function keepUpkeep(
  store: ObjectStore,
  { started_at, retain_days, live, old_files, logs, staging }: LastUpkeep,
): Promise<void> {
  const last: LastUpkeep = { started_at, retain_days, live, old_files, logs, staging };
  await store.put(KEY, JSON.stringify(last), { durable: true });
}

export async function lastUpkeep(store: ObjectStore): Promise<LastUpkeep | undefined> {
  const body = await store.get(KEY);
  return body && (JSON.parse(body.toString("utf8")) as LastUpkeep);
}
