import { activityInfo, cancellationSignal } from "@temporalio/activity";
import type { Reply } from "../api/http/exchange.js";
import type { Operation, ParamsOf } from "../api/operations/operation.js";
import { mapConcurrent } from "../domain/concurrent-work.js";
import { countedCalls } from "./counted-calls.js";
import type { Dependencies } from "./dependencies.js";
import { connectionsFree } from "./event-loop.js";
import { withHeartbeat } from "./heartbeat.js";

/** A slice ends here too, so that loading goes on beside reading and staging stays small. */
const SLICE_BYTES = 16 * 1024 * 1024;

/** While one owner's page is parsed and staged, another one has the call. */
const LANES_PER_CALL = 2;

/** What the owners of one slice share: time, calls, cancellation. */
export interface Slice<D extends Dependencies = Dependencies> {
  /** Those of the activity, whose calls are counted here. */
  readonly deps: D;
  /** Epoch milliseconds after which no call leaves. */
  readonly deadline: number;
  /** As {@link isRepeated}. */
  readonly repeated: boolean;
  /** Whether another page may be asked for: time and bytes left, not cancelled. */
  hasTime(): boolean;
  /** Makes one call within the slice's time and counts it. */
  call<O extends Operation>(operation: O, params: ParamsOf<O>): Promise<Reply>;
  /** Counts a call that a lost attempt made: its page was found staged. */
  countFound(): void;
  countBytes(bytes: number): void;
}

/** Whether the activity that calls it may have staged something before: a lost attempt. */
export function isRepeated(): boolean {
  return activityInfo().attempt > 1;
}

/** A slice as it begins, and how many calls have been made in it. */
interface StartedSlice<D extends Dependencies> {
  readonly slice: Slice<D>;
  readonly calls: number;
}

/** Begins a slice in the activity that calls it. */
export function startSlice<D extends Dependencies>(
  deps: D,
  { runId, budgetMs }: { readonly runId: string; readonly budgetMs: number },
): StartedSlice<D> {
  const signal = cancellationSignal();
  const deadline = Date.now() + budgetMs;
  const counted = countedCalls(deps);
  let found = 0;
  let bytes = 0;
  const slice: Slice<D> = {
    deps: counted.deps,
    deadline,
    repeated: isRepeated(),
    hasTime: () => !signal.aborted && Date.now() < deadline && bytes < SLICE_BYTES,
    countFound: () => {
      found += 1;
    },
    countBytes: (more) => {
      bytes += more;
    },
    call: async (operation, params) => {
      const reply = await counted.deps.api.call(operation, params, {
        signal,
        run: runId,
        notAfter: deadline,
      });
      await connectionsFree();
      return reply;
    },
  };
  return {
    slice,
    get calls() {
      return counted.calls + found;
    },
  };
}

/**
 * Runs `work` over owners, as many at once as calls may be in flight, heartbeating, and counts the calls.
 * When time is up, owners that were not reached still come back: `work` sees `hasTime()` false.
 */
export async function runSlice<D extends Dependencies, T, R>(
  deps: D,
  budget: { readonly runId: string; readonly budgetMs: number },
  owners: readonly T[],
  work: (owner: T, slice: Slice<D>) => Promise<R>,
): Promise<{ results: R[]; calls: number }> {
  const started = startSlice(deps, budget);
  const results = await withHeartbeat(() =>
    mapConcurrent(LANES_PER_CALL * deps.concurrency, owners, (owner) => work(owner, started.slice)),
  );
  cancellationSignal().throwIfAborted();
  return { results, calls: started.calls };
}
