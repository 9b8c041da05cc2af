import { fairPart, USERS_AT_ONCE } from "./limits.js";
import {
  type OpenUser,
  type Range,
  type ReadSliceResult,
  type SliceWork,
  sizeOf,
  splitRanges,
} from "./slice-work.js";

export interface UsersState {
  /** No slice has them from here on. */
  next: number;
  /** Before `next`: their slice had no time. */
  back: readonly Range[];
  /** They wait for another try. */
  again: readonly OpenUser[];
  /** Read, or failed. */
  ended: number;
}

/** The users of a run. */
export class Users {
  constructor(
    private readonly total: number,
    private readonly state: UsersState,
  ) {}

  /** Those whose retry is due, then fresh ones. */
  take(at: number, most: number): Pick<SliceWork, "users" | "fresh"> {
    const { again } = this.state;
    const ready = again.filter(({ progress }) => progress.notBefore <= at);
    const due = new Set(ready.slice(0, fairPart(ready.length, most)));
    this.state.again = again.filter((user) => !due.has(user));
    const users = [...due].map(({ progress }) => progress);
    return { users, fresh: this.#takesFresh ? this.#takeFresh(most - due.size) : null };
  }

  /** The service has a bad hour, and fresh users would only join those who wait. */
  get #takesFresh(): boolean {
    return this.state.again.length < USERS_AT_ONCE;
  }

  /** A slice takes one range: users whom an earlier one gave back, or the next ones of the roster. */
  #takeFresh(most: number): Range | null {
    const { next, back } = this.state;
    const [first, ...others] = back;
    const part = fairPart(sizeOf(back) + this.total - next, most);
    const [[fresh = null], rest] = splitRanges([first ?? { from: next, to: this.total }], part);
    if (first !== undefined) this.state.back = [...rest, ...others];
    else if (fresh !== null) this.state.next = fresh.to;
    return fresh;
  }

  applySlice(
    { fresh }: SliceWork,
    {
      users,
      failed,
      usersRead,
      reached,
    }: Pick<ReadSliceResult, "users" | "failed" | "usersRead" | "reached">,
  ): void {
    const { state } = this;
    if (fresh !== null && reached < fresh.to) state.back = [...state.back, { from: reached, to: fresh.to }];
    state.again = [...state.again, ...users];
    state.ended += usersRead + failed.length;
  }

  tryNow(): void {
    this.state.again = this.state.again.map((user) => {
      return { ...user, progress: { ...user.progress, notBefore: 0 } };
    });
  }

  get hasFresh(): boolean {
    return this.total - this.state.next + sizeOf(this.state.back) > 0;
  }

  /** Infinite where none is left. */
  get nextDue(): number {
    if (this.#takesFresh && this.hasFresh) return 0;
    return Math.min(...this.state.again.map(({ progress }) => progress.notBefore));
  }
}
