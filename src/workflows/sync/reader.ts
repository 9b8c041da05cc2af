import { proxyActivities, workflowInfo } from "@temporalio/workflow";
import type { Activities } from "../../activities/create-activities.js";
import type { GroupRef } from "../../activities/sync/group-plan.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import type { LinkProgress } from "../../domain/sync/link-progress.js";
import { noTotals } from "../../domain/sync/sync-totals.js";
import {
  BRIEF,
  HEARTBEATING,
  LINKS_AT_ONCE,
  LINKS_PER_SLICE,
  LONG_PAUSE_MS,
  SLICE_BUDGET_MS,
  SLICES_AT_ONCE,
} from "../policies.js";
import type { GroupState } from "./group-state.js";
import type { ProgressTeller } from "./progress-teller.js";
import type { Publisher } from "./publisher.js";

const { extract } = proxyActivities<Activities>(HEARTBEATING);
const { admitLinks } = proxyActivities<Activities>(BRIEF);

/** Reads a group's links in slices over different links, so that calls never wait for the next activity. */
export class Reader {
  readonly #slices = new Set<Promise<void>>();
  #started = 0;
  #admitting: Promise<void> | undefined;
  /** Kept here, because what fails in the very moment in which another ends would be lost to the race. */
  #failure: { readonly error: unknown } | undefined;

  constructor(
    private readonly options: SyncOptions,
    private readonly state: GroupState,
    private readonly ref: GroupRef,
    private readonly publisher: Publisher,
    private readonly teller: ProgressTeller,
  ) {}

  /** Reads, loads and commits until nothing is open; `grown` when the rest belongs into a new history. */
  async run(): Promise<"done" | "grown"> {
    try {
      for (;;) {
        if (this.#failure !== undefined) throw this.#failure.error;
        const grown = workflowInfo().continueAsNewSuggested;
        if (!grown && this.#startSomething()) continue;
        if (await this.#oneEnded()) continue;
        if (grown) return "grown";
        // A page found torn while it was loaded begins its link anew.
        await this.publisher.flush();
        if (!this.state.reading) return "done";
        await this.#untilDue();
      }
    } finally {
      await Promise.allSettled([...this.#slices, this.#admitting]);
      await this.publisher.idle().catch(() => undefined);
    }
  }

  #startSomething(): boolean {
    return this.#startAdmitting() || this.#startSlice();
  }

  #startAdmitting(): boolean {
    if (this.#admitting !== undefined || !this.state.reading) return false;
    const links = this.state.takeToAdmit(LINKS_AT_ONCE);
    if (links.length === 0) return false;
    this.#admitting = this.#kept(this.#admit(links)).finally(() => {
      this.#admitting = undefined;
    });
    return true;
  }

  async #admit(links: readonly number[]): Promise<void> {
    this.state.admit(await admitLinks({ ...this.ref, links }));
  }

  #startSlice(): boolean {
    if (this.#slices.size >= SLICES_AT_ONCE || !this.state.reading) return false;
    const due = this.state.takeDue(Date.now(), this.#linksOfSlice());
    if (due.length === 0) return false;
    this.#started += 1;
    const slice = this.#kept(this.#readSlice(due)).finally(() => {
      this.#slices.delete(slice);
    });
    this.#slices.add(slice);
    return true;
  }

  /** The first slices are of different lengths: slices that end together leave nothing that calls. */
  #linksOfSlice(): number {
    return Math.ceil((LINKS_PER_SLICE * Math.min(this.#started + 1, SLICES_AT_ONCE)) / SLICES_AT_ONCE);
  }

  async #readSlice(due: readonly LinkProgress[]): Promise<void> {
    const { state, ref, options } = this;
    const slice = await extract({ ...ref, links: due, budgetMs: SLICE_BUDGET_MS });
    state.applySlice(slice.links, options.pageSize, slice.at);
    state.count({ ...noTotals(), calls: slice.calls });
    state.throttledUntil = slice.gateUntil;
    await this.publisher.publish();
    const pause = slice.gateUntil === null ? 0 : slice.gateUntil - slice.at;
    // What is finished does not wait for the service.
    if (pause >= LONG_PAUSE_MS) await this.publisher.flush();
    else if (state.reading) await this.teller.tell();
    if (pause > 0) await this.teller.pause(pause);
  }

  async #kept(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      this.#failure ??= { error };
    }
  }

  /** Waits for one of the things under way; false when there is none. */
  async #oneEnded(): Promise<boolean> {
    const underWay = this.#admitting === undefined ? [...this.#slices] : [...this.#slices, this.#admitting];
    if (underWay.length === 0) return false;
    await Promise.race(underWay);
    return true;
  }

  /** Waits for the first link whose wait ends; no timer where one is due by now. */
  async #untilDue(): Promise<void> {
    const wait = (this.state.nextDue() ?? 0) - Date.now();
    if (wait > 0) await this.teller.pause(wait);
  }
}
