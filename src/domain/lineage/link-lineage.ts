import type { Arrival, Departure, TransactionState } from "./departure.js";
import { OpenDepartures } from "./open-departures.js";

/** A change of the feed. */
export interface LineageChange {
  readonly id: string;
  readonly sequence: number;
  /** Of the link: the same for all changes of an update. */
  readonly generation: number;
  /** Null for a removal. */
  readonly state: TransactionState | null;
}

/** What an update did to one transaction. */
interface Passage {
  readonly wasLive: boolean;
  /** The last state that it had, before the update or in it. */
  last: TransactionState | undefined;
  /** The change that gave it that state; undefined for one from before the update. */
  given?: LineageChange;
  /** The change that took it away; undefined while it is live. */
  taken?: LineageChange | undefined;
}

/**
 * Follows the transactions of one link, update by update: which pending ones went, and which posted ones came for them.
 * What is there before an update and after it has neither gone nor come, whatever the update did to it meanwhile.
 */
export class LinkLineage {
  readonly #live = new Map<string, TransactionState>();
  readonly #departed = new Set<string>();
  /** Posted transactions that a departure has become, each with its account. */
  readonly #paired = new Set<string>();
  readonly #open = new OpenDepartures();
  readonly #changed = new Set<Departure>();

  /** Takes a live transaction from before the first update. */
  addLive(id: string, state: TransactionState): void {
    this.#live.set(id, state);
  }

  /** Takes the id of a departure from before the first update, be it open or not. */
  addDeparted(id: string): void {
    this.#departed.add(id);
  }

  /** Takes a posted transaction that a departure became before the first update. */
  addPaired(id: string, account: string | null): void {
    this.#paired.add(pairedKey(id, account));
  }

  /** Takes a departure from before the first update that an arrival may still explain. */
  addOpen(departure: Departure): void {
    this.#open.add(departure);
  }

  /** The departures that updates made or changed. */
  get changed(): ReadonlySet<Departure> {
    return this.#changed;
  }

  /** Applies the changes of one update, in their order. */
  apply(changes: readonly LineageChange[]): void {
    const passages = this.#pass(changes);
    const arrivals: Arrival[] = [];
    for (const [id, { wasLive, last, given, taken }] of passages) {
      if (taken === undefined) this.#return(id);
      if (last === undefined) continue;
      if (
        given !== undefined &&
        !wasLive &&
        last.pending === false &&
        (taken === undefined || isNews(given))
      ) {
        arrivals.push(...this.#arrivalOf(given, last));
      }
      // A full resync tells again what came and went long ago: that is no second departure.
      if (taken !== undefined && last.pending === true && (wasLive || !this.#departed.has(id))) {
        this.#depart(taken, last);
      }
    }
    for (const departure of this.#open.pair(arrivals)) {
      this.#changed.add(departure);
      if (departure.posted !== undefined) this.addPaired(departure.posted.id, departure.state.account_id);
    }
  }

  /** What has come; none where a departure became it before, or has its id: it can't be what two became. */
  #arrivalOf({ id, sequence }: LineageChange, state: TransactionState): Arrival[] {
    const { day, account_id } = state;
    const isExplained = this.#departed.has(id) || this.#paired.has(pairedKey(id, account_id));
    return day === null || isExplained ? [] : [{ id, sequence, state, day }];
  }

  #pass(changes: readonly LineageChange[]): Map<string, Passage> {
    const passages = new Map<string, Passage>();
    for (const change of changes) {
      const { id, state } = change;
      const live = this.#live.get(id);
      const passage: Passage = passages.get(id) ?? { wasLive: live !== undefined, last: live };
      passages.set(id, passage);
      if (state !== null) {
        passage.last = state;
        passage.given = change;
        passage.taken = undefined;
        this.#live.set(id, state);
      } else if (live !== undefined || passage.taken === undefined) {
        // Removing once more what is gone changes nothing.
        passage.taken = change;
        this.#live.delete(id);
      }
    }
    return passages;
  }

  #return(id: string): void {
    const departure = this.#open.get(id);
    if (departure === undefined) return;
    this.#open.remove(departure);
    departure.tier = "returned";
    this.#changed.add(departure);
  }

  #depart({ id, sequence }: LineageChange, state: TransactionState): void {
    if (state.day === null) return;
    const departure: Departure = {
      ...{ id, sequence, state, day: state.day },
      tier: "waiting",
      posted_candidates: 0,
      pending_candidates: 0,
      candidate_ids: [],
    };
    this.#departed.add(id);
    this.#open.add(departure);
    this.#changed.add(departure);
  }
}

/** Whether a change is surely no repetition: a full resync, which tells the past again, begins a new generation. */
function isNews({ generation }: LineageChange): boolean {
  return generation === 1;
}

function pairedKey(id: string, account: string | null): string {
  return JSON.stringify([id, account]);
}
