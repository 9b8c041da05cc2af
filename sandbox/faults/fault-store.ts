import { Random } from "../world/random.js";
import type { EffectOf, Fault, FaultKind } from "./fault.js";

/** What a fault can select a call by. */
interface FaultTarget {
  readonly operation: string;
  readonly link: string | undefined;
  readonly user: string | undefined;
  readonly business: string | undefined;
  readonly page: number;
  readonly cursor: boolean;
}

/** The fault of a kind that fires for the call at hand now; ask only where it can take effect. */
export type Fire = <K extends FaultKind>(
  kind: K,
  fits?: (fault: EffectOf<K>) => boolean,
) => EffectOf<K> | undefined;

interface Entry {
  readonly fault: Fault & { id: string };
  readonly random: Random;
  met: number;
  fired: number;
}

/** The faults that are set, and how often each met a call and fired. */
export class FaultStore {
  #entries: Entry[] = [];
  #named = 0;

  /** Sets a fault and gives its id; one with the same id is replaced, its counts start at zero again. */
  add(fault: Fault): string {
    const id = fault.id ?? `fault-${++this.#named}`;
    this.remove(id);
    this.#entries.push({ fault: { ...fault, id }, random: new Random(fault.seed ?? 1), met: 0, fired: 0 });
    return id;
  }

  remove(id: string): boolean {
    const before = this.#entries.length;
    this.#entries = this.#entries.filter((entry) => entry.fault.id !== id);
    return this.#entries.length < before;
  }

  clear(): void {
    this.#entries = [];
  }

  list(): (Fault & { id: string; met: number; fired: number })[] {
    return this.#entries.map(({ fault, met, fired }) => ({ ...fault, met, fired }));
  }

  /** The first fault of a kind that fires for a call; counts it. Ask only where the kind can take effect. */
  fire<K extends FaultKind>(kind: K, target: FaultTarget, fits?: (fault: EffectOf<K>) => boolean) {
    for (const entry of this.#entries) {
      const { fault } = entry;
      if (fault.kind !== kind || !meets(fault, target)) continue;
      const effect = fault as unknown as EffectOf<K>;
      if (fits && !fits(effect)) continue;
      entry.met++;
      if (!isDue(entry)) continue;
      entry.fired++;
      return effect;
    }
    return undefined;
  }
}

function meets(fault: Fault, target: FaultTarget): boolean {
  const names = Object.keys(target) as (keyof FaultTarget)[];
  return names.every((name) => fault[name] === undefined || fault[name] === target[name]);
}

function isDue({ fault, met, fired, random }: Entry): boolean {
  if (fault.nth !== undefined && met !== fault.nth) return false;
  if (fault.every !== undefined && met % fault.every !== 0) return false;
  if (met <= (fault.after ?? 0) || fired >= (fault.times ?? Number.POSITIVE_INFINITY)) return false;
  return fault.probability === undefined || random.chance(fault.probability);
}
