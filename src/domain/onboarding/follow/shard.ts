import { NO_CALLS } from "../../counts.js";
import type { CustomerInput } from "../batch/batch-state.js";
import { rowVerdict } from "../customer/customer-state.js";
import {
  type AddressedReport,
  dueAt,
  mailAfter,
  type OpenCustomer,
  type OutcomeToRecord,
  openCustomer,
  triedNow,
  withEvent,
} from "../customer/open-customer.js";
import type { CustomerEvent } from "../messages.js";
import type { Verdict } from "../verdict.js";

/** Open rows by {@link customerKey}: one customer on one playbook is in work once, across batches and versions. */
export type Shard = Readonly<Record<string, OpenCustomer>>;

export const SHARDS = 1024;

export function customerKey(playbookKey: string, identityHash: string): string {
  return `${playbookKey}/${identityHash}`;
}

/** The number of a key's shard: of the first three digits of the hash, the last ten bits. */
export function shardOf(key: string): number {
  const from = key.lastIndexOf("/") + 1;
  return Number.parseInt(key.slice(from, from + 3), 16) % SHARDS;
}

export interface CustomerNews {
  readonly key: string;
  readonly event: CustomerEvent;
}

/** Its outcomes are personal data, so it is sealed. */
export interface SteppedRow {
  readonly row: RowName;
  /** How many events. */
  readonly read: number;
  readonly next: OpenCustomer | null;
  readonly reports: readonly AddressedReport[];
  readonly records: readonly OutcomeToRecord[];
}

type RowName = Pick<CustomerInput, "key" | "batchId" | "line" | "attempt">;

export interface RefusedRow {
  readonly input: CustomerInput;
  readonly batchId: string;
}

export interface Inbox {
  readonly rows: readonly CustomerInput[];
  readonly news: readonly CustomerNews[];
  readonly stops: readonly string[];
  readonly tryNow: boolean;
}

interface Happened extends Inbox {
  readonly stepped: readonly SteppedRow[];
  readonly now: number;
}

export function applySlice(
  before: Shard,
  { stepped, rows, news, stops, tryNow, now }: Happened,
): {
  readonly open: Shard;
  readonly reports: readonly AddressedReport[];
  readonly refused: readonly RefusedRow[];
} {
  const open = new Map(Object.entries(before));
  const reports: AddressedReport[] = [];
  const refused: RefusedRow[] = [];
  for (const { row, read, next, reports: sent } of stepped) {
    const one = open.get(row.key);
    // Another version has applied it.
    if (one === undefined) continue;
    reports.push(...sent);
    if (!isSameRow(one.input, row)) continue;
    if (next === null) open.delete(row.key);
    else open.set(row.key, afterStepped(one, next, read));
  }
  for (const input of rows) {
    const { key } = input;
    const busy = open.get(key);
    // One that only waits for people makes room: the newest row of a customer has its later outcomes.
    const isFree = busy === undefined || (busy.isReported && !isSameRow(busy.input, input));
    if (isFree) open.set(key, openCustomer(input, now));
    else if (!isSameRow(busy.input, input)) refused.push({ input, batchId: busy.input.batchId });
    else if (busy.isReported) reports.push(silentReport(input, rowVerdict(busy.state)));
  }
  for (const { key, event } of news) {
    const one = open.get(key);
    if (one !== undefined) open.set(key, { ...one, mail: withEvent(one.mail, event) });
  }
  for (const [key, one] of stops.length > 0 || tryNow ? open : []) {
    if (stops.includes(one.input.batchId)) open.set(key, { ...triedNow(one), stopped: true });
    else if (tryNow && one.tries.times > 0) open.set(key, triedNow(one));
  }
  return { open: Object.fromEntries(open), reports, refused };
}

function afterStepped(now: OpenCustomer, next: OpenCustomer, read: number): OpenCustomer {
  const one = { ...next, mail: mailAfter(next.mail, now.mail, read) };
  return now.stopped && !next.stopped ? { ...triedNow(one), stopped: true } : one;
}

/** Its calls were counted before. */
export function silentReport({ batchWorkflowId, row }: CustomerInput, verdict: Verdict): AddressedReport {
  return {
    batchWorkflowId,
    report: { kind: "done", row, ...verdict, ...NO_CALLS, messageHash: null },
  };
}

function isSameRow(a: RowName, b: RowName): boolean {
  return a.batchId === b.batchId && a.line === b.line && a.attempt === b.attempt;
}

export interface ShardFacts {
  readonly rows: number;
  /** When the first row is due that nobody works on. */
  readonly next: number | null;
  readonly oldest: number | null;
}

export function factsOf(shard: Shard, busy: ReadonlySet<string>): ShardFacts {
  const rows = Object.entries(shard);
  const dues = rows.filter(([key]) => !busy.has(key)).map(([, one]) => dueAt(one));
  const begun = rows.map(([, { input }]) => Date.parse(input.startedAt));
  return { rows: rows.length, next: least(dues), oldest: least(begun) };
}

export function least(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}
