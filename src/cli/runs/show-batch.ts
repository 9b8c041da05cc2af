import { NotThereError } from "../../domain/failures.js";
import { labelledLines } from "../../domain/labelled-lines.js";
import { batchWorkflowId } from "../../domain/onboarding/identity.js";
import type { BatchProgress } from "../../domain/onboarding/messages.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { LATEST_OF_A_LINE, onboardings } from "../../lake/tables/onboardings.js";
import { runs } from "../../lake/tables/runs.js";
import { progressOf } from "../../temporal/running-workflows.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";
import { checkBatchId } from "../onboarding/batches.js";
import type { Finding } from "../shell/seen-run.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { findingsOf } from "./findings.js";
import { findingWords } from "./text.js";
import { type RunsView, withRunsView } from "./view.js";

export interface ShownBatch {
  readonly batch_id: string;
  readonly playbook_key: string | null;
  readonly statuses: Readonly<Record<string, number>>;
  /** The batch's runs that have ended, the newest first. */
  readonly runs: readonly { readonly run_id: string; readonly status: string }[];
  /** Progress by its workflow; null where none is running, or no worker answers. */
  readonly progress: BatchProgress | null;
  readonly findings: readonly Finding[];
}

/** What a batch is read from. */
export const BATCH_TABLES = [onboardings, runs] as const;

/** Shows the state of a batch. Returns the exit code. @throws NotThereError where the lake knows nothing of it. */
export async function showBatch(terminal: Terminal, batchId: string, json: boolean): Promise<number> {
  const shown = await withRunsView(terminal, (view) =>
    withStoreQuery(view.lake.store, (query) => readBatch(view, query, batchId), { tables: BATCH_TABLES }),
  );
  showResult(terminal, json, shown, text);
  return EXIT.completed;
}

/** Reads the state of a batch. @throws NotThereError where the lake knows nothing of it. */
export async function readBatch(
  { client, lake: { scope, config } }: RunsView,
  query: LakeQuery,
  batchId: string,
): Promise<ShownBatch> {
  checkBatchId(batchId);
  const handle = client?.workflow.getHandle(batchWorkflowId(scope, batchId));
  const progress = client && handle && (await progressOf<BatchProgress>(client, handle));
  const statuses = await rowsOf<{ status: string; playbook_key: string; count: number }>(
    query,
    `select status, playbook_key, count(*) as count from (select * from onboardings where batch_id = '${batchId}'
      ${LATEST_OF_A_LINE}) group by all order by count desc, status`,
  );
  const ended = await rowsOf<ShownBatch["runs"][number]>(
    query,
    `select run_id, status from runs where job_id = '${batchId}' order by started_at desc limit 5`,
  );
  if (statuses.length + ended.length === 0 && progress === undefined) {
    throw new NotThereError(
      `batch ${batchId} is not running and has no outcomes in the lake ${config.lake.address}. Give the id of a batch in the table onboardings.`,
    );
  }
  return {
    batch_id: batchId,
    playbook_key: statuses[0]?.playbook_key ?? null,
    statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, Number(count)])),
    runs: ended,
    progress: progress ?? null,
    findings: await findingsOf(query, { kind: "onboard", job_id: batchId, run_id: "" }),
  };
}

function text({ batch_id, playbook_key, statuses, runs, progress, findings }: ShownBatch): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
  const [latest] = runs;
  return labelledLines([
    ["batch", batch_id],
    ["playbook", playbook_key],
    ["recorded", counts.length === 0 ? "nothing yet" : counts.join(", ")],
    ["running", progress && progressWords(progress)],
    ["last run", latest === undefined ? null : `${latest.run_id} ${latest.status}`],
    ...findings.map(findingWords),
  ]).join("\n");
}

/** Says how far a batch is. */
export function progressWords({ customers: { total, queued, running }, paused }: BatchProgress): string {
  const words = `${total - queued - running}/${total} customers, ${running} running`;
  return paused === null ? words : `${words}; paused: ${paused.reason}`;
}
