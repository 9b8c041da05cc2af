import { cancellationSignal } from "@temporalio/activity";
import { materialize as materializeLake } from "../../lake/materialize/materialize.js";
import type { Dependencies } from "../dependencies.js";
import { withHeartbeat } from "../heartbeat.js";

interface MaterializeInput {
  readonly runId: string;
}

/** Brings `transactions` up to the feed's head (docs/architecture.md, "Materialize"). */
export async function materialize(deps: Dependencies, input: MaterializeInput): Promise<void> {
  const { because, rows } = await withHeartbeat(() =>
    materializeLake(deps.lake, { runId: input.runId, signal: cancellationSignal() }),
  );
  if (because !== undefined) deps.log.warn({ because, rows }, "transactions was rebuilt from the whole feed");
}
