import { cancellationSignal } from "@temporalio/activity";
import { bringUpCurrent } from "../../lake/history/current-table.js";
import { isHistory } from "../../lake/history/history-spec.js";
import { materialize as materializeLake } from "../../lake/materialize/materialize.js";
import { withHeartbeat } from "../heartbeat.js";
import type { SyncDependencies } from "./dependencies.js";

interface MaterializeInput {
  readonly runId: string;
}

/**
 * Brings `transactions` up to the feed's head, and small tables up to their histories (docs/inside/architecture.md,
 * "Materialize" and "Histories of changes").
 */
export async function materialize(deps: SyncDependencies, input: MaterializeInput): Promise<void> {
  await withHeartbeat(async () => {
    const { because, rows } = await materializeLake(deps.lake, {
      runId: input.runId,
      signal: cancellationSignal(),
    });
    if (because !== undefined) deps.log.warn({ because, rows }, "rebuilt transactions from the whole feed");
    for (const table of deps.streams.map((stream) => stream.table).filter(isHistory)) {
      const current = await bringUpCurrent(deps.lake, table, input.runId);
      if (current.because !== undefined) {
        deps.log.warn({ ...current, table: table.name }, "rebuilt a small table from its history");
      }
    }
  });
}
