import type { SliceWork, UserRange, UserResult } from "../../activities/sync/read/slice-work.js";
import type { Failure } from "../../domain/sync/sync-totals.js";
import { afterUserOutcome, streamOf, type UserProgress } from "../../domain/sync/user-reading.js";
import type { NamedFailure } from "../../domain/waiting.js";
import { USERS_AT_ONCE } from "../policies.js";
import { sizeOf } from "./ranges.js";

/** A user who is asked for again. */
interface OpenUser {
  readonly progress: UserProgress;
  /** The last failure, where it was named. */
  readonly failure?: NamedFailure | undefined;
}

/** What becomes of a run's users, as it is carried through continue-as-new. */
export interface CarriedUsers {
  /** Users before this one were given to a slice. */
  readonly next: number;
  /** Those of them whom no slice has come to. */
  readonly back: readonly UserRange[];
  readonly again: readonly OpenUser[];
  readonly read: number;
  readonly failed: number;
}

/** The users of a run: whom to read next, and who is read. */
export class Users {
  #next: number;
  #back: UserRange[];
  #again: OpenUser[];
  #read: number;
  #failed: number;

  constructor(
    private readonly total: number,
    carried: CarriedUsers = { next: 0, back: [], again: [], read: 0, failed: 0 },
  ) {
    this.#next = carried.next;
    this.#back = [...carried.back];
    this.#again = [...carried.again];
    this.#read = carried.read;
    this.#failed = carried.failed;
  }

  carry(): CarriedUsers {
    return {
      next: this.#next,
      back: this.#back,
      again: this.#again,
      read: this.#read,
      failed: this.#failed,
    };
  }

  /** Users who were read, or failed. */
  get ended(): number {
    return this.#read + this.#failed;
  }

  /** Whom no slice has come to. */
  private get untouched(): number {
    return this.total - this.#next + sizeOf(this.#back);
  }

  /** Users who wait for another try. */
  get again(): readonly OpenUser[] {
    return this.#again;
  }

  /** Takes at most so many users for the next slice: first those whose time has come again. */
  take(at: number, most: number): Pick<SliceWork, "users" | "fresh"> {
    const due = new Set(this.#again.filter(({ progress }) => progress.notBefore <= at).slice(0, most));
    this.#again = this.#again.filter((user) => !due.has(user));
    const users = [...due].map(({ progress }) => progress);
    return { users, fresh: this.#takesFresh ? this.#takeFresh(most - due.size) : null };
  }

  /** While many wait, their service has a bad hour, and the others would only join them. */
  get #takesFresh(): boolean {
    return this.#again.length < USERS_AT_ONCE;
  }

  #takeFresh(most: number): UserRange | null {
    if (most <= 0) return null;
    const range = this.#back.shift() ?? { from: this.#next, to: this.total };
    if (range.from === range.to) return null;
    const to = Math.min(range.to, range.from + most);
    if (range.from >= this.#next) this.#next = to;
    else if (to < range.to) this.#back.unshift({ from: to, to: range.to });
    return { from: range.from, to };
  }

  /** Takes back what a slice says of its users. Returns who failed, and whether the key was refused. */
  apply(
    { fresh }: Pick<SliceWork, "fresh">,
    result: {
      readonly usersRead: number;
      readonly users: readonly UserResult[];
      readonly reached: number;
      readonly at: number;
    },
    jitter: () => number,
  ): { readonly failed: readonly Failure[]; readonly refused: boolean } {
    if (fresh !== null && result.reached < fresh.to) {
      this.#back.push({ from: result.reached, to: fresh.to });
    }
    this.#read += result.usersRead;
    const failed: Failure[] = [];
    let refused = false;
    for (const { progress, outcome, failed: owner, failure } of result.users) {
      const verdict = afterUserOutcome(progress, outcome, result.at, jitter());
      if (verdict.kind === "again") this.#again.push({ progress: verdict.progress, failure });
      if (verdict.kind === "stop") refused = true;
      if (verdict.kind !== "failed") continue;
      const { reason } = verdict;
      failed.push({ stream: streamOf(reason), owner: owner ?? "", reason });
    }
    this.#failed += failed.length;
    return { failed, refused };
  }

  /** Epoch milliseconds at which the next user is due; undefined where none waits. */
  nextDue(): number | undefined {
    if (this.#takesFresh && this.untouched > 0) return 0;
    const times = this.#again.map(({ progress }) => progress.notBefore);
    return times.length === 0 ? undefined : Math.min(...times);
  }
}
