import { NotSentError } from "../../api/http/errors.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";

/** Within which a request leaves after its intent: later, another attempt may judge it as lost. */
const INTENT_HOLDS_MS = 5_000;

export interface CallIntent {
  readonly operation: string;
  readonly at: number;
  /** Of the service's clock, to that of the sender; null for unknown. */
  readonly clockAheadMs: number | null;
}

export interface EarlierIntent extends CallIntent {
  /** Epoch milliseconds by the store's clock, which all workers share. */
  readonly storedAt: number;
}

export interface KeptAnswer<A> {
  readonly operation: string;
  readonly at: number;
  readonly asked: number;
  readonly body: A;
}

export function answerKey(prefix: string): string {
  return `${prefix}answer`;
}

type CallState = "not sent" | "sent" | "answered";

/** How far the call below a prefix came. What is `sent` may have taken effect. */
export async function callState(sealed: SealedStore, prefix: string): Promise<CallState> {
  const keys = (await sealed.list(prefix)).map(({ key }) => key);
  if (keys.includes(answerKey(prefix))) return "answered";
  return keys.some((key) => intentNumber(key, prefix) !== undefined) ? "sent" : "not sent";
}

/** Counts the requests of calls below a prefix that may have reached the service. */
export async function requestsSent(sealed: SealedStore, prefix: string): Promise<number> {
  const sent = new Map<string, number>();
  for (const { key } of await sealed.list(prefix)) {
    const call = key.slice(0, key.lastIndexOf("/") + 1);
    const number = intentNumber(key, call);
    if (number !== undefined) sent.set(call, Math.max(sent.get(call) ?? 0, number));
  }
  return [...sent.values()].reduce((sum, count) => sum + count, 0);
}

/**
 * The record of one call. A request leaves after an intent under the next number, which only one attempt can take: of a
 * stalled attempt and its replacement, only one sends.
 */
export class CallRecord {
  /** `since` is by the monotonic clock. */
  #own: { readonly number: number; readonly at: number; readonly since: number } | undefined;
  #last: number;

  private constructor(
    private readonly sealed: SealedStore,
    private readonly prefix: string,
    private readonly operation: string,
    /** Of earlier attempts, without an answer, the first one first. */
    readonly earlier: readonly EarlierIntent[],
    last: number,
    private readonly isNew: boolean,
  ) {
    this.#last = last;
  }

  static async open(sealed: SealedStore, prefix: string, operation: string): Promise<CallRecord> {
    const entries = await sealed.list(prefix);
    const numbered = entries.flatMap(({ key, modifiedAt }) => {
      const number = intentNumber(key, prefix);
      return number === undefined ? [] : [{ key, number, storedAt: modifiedAt.getTime() }];
    });
    numbered.sort((a, b) => a.number - b.number);
    const intents = await Promise.all(
      numbered.map(async ({ key, storedAt }) => {
        const intent = await sealed.get<CallIntent>(key);
        return intent === undefined ? [] : [{ ...intent, storedAt }];
      }),
    );
    const last = numbered.at(-1)?.number ?? 0;
    return new CallRecord(sealed, prefix, operation, intents.flat(), last, entries.length === 0);
  }

  /** Now, in epoch milliseconds by the store's clock. */
  async storeTime(): Promise<number> {
    const key = `${this.prefix}clock`;
    await this.sealed.put(key, null);
    const entry = await this.sealed.stat(key);
    if (entry === undefined) throw new Error(`${key} is gone from the lake's staging area`);
    return entry.modifiedAt.getTime();
  }

  async answer<A>(): Promise<KeptAnswer<A> | undefined> {
    if (this.isNew) return undefined;
    const kept = await this.sealed.get<KeptAnswer<A>>(answerKey(this.prefix));
    if (kept === undefined || kept.operation === this.operation) return kept;
    throw new Error(`${this.prefix} holds a call of ${kept.operation}, not of ${this.operation}`);
  }

  /** Durable: a second request may be a second effect. Of two attempts the faster one's counts. */
  async putAnswer<A>(body: A): Promise<KeptAnswer<A>> {
    const answer = { operation: this.operation, at: Date.now(), asked: Math.max(1, this.#last), body };
    return this.sealed.kept<KeptAnswer<A>>(answerKey(this.prefix)).putIfAbsent(answer);
  }

  /** Records, durably, that the request is about to leave. @throws NotSentError where another attempt has done so since */
  async declare(clockAheadMs: number | undefined): Promise<void> {
    const next = this.#last + 1;
    const at = Date.now();
    const intent: CallIntent = { operation: this.operation, at, clockAheadMs: clockAheadMs ?? null };
    if (!(await this.sealed.putIfAbsent(intentKey(this.prefix, next), intent))) {
      throw new NotSentError(this.operation);
    }
    // Only now: an attempt that has seen the former intent must find this number taken.
    await this.retract();
    this.#own = { number: next, at, since: performance.now() };
    this.#last = next;
  }

  /** Epoch milliseconds of this attempt's intent. */
  get declaredAt(): number | undefined {
    return this.#own?.at;
  }

  /** By two clocks: one may be set back, the other stops while the machine sleeps. */
  holds(): boolean {
    if (this.#own === undefined) return false;
    const { at, since } = this.#own;
    return Math.max(Date.now() - at, performance.now() - since) < INTENT_HOLDS_MS;
  }

  /** Milliseconds by the store's clock since it was first called. */
  async unsureFor(): Promise<number> {
    const key = `${this.prefix}unsure`;
    await this.sealed.putIfAbsent(key, null);
    const first = await this.sealed.stat(key);
    return (await this.storeTime()) - (first?.modifiedAt.getTime() ?? Number.NaN);
  }

  /** Counts answers that say nothing of what the service did, with this one. */
  async countUnusable(): Promise<number> {
    const note = { operation: this.operation, at: Date.now() };
    const prefix = `${this.prefix}unusable/`;
    let number = (await this.sealed.list(prefix)).length + 1;
    while (!(await this.sealed.putIfAbsent(`${prefix}${number}`, note))) number += 1;
    return number;
  }

  /** Deletes this attempt's intent: its request had no effect. */
  async retract(): Promise<void> {
    if (this.#own === undefined) return;
    await this.sealed.delete(intentKey(this.prefix, this.#own.number));
    this.#own = undefined;
  }
}

// A directory of their own would cost a disk as much as the record.
function intentKey(prefix: string, number: number): string {
  return `${prefix}intent-${number}`;
}

function intentNumber(key: string, prefix: string): number | undefined {
  const [, number] = /^intent-(\d+)$/.exec(key.slice(prefix.length)) ?? [];
  return number === undefined ? undefined : Number(number);
}
