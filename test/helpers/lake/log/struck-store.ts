import type { ObjectStore } from "../../../../src/lake/store/object-store.js";

/** What goes wrong at one step of a store: an error before or after it, or the end of the process that asks. */
export const STRIKES = ["refused", "answer lost", "killed before", "killed after"] as const;

/** A store of which one step goes wrong. */
interface StruckStore extends ObjectStore {
  /** Whether the step was reached. */
  struck(): boolean;
}

/** Wraps a store so that its n-th step, from 1, goes wrong; once the process is killed, every step after it does. */
export function strikeAt(store: ObjectStore, nth: number, strike: (typeof STRIKES)[number]): StruckStore {
  let steps = 0;
  const isOver = () => steps > nth && strike.startsWith("killed");
  const step =
    <A extends readonly unknown[], T>(work: (...given: A) => Promise<T>) =>
    async (...given: A): Promise<T> => {
      steps += 1;
      const mine = steps === nth;
      if (isOver() || (mine && (strike === "refused" || strike === "killed before"))) throw new Error(strike);
      const done = await work(...given);
      if (mine || isOver()) throw new Error(strike);
      return done;
    };
  return {
    ...store,
    struck: () => steps >= nth,
    get: step(store.get),
    stat: step(store.stat),
    stats: step(store.stats),
    put: step(store.put),
    putIfAbsent: step(store.putIfAbsent),
    list: step(store.list),
    delete: step(store.delete),
    download: step(store.download),
    uploadAll: step(store.uploadAll),
  };
}
