import { cancellationSignal } from "@temporalio/activity";
import type { NewRun } from "../../domain/run.js";
import { bringUpHistories } from "../../lake/history/current-table.js";
import { bringUpLinks } from "../../lake/lineage/bring-up-links.js";
import { materialize as materializeLake } from "../../lake/materialize/materialize.js";
import type { SyncDependencies } from "./dependencies.js";

/** Pairs get this long of the hour that the activity has; `nightledger materialize` has no limit. */
const PAIRS_TIME_MS = 20 * 60_000;

/**
 * Brings `transactions` up to the feed, each small table up to its history, and at last `transaction_links` to the version
 * of `transactions` (docs/inside/rules.md, "Materialize", "Histories of changes" and "Pairs of pending and posted").
 */
export async function materialize(
  dependencies: SyncDependencies,
  { runId }: Pick<NewRun, "runId">,
): Promise<void> {
  const { lake, log, streams } = dependencies;
  const { because, rows } = await materializeLake(lake, { runId, signal: cancellationSignal() });
  if (because !== undefined) log.warn({ because, rows }, "rebuilt transactions from the whole feed");
  const tables = streams.map(({ table }) => table);
  for await (const rebuilt of bringUpHistories(lake, tables, runId)) {
    log.warn(rebuilt, "rebuilt a small table from its history");
  }
  await pairTransactions(dependencies, runId);
}

/** Nothing but `transaction_links` depends on pairs, so whatever is wrong with them never fails a run. */
async function pairTransactions({ lake, log }: SyncDependencies, runId: string): Promise<void> {
  const cancelled = cancellationSignal();
  const tooLong = AbortSignal.timeout(PAIRS_TIME_MS);
  try {
    const signal = AbortSignal.any([cancelled, tooLong]);
    const links = await bringUpLinks(lake, { prefix: runId, signal });
    if (links.because !== undefined) log.warn(links, "rebuilt transaction_links from the whole feed");
  } catch (error) {
    cancelled.throwIfAborted();
    const next = tooLong.aborted
      ? "run `nightledger materialize`, which has no time limit"
      : "the next sync tries again";
    log.warn({ err: error }, `transaction_links was not brought up to the feed; ${next}`);
  }
}
