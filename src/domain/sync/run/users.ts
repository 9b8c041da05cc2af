import { moreUnauthorized, type Unauthorized } from "../../failures.js";
import type { NamedFailure } from "../../waiting.js";
import type { Failure } from "../sync-totals.js";
import { afterUserOutcome, streamOf, type UserProgress } from "../user-reading.js";
import { fairPart, USERS_AT_ONCE } from "./limits.js";
import { type Range, type ReadSliceResult, type SliceWork, sizeOf, splitRanges } from "./slice-work.js";

interface OpenUser {
  readonly progress: UserProgress;
  readonly failure?: NamedFailure | undefined;
}

export interface CarriedUsers {
  /** No slice was given a user from here on. */
  readonly next: number;
  /** Users before `next` whom their slice had no time for. */
  readonly back: readonly Range[];
  readonly again: readonly OpenUser[];
  readonly read: number;
  readonly failed: number;
}

const NONE: CarriedUsers = { next: 0, back: [], again: [], read: 0, failed: 0 };

/** The users of a run: whom to read next, and how many are done. */
export class Users {
  constructor(
    private readonly total: number,
    private state = NONE,
  ) {}

  carry(): CarriedUsers {
    return this.state;
  }

  /** Users who were read, or failed. */
  get ended(): number {
    return this.state.read + this.state.failed;
  }

  /** Users who wait for another try. */
  get again(): readonly OpenUser[] {
    return this.state.again;
  }

  /** Takes at most `most` users for the next slice: those whose retry is due, then fresh ones. */
  take(at: number, most: number): Pick<SliceWork, "users" | "fresh"> {
    const ready = this.again.filter(({ progress }) => progress.notBefore <= at);
    const due = new Set(ready.slice(0, fairPart(ready.length, most)));
    this.#set({ again: this.again.filter((user) => !due.has(user)) });
    const users = [...due].map(({ progress }) => progress);
    return { users, fresh: this.#takesFresh ? this.#takeFresh(most - due.size) : null };
  }

  /** While many users wait, the service has a bad hour, and fresh ones would only join them. */
  get #takesFresh(): boolean {
    return this.again.length < USERS_AT_ONCE;
  }

  /** A slice takes one range: users whom an earlier slice gave back, or the next ones of the roster. */
  #takeFresh(most: number): Range | null {
    const { next, back } = this.state;
    const [given, ...others] = back;
    const part = fairPart(sizeOf(back) + this.total - next, most);
    const [[fresh = null], rest] = splitRanges([given ?? { from: next, to: this.total }], part);
    if (given !== undefined) this.#set({ back: [...rest, ...others] });
    else if (fresh !== null) this.#set({ next: fresh.to });
    return fresh;
  }

  /** Applies a slice's result. Returns the users who failed, and whether the service refused the credentials. */
  apply(
    { fresh }: Pick<SliceWork, "fresh">,
    result: Pick<ReadSliceResult, "usersRead" | "users" | "reached" | "at">,
    jitter: () => number,
  ): { readonly failed: readonly Failure[]; readonly refused: Unauthorized } {
    const again: OpenUser[] = [];
    const failed: Failure[] = [];
    let refused: Unauthorized = false;
    for (const { progress, outcome, failed: owner, failure } of result.users) {
      const verdict = afterUserOutcome(progress, outcome, result.at, jitter());
      if (verdict.kind === "again") again.push({ progress: verdict.progress, failure });
      if (verdict.kind === "stop") refused = moreUnauthorized(refused, verdict.unauthorized);
      if (verdict.kind !== "failed") continue;
      const { reason } = verdict;
      failed.push({ stream: streamOf(reason), owner: owner ?? "", reason });
    }
    const unreached = fresh !== null && result.reached < fresh.to;
    const { state } = this;
    this.#set({
      back: unreached ? [...state.back, { from: result.reached, to: fresh.to }] : state.back,
      again: [...state.again, ...again],
      read: state.read + result.usersRead,
      failed: state.failed + failed.length,
    });
    return { failed, refused };
  }

  tryNow(): void {
    this.#set({
      again: this.again.map((user) => ({ ...user, progress: { ...user.progress, notBefore: 0 } })),
    });
  }

  /** Whether there are users whom no slice has reached. */
  get hasFresh(): boolean {
    return this.total - this.state.next + sizeOf(this.state.back) > 0;
  }

  /** Epoch milliseconds at which the next user is due; undefined where none is left. */
  nextDue(): number | undefined {
    const { again } = this.state;
    if (this.#takesFresh && this.hasFresh) return 0;
    return again.length === 0 ? undefined : Math.min(...again.map(({ progress }) => progress.notBefore));
  }

  #set(change: Partial<CarriedUsers>): void {
    this.state = { ...this.state, ...change };
  }
}
