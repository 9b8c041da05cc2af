import fc from "fast-check";
import type { Change } from "../feed-lake.js";

/** Few of everything, so that nearly every feed has pairs, rivals, and ids that go and come back, some in both roles. */
const IDS = {
  pending: ["1", "2", "3", "4", "5", "6", "x'y", "q1"],
  posted: ["q1", "q2", "q3", "q4", "q5", "q6", "💸", "1"],
};
/** The days of a pending one and a posted one are 0, 1, 13, 14 or 15 days apart, sometimes the wrong way round. */
const DATES = {
  pending: ["2026-05-05", "2026-05-05", "2026-05-06"],
  posted: ["2026-05-05", "2026-05-06", "2026-05-19", "2026-05-20"],
};
const step = fc.record({
  kind: fc.constantFrom("pending", "pending", "posted", "posted", "removed", "removed", "removed"),
  /** Places of its id and its date among those that can be meant. */
  place: fc.nat({ max: 30 }),
  day: fc.nat({ max: 11 }),
  amount: fc.constantFrom("1", "1", "7", "9"),
  account: fc.constantFrom("one", "one", "one", "one", "one", "one", "two"),
  merchant: fc.constantFrom("m", "m", "m", "n", " ", undefined),
  description: fc.constantFrom("tram", "tram", "", undefined),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** What happens to a link between two updates; a full resync tells all before it again. */
const LINK_NIGHT = fc.record({
  steps: fc.array(step, { maxLength: 14, size: "max" }),
  resync: fc.constantFrom(false, false, false, false, false, false, true),
});
type LinkNight = typeof LINK_NIGHT extends fc.Arbitrary<infer T> ? T : never;

/** The nights of a link. */
export function linkNights(minLength: number, maxLength: number): fc.Arbitrary<LinkNight[]> {
  return fc.array(LINK_NIGHT, { minLength, maxLength, size: "max" });
}

/** Tells the nights of a link as its feed: one update each. */
export function told(link: string, nights: readonly LinkNight[]): Change[][] {
  const service = new ToldLink(link);
  return nights.map(({ steps, resync }, night) => service.update(`run-${night}`, steps, resync));
}

type State = Omit<Change, "sequence">;

/** What the service knows of a link. */
class ToldLink {
  #sequence = 0;
  #generation = 1;
  readonly #live = new Map<string, State>();
  readonly #gone = new Map<string, State>();

  constructor(private readonly link: string) {}

  update(run: string, steps: readonly Step[], resync: boolean): Change[] {
    const again = resync ? this.#tellAgain() : [];
    return [...again, ...steps.map((one) => this.#take(one))].map((change) => {
      this.#sequence += 1;
      const { link } = this;
      return { ...change, link, run, sequence: this.#sequence, generation: this.#generation };
    });
  }

  #take({ kind, place, day, merchant, description, ...values }: Step): State {
    const live = [...this.#live.keys()];
    const pending = live.filter((id) => this.#live.get(id)?.pending);
    const from = kind === "removed" ? [...pending, ...live, ...IDS.pending] : IDS[kind];
    const id = from[place % from.length] as string;
    if (kind === "removed") return this.#remove(id);
    const date = DATES[kind][day % DATES[kind].length] as string;
    const state = {
      ...{ id, date, ...values, pending: kind === "pending" },
      ...(merchant !== undefined && { merchant }),
      ...(description !== undefined && { description }),
    };
    const type = this.#live.has(id) ? "updated" : "created";
    this.#live.set(id, state);
    return { ...state, type };
  }

  #remove(id: string): State {
    const state = this.#live.get(id);
    if (state !== undefined) this.#gone.set(id, state);
    this.#live.delete(id);
    return { id, type: "removed" };
  }

  /** Tells what came and went, what is live, and by inference what is lost. */
  #tellAgain(): State[] {
    this.#generation += 1;
    const past = [...this.#gone].filter(([id]) => !this.#live.has(id));
    const lost = [...this.#live.keys()].filter((_, at) => at % 3 === 2);
    const inferred = lost.map((id) => ({ ...this.#remove(id), inferred: true }));
    return [
      ...past.flatMap(([id, state]) => [state, { id, type: "removed" as const }]),
      ...this.#live.values(),
      ...inferred,
    ];
  }
}
