import type { CustomerInput } from "../batch/batch-rows.js";
import { type MailCount, mailAfter, withEvent, withWaiter } from "../customer/customer-mail.js";
import {
  type AddressedReport,
  dueAt,
  NO_TRIES,
  type OpenCustomer,
  type OutcomeToRecord,
  openCustomer,
} from "../customer/open-customer.js";
import type { CustomerEvent } from "../messages.js";

/** Open rows by {@link customerKey}: one customer on one playbook is in work once, across batches and versions. */
export type Shard = Readonly<Record<string, OpenCustomer>>;

/** Shards of a lake; each is one object of its staging area. */
export const SHARDS = 1024;

/** Names a customer on a playbook, which is given without its version tag. */
export function customerKey(playbookKey: string, identityHash: string): string {
  return `${playbookKey}/${identityHash}`;
}

/** The number of a key's shard: of the first three digits of the hash, the last ten bits. */
export function shardOf(key: string): number {
  const from = key.lastIndexOf("/") + 1;
  return Number.parseInt(key.slice(from, from + 3), 16) % SHARDS;
}

/** What a message says to the open row of a customer. */
export interface CustomerNews {
  readonly key: string;
  readonly event: CustomerEvent;
}

/** A row that its batch hands over. */
export interface HandedRow {
  readonly key: string;
  readonly input: CustomerInput;
}

/** What a step has done with a row. Its outcomes are personal data, so it is sealed. */
export interface SteppedRow {
  readonly key: string;
  /** The messages that the step was given. */
  readonly given: MailCount;
  /** Null where the row is finished. */
  readonly next: OpenCustomer | null;
  readonly reports: readonly AddressedReport[];
  readonly records: readonly OutcomeToRecord[];
}

/** What open rows were told. */
export interface Inbox {
  readonly rows: readonly HandedRow[];
  readonly news: readonly CustomerNews[];
  /** Batches that were cancelled. */
  readonly stops: readonly string[];
  /** Whether rows whose step has failed are tried again at once. */
  readonly tryNow: boolean;
}

/** What steps have done with open rows, and what these were told. */
interface Happened extends Inbox {
  readonly stepped: readonly SteppedRow[];
  /** Epoch milliseconds. */
  readonly now: number;
}

/** Applies to open rows what has happened to them, and gives what their batches are to be told. */
export function settled(
  before: Shard,
  { stepped, rows, news, stops, tryNow, now }: Happened,
): { readonly open: Shard; readonly reports: readonly AddressedReport[] } {
  const open = new Map(Object.entries(before));
  const reports: AddressedReport[] = [];
  for (const { key, given, next, reports: told } of stepped) {
    const one = open.get(key);
    // Settled by another version.
    if (one === undefined) continue;
    reports.push(...told);
    if (next !== null) open.set(key, { ...next, mail: mailAfter(next.mail, one.mail, given) });
    else {
      open.delete(key);
      // Rows that came to wait while its last step was under way.
      reports.push(...one.mail.waiters.slice(given.waiters).map(freed));
    }
  }
  for (const { key, input } of rows) {
    const busy = open.get(key);
    // Where another row is about the same customer, it waits for that one.
    if (busy !== undefined) open.set(key, { ...busy, mail: withWaiter(busy.mail, input) });
    else open.set(key, openCustomer(input, now));
  }
  for (const { key, event } of news) {
    const one = open.get(key);
    if (one !== undefined) open.set(key, { ...one, mail: withEvent(one.mail, event) });
  }
  for (const [key, one] of stops.length > 0 || tryNow ? open : []) {
    const told = stops.reduce(withStop, one);
    const isTried = tryNow && told.tries.times > 0;
    open.set(key, isTried ? { ...told, tries: { ...told.tries, notBefore: NO_TRIES.notBefore } } : told);
  }
  return { open: Object.fromEntries(open), reports };
}

/** Tells a row of a cancelled batch of it; also a row that others of that batch wait for. */
function withStop(one: OpenCustomer, batchId: string): OpenCustomer {
  const { input, mail, reused } = one;
  const all = [input, ...mail.waiters, ...reused.map(({ waiter }) => waiter)];
  if (!all.some((row) => row.batchId === batchId)) return one;
  return { ...one, mail: { ...mail, stops: [...mail.stops, batchId] } };
}

/** What `follow` remembers of a shard. */
export interface ShardFacts {
  readonly rows: number;
  /** Epoch milliseconds at which the first row is due that nobody works on; null for never. */
  readonly next: number | null;
  /** Epoch milliseconds at which the oldest row began; null without one. */
  readonly oldest: number | null;
}

export function factsOf(shard: Shard, busy: ReadonlySet<string>): ShardFacts {
  const rows = Object.entries(shard);
  const dues = rows.filter(([key]) => !busy.has(key)).map(([, one]) => dueAt(one));
  const begun = rows.map(([, { input }]) => Date.parse(input.startedAt));
  return { rows: rows.length, next: least(dues), oldest: least(begun) };
}

/** The least of some numbers; null of none. */
export function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

/** The report that gives a waiting row back to its batch. */
export function freed({ batchWorkflowId, row }: CustomerInput): AddressedReport {
  return { batchWorkflowId, report: { kind: "free", row } };
}
