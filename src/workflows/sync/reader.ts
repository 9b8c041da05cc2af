import { condition, proxyActivities, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { SLICES_AT_ONCE } from "../../domain/sync/run/limits.js";
import type { SliceWork } from "../../domain/sync/run/slice-work.js";
import { SliceWorkers } from "../../domain/sync/run/slice-workers.js";
import type { SyncState } from "../../domain/sync/run/sync-state.js";
import { gateMs } from "../../domain/waiting.js";
import { FIRST_SLICE_BUDGET_MS, IN_STAGING, LONG_PAUSE_MS, SLICE_BUDGET_MS } from "../policies.js";
import type { Publisher } from "./publisher.js";

const { readSlice } = proxyActivities<Activities>(IN_STAGING);

interface ReaderEvents {
  read(): void;
  /** Before a wait in which nothing else is done. */
  waits(): void;
}

/** Reads in slices, several at a time, so that calls never wait for the next activity. */
export class Reader {
  readonly #slices = new Set<Promise<void>>();
  readonly #workers = new SliceWorkers();
  #started = 0;
  /** `Promise.race` would lose one that comes just when another slice ends. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly run: Pick<SyncRun, "runId" | "roster" | "options">,
    private readonly state: SyncState,
    private readonly publisher: Publisher,
    private readonly events: ReaderEvents,
  ) {}

  /** Until nothing is left, or until the history has `grown` and the run must continue as new. */
  async readAll(): Promise<"done" | "grown"> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.error;
        const grown = workflowInfo().continueAsNewSuggested;
        if (!grown && this.#startSlice()) continue;
        if (this.#slices.size > 0) {
          await Promise.race(this.#slices);
          continue;
        }
        // A load may find a page lost, and then its link is due again.
        await this.publisher.flush();
        if (grown) return "grown";
        const due = this.state.nextDue();
        if (due !== undefined) await this.#waitUntil(due);
        else if (!this.state.tryAgain()) return "done";
      }
    } finally {
      await Promise.allSettled(this.#slices);
      await this.publisher.idle().catch(() => undefined);
    }
  }

  #startSlice(): boolean {
    if (this.#slices.size >= this.#workers.slicesAtOnce) return false;
    // They differ in size: if all ended at once, no call would be in flight.
    const share = Math.min(this.#started + 1, SLICES_AT_ONCE) / SLICES_AT_ONCE;
    const work = this.state.takeSlice(Date.now(), share);
    if (work === undefined) return false;
    this.#started += 1;
    const slice = this.#kept(this.#readSlice(work)).finally(() => {
      this.#slices.delete(slice);
    });
    this.#slices.add(slice);
    return true;
  }

  async #readSlice(work: SliceWork): Promise<void> {
    const { runId, roster, options } = this.run;
    const slice = await readSlice({
      ...options,
      ...work,
      only: options.links,
      runId,
      groupSize: roster.groupSize,
      size: this.state.size,
      budgetMs: this.#workers.isKnown ? SLICE_BUDGET_MS : FIRST_SLICE_BUDGET_MS,
    });
    this.#workers.ended(slice.worker);
    this.state.applySlice(work, slice);
    this.events.read();
    await this.publisher.publish();
    const pause = gateMs(slice);
    if (pause <= 0) return;
    if (pause >= LONG_PAUSE_MS) {
      // Finished links need not wait for the service.
      await this.publisher.flush();
      this.events.waits();
    }
    // The run can end although the service wants a pause.
    if (this.state.nextDue() === undefined) return;
    await condition(() => this.state.unauthorized !== false || this.#failure !== undefined, pause);
  }

  async #kept(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  async #waitUntil(due: number): Promise<void> {
    const wait = due - Date.now();
    if (wait <= 0) return;
    if (wait >= LONG_PAUSE_MS) this.events.waits();
    await condition(() => (this.state.nextDue() ?? due) < due, wait);
  }
}
