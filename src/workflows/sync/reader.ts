import { condition, proxyActivities, sleep, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { SyncRun } from "../../domain/sync/job.js";
import { IN_STAGING, LONG_PAUSE_MS, SLICE_BUDGET_MS, SLICES_AT_ONCE } from "../policies.js";
import type { Publisher } from "./publisher.js";
import type { NumberedWork, SyncState } from "./sync-state.js";

const { readSlice } = proxyActivities<Activities>(IN_STAGING);

/** What else is told of the reading. */
interface ReaderEvents {
  /** After each slice. */
  read(): void;
  /** Before a wait in which nothing else is done. */
  waits(): void;
}

/** Reads a run's users and links in slices, several at a time, so that calls never wait for the next activity. */
export class Reader {
  readonly #slices = new Set<Promise<void>>();
  #started = 0;
  /** Kept here, because what fails in the very moment in which another ends would be lost to the race. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly run: Pick<SyncRun, "runId" | "roster" | "options">,
    private readonly state: SyncState,
    private readonly publisher: Publisher,
    private readonly events: ReaderEvents,
  ) {}

  /** Reads, loads and commits until nothing is left; `grown` when the rest belongs into a new history. */
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
        // What is finished belongs into this history, and a page found lost while it is loaded begins its link anew.
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
    if (this.#slices.size >= SLICES_AT_ONCE) return false;
    // The first slices are of different lengths: slices that end together leave nothing that calls.
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

  async #readSlice(work: NumberedWork): Promise<void> {
    const { state } = this;
    const { runId, roster, options } = this.run;
    const { streams, links: only, full } = options;
    const { groupSize } = roster;
    const { size } = state;
    const budgetMs = SLICE_BUDGET_MS;
    const slice = await readSlice({ ...work, runId, groupSize, streams, only, full, size, budgetMs });
    state.applySlice(work, slice);
    this.events.read();
    await this.publisher.publish();
    const pause = slice.gateUntil === null ? 0 : slice.gateUntil - slice.at;
    if (pause <= 0) return;
    if (pause >= LONG_PAUSE_MS) {
      // What is finished does not wait for the service.
      await this.publisher.flush();
      this.events.waits();
    }
    // Where nothing is left to read, the end of the run waits for nobody.
    if (this.state.nextDue() === undefined) return;
    await condition(() => this.state.unauthorized || this.#failure !== undefined, pause);
  }

  async #kept(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Waits for the first thing that is due; no timer where it is by now. */
  async #waitUntil(due: number): Promise<void> {
    const wait = due - Date.now();
    if (wait <= 0) return;
    if (wait >= LONG_PAUSE_MS) this.events.waits();
    await sleep(wait);
  }
}
