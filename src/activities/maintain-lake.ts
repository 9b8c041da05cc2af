import { cancellationSignal } from "@temporalio/activity";
import { type NewRun, NO_REASON } from "../domain/run.js";
import type { TableSpec } from "../lake/delta/delta-schema.js";
import { maintain } from "../lake/maintain/maintain.js";
import type { Dependencies } from "./dependencies.js";
import { writeRunRow } from "./run-row.js";

export interface MaintainDependencies extends Dependencies {
  /** Every table that this version knows. */
  readonly tables: readonly TableSpec[];
  readonly retention: NonNullable<Parameters<typeof maintain>[2]["retention"]>;
}

/** Maintains the lake, and writes the run's row. What a killed attempt has done, the next one finds done. */
export async function maintainLake(
  deps: MaintainDependencies,
  { retainDays, ...run }: NewRun & { readonly retainDays: number },
): Promise<void> {
  const { lake, tables, retention, log } = deps;
  const signal = cancellationSignal();
  const {
    tables: _,
    left_alone,
    ...report
  } = await maintain(lake, tables, {
    ...{ retainDays, retention, signal },
  });
  for (const { why } of left_alone) log.warn({ run_id: run.runId }, why);
  log.info({ run_id: run.runId, ...report }, "maintained the lake");
  const options = { retain_days: retainDays };
  const ended = { jobId: "", kind: "maintain", status: "completed", options, why: NO_REASON } as const;
  await writeRunRow(deps, { ...run, ...ended });
}
