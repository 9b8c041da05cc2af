import type { Attempted, ItemVerdict } from "../domain/item-state.js";

/** What became of the items of one slice. */
interface SliceReport<R> {
  readonly results: readonly R[];
  /** Epoch milliseconds. */
  readonly at: number;
  /** Epoch milliseconds until which the service wants no calls; null where it takes them. */
  readonly gateUntil: number | null;
}

/** How items are advanced. */
interface Advance<P extends Attempted, R> {
  /** Runs one slice over items whose time has come. */
  slice(due: readonly P[]): Promise<SliceReport<R>>;
  /** Takes one item's result and says what becomes of the item. It must keep every verdict but `again` itself. */
  judge(result: R, at: number): ItemVerdict<P>;
  /** Notes what is open after a slice. */
  note(open: readonly P[], gateUntil: number | null): void;
  /** Waits while nothing can be done. */
  pause(ms: number): Promise<unknown>;
  /** Whether to stop before the next slice: what is open stays open. */
  stops?(): boolean;
}

/**
 * Advances items slice by slice until none is open. Waits while all items wait or the service wants a pause. Stops
 * after a slice in which the service refused the credentials.
 */
export async function advanceAll<P extends Attempted, R>(
  items: readonly P[],
  { slice, judge, note, pause, stops }: Advance<P, R>,
): Promise<"done" | "stopped"> {
  let open = [...items];
  while (open.length > 0) {
    if (stops?.()) return "stopped";
    const due = open.filter(({ notBefore }) => notBefore <= Date.now());
    if (due.length === 0) {
      await pause(Math.max(1, Math.min(...open.map(({ notBefore }) => notBefore)) - Date.now()));
      continue;
    }
    const { results, at, gateUntil } = await slice(due);
    open = open.filter((item) => !due.includes(item));
    let refused = false;
    for (const result of results) {
      const verdict = judge(result, at);
      if (verdict.kind === "again") open.push(verdict.progress);
      if (verdict.kind === "stop") refused = true;
    }
    if (refused) return "stopped";
    note(open, gateUntil);
    if (gateUntil !== null && gateUntil > at) await pause(gateUntil - at);
  }
  return "done";
}
