import { NO_PAUSES, type Pauses, withPause } from "../../domain/pauses.js";
import { nothingWaits } from "../../domain/waiting.js";
import type { GoingGroup, GroupProgress } from "./messages.js";

/** The groups of a run that are going on, as they have told it. */
export class GoingGroups {
  readonly #groups = new Map<number, GoingGroup>();
  #pauses: Pauses;

  /** @param pauses of what the run did before it continued as new */
  constructor(pauses = NO_PAUSES) {
    this.#pauses = pauses;
  }

  /** How long the service wanted no calls. */
  get pauses(): Pauses {
    return this.#pauses;
  }

  /** A group of which nothing was heard yet; `users` are those that it is the first to read. */
  begin(group: number, users: number): void {
    const none = { linksTotal: 0, linksDone: 0, rowsRead: 0, rowsCommitted: 0, ...nothingWaits() };
    this.#groups.set(group, { group, users, waitsUntil: null, ...none });
  }

  take(progress: GroupProgress): void {
    const { throttled_until } = progress;
    const until = throttled_until === null ? null : Date.parse(throttled_until);
    this.#pauses = withPause(this.#pauses, Date.now(), until);
    const before = this.#groups.get(progress.group);
    // What a group told right before its end may come after it.
    if (before !== undefined) this.#groups.set(progress.group, { ...before, ...progress });
  }

  end(group: number): void {
    this.#groups.delete(group);
  }

  get all(): GoingGroup[] {
    return [...this.#groups.values()];
  }
}
