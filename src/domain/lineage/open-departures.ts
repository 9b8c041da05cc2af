import {
  type Arrival,
  amountKeys,
  CANDIDATE_TIERS,
  type CandidateTier,
  type Departure,
  MOST_CANDIDATES,
  merchantKeys,
  merchantLookups,
  type TransactionState,
} from "./departure.js";

/** A posted transaction is dated at most this many days after its pending one. */
export const WINDOW_DAYS = 14;

/** A departure fits an arrival if one of its lookups is one of the arrival's keys. */
interface TierRule {
  readonly lookups: (state: TransactionState) => string[];
  readonly keys: (state: TransactionState) => string[];
}

const RULES: Readonly<Record<CandidateTier, TierRule>> = {
  exact: { lookups: amountKeys, keys: amountKeys },
  amount_changed: { lookups: merchantLookups, keys: merchantKeys },
};

/** A departure that arrivals of one update fit. */
interface Fit {
  readonly departure: Departure;
  readonly count: number;
  readonly first: readonly Arrival[];
  readonly rivals: number;
}

/** The departures of a link that a later arrival may still explain. */
export class OpenDepartures {
  readonly #byId = new Map<string, Departure>();
  readonly #indexes = {
    exact: indexOf("exact"),
    amount_changed: indexOf("amount_changed"),
  };

  get(id: string): Departure | undefined {
    return this.#byId.get(id);
  }

  add(departure: Departure): void {
    this.#byId.set(departure.id, departure);
    this.#indexes.exact.add(departure);
    if (departure.candidate_tier !== "exact") this.#indexes.amount_changed.add(departure);
  }

  remove(departure: Departure): void {
    this.#byId.delete(departure.id);
    for (const tier of CANDIDATE_TIERS) this.#indexes[tier].remove(departure);
  }

  /**
   * Pairs the arrivals of one update with the departures up to it, and gives the departures that this changed. A pair is
   * made only where each of the two is the other's only candidate at the best tier, now and in earlier updates. What is
   * decided stays decided: later updates never change a pair.
   */
  pair(arrivals: readonly Arrival[]): Departure[] {
    const changed: Departure[] = [];
    let left = arrivals;
    for (const tier of CANDIDATE_TIERS) {
      const degrees = new Map(left.map((arrival) => [arrival, this.#degree(tier, arrival)]));
      const fits = this.#fits(tier, degrees);
      for (const fit of fits) {
        decide(fit, tier);
        if (fit.departure.posted !== undefined) this.remove(fit.departure);
        // Where the amount fits, a merchant alone no longer says anything.
        else if (tier === "exact") this.#indexes.amount_changed.remove(fit.departure);
        changed.push(fit.departure);
      }
      left = left.filter((arrival) => degrees.get(arrival) === 0);
    }
    return changed;
  }

  /** Counts the departures that an arrival fits. */
  #degree(tier: CandidateTier, { state, day }: Arrival): number {
    return this.#indexes[tier].within(RULES[tier].keys(state), day - WINDOW_DAYS, day, 0).count;
  }

  /** Finds the departures that arrivals fit, before any of them is decided. */
  #fits(tier: CandidateTier, degrees: ReadonlyMap<Arrival, number>): Fit[] {
    const { keys, lookups } = RULES[tier];
    const posted = new DayIndex<Arrival>(({ state }) => keys(state));
    // Most arrivals fit nothing: these take no memory here.
    for (const [arrival, degree] of degrees) if (degree > 0) posted.add(arrival);
    const asked = new Set(posted.keys().flatMap((key) => this.#indexes[tier].of(key)));
    return [...asked].flatMap((departure) => {
      const { state, day } = departure;
      const found = posted.within(lookups(state), day, day + WINDOW_DAYS, MOST_CANDIDATES);
      if (found.count === 0) return [];
      const rivals = Math.max(...found.first.map((arrival) => degrees.get(arrival) ?? 0));
      return [{ departure, ...found, rivals }];
    });
  }
}

function indexOf(tier: CandidateTier): DayIndex<Departure> {
  return new DayIndex(({ state }) => RULES[tier].lookups(state));
}

function decide({ departure, count, first, rivals }: Fit, tier: CandidateTier): void {
  if (departure.candidate_tier !== tier) {
    departure.candidate_tier = tier;
    departure.tier = "waiting";
    departure.posted_candidates = 0;
    departure.pending_candidates = 0;
    departure.candidate_ids = [];
  }
  const [only] = first;
  const isPair = departure.tier === "waiting" && count === 1 && rivals === 1;
  departure.tier = isPair ? tier : "ambiguous";
  if (isPair && only !== undefined) departure.posted = only;
  departure.posted_candidates += count;
  departure.pending_candidates = Math.max(departure.pending_candidates, rivals);
  const ids = [...departure.candidate_ids, ...first.map(({ id }) => id)];
  departure.candidate_ids = ids.slice(0, MOST_CANDIDATES);
}

/** Rows by key and day: counts those of a key within some days without looking at each. */
export class DayIndex<T extends { readonly day: number }> {
  readonly #rows = new Map<string, T[]>();

  constructor(private readonly keysOf: (row: T) => readonly string[]) {}

  add(row: T): void {
    for (const key of this.keysOf(row)) {
      const rows = this.#rows.get(key) ?? [];
      rows.splice(firstAfter(rows, row.day), 0, row);
      this.#rows.set(key, rows);
    }
  }

  remove(row: T): void {
    for (const key of this.keysOf(row)) {
      const rows = this.#rows.get(key) ?? [];
      const at = rows.indexOf(row, firstAfter(rows, row.day - 1));
      if (at >= 0) rows.splice(at, 1);
    }
  }

  keys(): string[] {
    return [...this.#rows.keys()];
  }

  /** All rows of a key. */
  of(key: string): readonly T[] {
    return this.#rows.get(key) ?? [];
  }

  /** Counts the rows of some keys from one day to another, and gives the first ones. */
  within(keys: readonly string[], from: number, to: number, most: number) {
    let count = 0;
    const first: T[] = [];
    for (const key of keys) {
      const rows = this.of(key);
      const [low, high] = [firstAfter(rows, from - 1), firstAfter(rows, to)];
      count += high - low;
      first.push(...rows.slice(low, Math.min(high, low + most - first.length)));
    }
    return { count, first };
  }
}

/** Finds the place of the first row after a day. */
function firstAfter(rows: readonly { readonly day: number }[], day: number): number {
  let [low, high] = [0, rows.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle]?.day ?? 0) <= day) low = middle + 1;
    else high = middle;
  }
  return low;
}
