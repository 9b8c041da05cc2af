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

interface Changed {
  readonly shard: Shard;
  readonly reports: readonly AddressedReport[];
}

/** Applies a step. Rows that came to wait while it was under way are given back if it was the last one. */
export function afterStepOf(shard: Shard, { key, given, next, reports }: SteppedRow): Changed {
  const now = shard[key];
  if (now === undefined) return { shard, reports: [] };
  if (next === null) {
    const { [key]: _, ...rest } = shard;
    const late = now.mail.waiters.slice(given.waiters).map(freed);
    return { shard: rest, reports: [...reports, ...late] };
  }
  const mail = mailAfter(next.mail, now.mail, given);
  return { shard: { ...shard, [key]: { ...next, mail } }, reports };
}

/** Takes a row in; where another one is about the same customer, it waits for that one. */
export function withRow(shard: Shard, { key, input }: HandedRow, now: number): Shard {
  const busy = shard[key];
  if (busy === undefined) return { ...shard, [key]: openCustomer(input, now) };
  const mail = withWaiter(busy.mail, input);
  return { ...shard, [key]: { ...busy, mail } };
}

/** Gives a row its news; nobody waits for news of a customer who is not open. */
export function withNews(shard: Shard, { key, event }: CustomerNews): Shard {
  const one = shard[key];
  return one === undefined ? shard : { ...shard, [key]: { ...one, mail: withEvent(one.mail, event) } };
}

/** Tells the rows that a cancelled batch has in a shard: its own, and those that wait for other ones. */
export function withStop(shard: Shard, batchId: string): Shard {
  return mapped(shard, (one) => {
    const { mail, waiting, reused } = one;
    const all = [...mail.waiters, ...waiting, ...reused.map(({ waiter }) => waiter)];
    if (![one.input, ...all].some((row) => row.batchId === batchId)) return one;
    return { ...one, mail: { ...mail, stops: [...mail.stops, batchId] } };
  });
}

/** Lets rows whose step has failed be tried again at once. */
export function withoutWaits(shard: Shard): Shard {
  return mapped(shard, (one) =>
    one.tries.times === 0 ? one : { ...one, tries: { ...one.tries, notBefore: NO_TRIES.notBefore } },
  );
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

function mapped(shard: Shard, change: (one: OpenCustomer) => OpenCustomer): Shard {
  const entries = Object.entries(shard);
  const changed = entries.map(([key, one]) => [key, change(one)] as const);
  return changed.every(([, one], at) => one === entries[at]?.[1]) ? shard : Object.fromEntries(changed);
}
