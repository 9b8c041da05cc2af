import { cancellationSignal } from "@temporalio/activity";
import type { NewRun } from "../../domain/run.js";
import { bringUpHistories } from "../../lake/history/current-table.js";
import { materialize as materializeLake } from "../../lake/materialize/materialize.js";
import type { SyncDependencies } from "./dependencies.js";

/** Brings `transactions` and the small tables up (docs/inside/rules.md, "Materialize" and "Histories of changes"). */
export async function materialize(
  { lake, log, streams }: SyncDependencies,
  { runId }: Pick<NewRun, "runId">,
): Promise<void> {
  const { because, rows } = await materializeLake(lake, { runId, signal: cancellationSignal() });
  if (because !== undefined) log.warn({ because, rows }, "rebuilt transactions from the whole feed");
  const tables = streams.map(({ table }) => table);
  for await (const rebuilt of bringUpHistories(lake, tables, runId)) {
    log.warn(rebuilt, "rebuilt a small table from its history");
  }
}
