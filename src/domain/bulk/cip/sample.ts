import type { CipException } from "./exceptions.js";

/** What an examiner draws from, each with a number of people of its own. */
export const STRATA = ["exceptions", "manual_approval", "incomplete", "high_risk", "random"] as const;
export type Stratum = (typeof STRATA)[number];

export type SampleSizes = Readonly<Record<Stratum, number>>;

/** How many of each an export takes where nobody says. */
export const DEFAULT_SAMPLE: SampleSizes = {
  exceptions: 5,
  manual_approval: 5,
  incomplete: 5,
  high_risk: 5,
  random: 5,
};

/** What decides the strata of a member. */
interface Drawn {
  readonly status: "exported" | "failed" | "excluded";
  readonly risk: string | null;
  readonly exceptions: readonly CipException[];
}

/** The strata that a member belongs to; none for one that was excluded. */
export function strataOf({ status, risk, exceptions }: Drawn): Stratum[] {
  if (status === "excluded") return [];
  const has = (kind: CipException["kind"]) => exceptions.some((one) => one.kind === kind);
  const belongs: Readonly<Record<Stratum, boolean>> = {
    exceptions: exceptions.some(({ kind }) => kind !== "manual_approval" && kind !== "no_report"),
    manual_approval: has("manual_approval"),
    incomplete: status === "failed" || has("missing"),
    high_risk: risk?.trim().toLowerCase() === "high",
    random: true,
  };
  return STRATA.filter((stratum) => belongs[stratum]);
}

interface Draw {
  readonly fpId: string;
  readonly lot: string;
}

/** Draws of each stratum those with the smallest lots: the same seed draws the same people, in whatever order. */
export class SampleDraw {
  readonly #strata: Readonly<Record<Stratum, { drawn: Draw[]; of: number }>>;

  /** @param lotOf gives texts that are as good as random, such as a hash under the seed. */
  constructor(
    private readonly sizes: SampleSizes,
    private readonly lotOf: (stratum: Stratum, fpId: string) => string,
  ) {
    const strata = STRATA.map((stratum) => [stratum, { drawn: [], of: 0 }]);
    this.#strata = Object.fromEntries(strata) as Record<Stratum, { drawn: Draw[]; of: number }>;
  }

  add(fpId: string, strata: readonly Stratum[]): void {
    for (const stratum of strata) {
      const own = this.#strata[stratum];
      own.of += 1;
      const lot = this.lotOf(stratum, fpId);
      const after = own.drawn.findIndex((other) => other.lot > lot);
      own.drawn.splice(after < 0 ? own.drawn.length : after, 0, { fpId, lot });
      own.drawn.splice(this.sizes[stratum]);
    }
  }

  /** Everybody who was drawn, by id, with the strata that drew them. */
  people(): { fpId: string; strata: readonly Stratum[] }[] {
    const strata = new Map<string, Stratum[]>();
    for (const stratum of STRATA) {
      for (const { fpId } of this.#strata[stratum].drawn)
        strata.set(fpId, [...(strata.get(fpId) ?? []), stratum]);
    }
    return [...strata]
      .map(([fpId, drawnBy]) => ({ fpId, strata: drawnBy }))
      .sort((a, b) => (a.fpId < b.fpId ? -1 : 1));
  }

  counts(): { stratum: Stratum; drawn: number; of: number }[] {
    return STRATA.map((stratum) => {
      const { drawn, of } = this.#strata[stratum];
      return { stratum, drawn: drawn.length, of };
    });
  }
}
