import {
  ActivityFailure,
  CancellationScope,
  condition,
  continueAsNew,
  defineQuery,
  defineSignal,
  getExternalWorkflowHandle,
  proxyActivities,
  setHandler,
  sleep,
  workflowInfo,
} from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { DueRows } from "../../activities/onboarding/follow/apply-slices.js";
import { groupedBy } from "../../domain/grouped-by.js";
import type { CustomerInput } from "../../domain/onboarding/batch/batch-state.js";
import type { AddressedReport } from "../../domain/onboarding/customer/open-customer.js";
import {
  type CustomerNews,
  type Inbox,
  least,
  type ShardFacts,
  shardOf,
} from "../../domain/onboarding/follow/shard.js";
import { BATCH_SIGNALS, FOLLOW_SIGNALS, type FollowProgress } from "../../domain/onboarding/messages.js";
import {
  HEARTBEATING,
  ROW_SLICES_AT_ONCE,
  ROWS_AT_ONCE,
  ROWS_IN_WORK,
  SLICE_PAUSE_MS,
  STEPS_OF_ROWS,
  STOP_AFTER_MS,
} from "../policies.js";
import { runLog } from "../run-details.js";

const { applySlices, findRows } = proxyActivities<Activities>(HEARTBEATING);
const { workRows } = proxyActivities<Activities>(STEPS_OF_ROWS);

const MOST_IN_SLICE = 50;
/** Fewest rows of a slice, where there are as many: one that is slow holds up the others. */
const LEAST_IN_SLICE = 25;
/** The same where the service decides within its answer. */
const LEAST_DECIDED_IN_SLICE = 5;

const EMPTY: Inbox = { rows: [], news: [], stops: [], tryNow: false };

interface FollowState {
  readonly version: number;
  readonly shards: Readonly<Record<number, ShardFacts>>;
  readonly inbox: Inbox;
  readonly ended: readonly string[];
  readonly applied: readonly string[];
  readonly worked: readonly string[];
  readonly lost?: readonly string[];
}

interface Slice extends DueRows {
  readonly scope: CancellationScope;
}

const NEW: FollowState = { version: 0, shards: {}, inbox: EMPTY, ended: [], applied: [], worked: [] };

class FollowRun {
  #state: FollowState;
  #telling = 0;
  readonly #slices = new Map<string, Slice>();

  constructor(carried: FollowState = NEW) {
    this.#state = carried;
    const add = (change: (inbox: Inbox) => Partial<Inbox>) => {
      const { inbox } = this.#state;
      this.#change({ inbox: { ...inbox, ...change(inbox) } });
    };
    const { handOver, news, stop, tryNow } = FOLLOW_SIGNALS;
    setHandler(defineSignal<[readonly CustomerInput[]]>(handOver), (more) =>
      add(({ rows }) => ({ rows: [...rows, ...more] })),
    );
    setHandler(defineSignal<[readonly CustomerNews[]]>(news), (more) =>
      add(({ news }) => ({ news: [...news, ...more] })),
    );
    setHandler(defineSignal<[string]>(stop), (batchId) => {
      add(({ stops }) => ({ stops: [...stops, batchId] }));
      this.#stopSlices(batchId);
    });
    setHandler(defineSignal(tryNow), () => add(() => ({ tryNow: true })));
    setHandler(defineQuery<FollowProgress>("progress"), () => this.#progress);
  }

  get state(): FollowState {
    return this.#state;
  }

  #change(change: Partial<FollowState>): void {
    this.#state = { ...this.#state, ...change };
  }

  get #isIdle(): boolean {
    return this.#slices.size === 0 && this.#telling === 0;
  }

  async run(): Promise<"done" | "long"> {
    if (this.#state.version === 0) this.#change(await retryForever(findRows));
    for (;;) {
      await condition(() => this.#isCalled || this.#isDone || this.#isOver, this.#waitMs);
      if (this.#isDone) return "done";
      if (this.#isOver) return "long";
      this.#change({ version: await this.#apply(this.#state.version + 1) });
    }
  }

  get #isOver(): boolean {
    return workflowInfo().continueAsNewSuggested && this.#isIdle;
  }

  get #isDone(): boolean {
    return (
      this.#isIdle && !this.#isCalled && Object.values(this.#state.shards).every(({ rows }) => rows === 0)
    );
  }

  /** Whether something came that does not wait until a row is due. */
  get #isCalled(): boolean {
    const { inbox, ended, worked } = this.#state;
    const { rows, news, stops, tryNow } = inbox;
    return tryNow || [rows, news, stops, ended, worked].some(({ length }) => length > 0);
  }

  get #room(): number {
    if (workflowInfo().continueAsNewSuggested || this.#slices.size >= ROW_SLICES_AT_ONCE) return 0;
    return Math.max(0, ROWS_IN_WORK - this.#busy.length);
  }

  get #busy(): string[] {
    return [...this.#slices.values()].flatMap(({ keys }) => keys);
  }

  get #next(): number | null {
    return least(Object.values(this.#state.shards).flatMap(({ next }) => next ?? []));
  }

  get #waitMs(): number {
    const next = this.#next;
    if (next === null || this.#room === 0) return LONGEST_WAIT_MS;
    return Math.min(LONGEST_WAIT_MS, Math.max(1, next - Date.now()));
  }

  /** Applies what happened as this version, or as a higher one; returns which it was. */
  async #apply(first: number): Promise<number> {
    const { inbox, ended: slices, applied, worked } = this.#state;
    const { rows, news, stops, tryNow } = inbox;
    const now = Date.now();
    const left = rows.slice(ROWS_AT_ONCE);
    this.#change({
      // A batch that was cancelled may have rows among those that are left.
      inbox: { ...EMPTY, rows: left, news: news.slice(ROWS_AT_ONCE), stops: left.length > 0 ? stops : [] },
      ended: [],
      applied: slices,
      worked: [],
    });
    const room = this.#room;
    const isDue = ([, { next }]: [string, ShardFacts]) => room > 0 && next !== null && next <= now;
    const shards = Object.entries(this.#state.shards).filter(isDue);
    const due = [...shards.map(([shard]) => Number(shard)), ...worked.map(shardOf)];
    const taken = { rows: rows.slice(0, ROWS_AT_ONCE), news: news.slice(0, ROWS_AT_ONCE), stops, tryNow };
    const input = { ...taken, now, slices, applied, busy: this.#busy, due, room };
    for (let version = first; ; ) {
      const result = await retryForever((lossy) => applySlices({ ...input, version, ...lossy }));
      if (result.taken === undefined) {
        this.#change({ shards: { ...this.#state.shards, ...result.shards } });
        if (result.lost) this.#change({ lost: [...(this.#state.lost ?? []), ...result.lost] });
        this.#tell(result.reports);
        for (const [at, some] of slicesOf(result.due).entries()) void this.#work(`${version}-${at}`, some);
        // Of batches that were stopped meanwhile.
        for (const batchId of this.#state.inbox.stops) this.#stopSlices(batchId);
        return version;
      }
      version = result.taken + 1;
    }
  }

  async #work(name: string, rows: DueRows): Promise<void> {
    const { keys } = rows;
    const scope = new CancellationScope();
    this.#slices.set(name, { ...rows, scope });
    try {
      await scope.run(() => workRows({ slice: name, keys, dueAt: Date.now() }));
      this.#change({ ended: [...this.#state.ended, name] });
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      if (!scope.consideredCancelled) await sleep(SLICE_PAUSE_MS);
    }
    this.#slices.delete(name);
    this.#change({ worked: [...this.#state.worked, ...keys] });
  }

  #stopSlices(batchId: string): void {
    const slices = [...this.#slices.values()].filter((slice) => slice.batchId === batchId);
    for (const { decisionSecs, scope } of slices) {
      void sleep(STOP_AFTER_MS + 1_000 * decisionSecs).then(() => scope.cancel());
    }
  }

  /** A batch that has ended waits for none. */
  #tell(reports: readonly AddressedReport[]): void {
    for (const [id, those] of groupedBy(reports, ({ batchWorkflowId }) => batchWorkflowId)) {
      this.#telling += 1;
      void getExternalWorkflowHandle(id)
        .signal(
          BATCH_SIGNALS.reported,
          those.map(({ report }) => report),
        )
        .catch(() => undefined)
        .finally(() => {
          this.#telling -= 1;
        });
    }
  }

  get #progress(): FollowProgress {
    const shards = Object.values(this.#state.shards);
    const instant = (at: number | null) => (at === null ? null : new Date(at).toISOString());
    return {
      rows: shards.reduce((sum, { rows }) => sum + rows, 0),
      oldest: instant(least(shards.flatMap(({ oldest }) => oldest ?? []))),
      next: instant(this.#next),
      ...(this.#state.lost && { lost: this.#state.lost }),
    };
  }
}

/** A timer may be at most this long; the rows are looked at again then. */
const LONGEST_WAIT_MS = 3_600_000;

/** Failures after which objects that can't be read are taken for lost. */
const MOST_FAILURES = 3;

/** Does something until it succeeds: without it no row goes on. */
async function retryForever<R>(work: (lossy?: { readonly withoutLost: true }) => Promise<R>): Promise<R> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await (failures < MOST_FAILURES ? work() : work({ withoutLost: true }));
    } catch (error) {
      if (!(error instanceof ActivityFailure)) throw error;
      runLog.warn(
        { error: error.cause?.message },
        "open rows can't be brought up to date now; the next attempt follows soon",
      );
      await sleep(SLICE_PAUSE_MS);
    }
  }
}

function slicesOf(due: readonly DueRows[]): DueRows[] {
  return due.flatMap((rows) => {
    const fewest = rows.decisionSecs > 0 ? LEAST_DECIDED_IN_SLICE : LEAST_IN_SLICE;
    const size = Math.min(MOST_IN_SLICE, Math.max(fewest, Math.ceil(rows.keys.length / ROW_SLICES_AT_ONCE)));
    const slices: DueRows[] = [];
    for (let from = 0; from < rows.keys.length; from += size) {
      slices.push({ ...rows, keys: rows.keys.slice(from, from + size) });
    }
    return slices;
  });
}

/**
 * Works on the open rows of a lake: posts and polls them in slices, waits until the next one is due or there is news,
 * and tells their batches. It ends when no row is open; the next row starts it again. What it knows of rows is in the
 * staging area, so that its history holds row numbers and ids of the service only.
 */
export async function follow({ carried }: { readonly carried?: FollowState }): Promise<void> {
  const run = new FollowRun(carried);
  if ((await run.run()) === "done") return;
  await continueAsNew<typeof follow>({ carried: run.state });
}
