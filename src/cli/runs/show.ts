import { durationWords } from "../../domain/duration.js";
import { NotThereError } from "../../domain/failures.js";
import { batchWorkflowId } from "../../domain/onboarding/identity.js";
import type { BatchProgress } from "../../domain/onboarding/messages.js";
import type { Finding, Run } from "../../domain/run.js";
import { counted } from "../../domain/words/counted.js";
import { meantWords } from "../../domain/words/nearest.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import { detailTables, type RunDetails, runDetails } from "../../intake/runs/ended-runs.js";
import { findingsOf, slowestLinks } from "../../intake/runs/findings.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { LATEST_OF_A_LINE, onboardings } from "../../lake/tables/onboardings.js";
import { runs } from "../../lake/tables/runs.js";
import { progressOf } from "../../temporal/running-workflows.js";
import { nearRun } from "../lake/near-run.js";
import { checkBatchId } from "../onboarding/batches.js";
import { type JsonFlag, showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { kindOf } from "./kinds.js";
import {
  costWords,
  doneWords,
  findingWords,
  nextWords,
  openRunWords,
  tookWords,
  waitingWords,
} from "./text.js";
import { unfinishedRuns } from "./unfinished-runs.js";
import { type RunsView, withRunsView } from "./view.js";

/** Reads what is known of a run; also the run itself where it has not ended. @throws NotThereError where there is none of that id */
export async function readRun(view: RunsView, id: string): Promise<readonly [RunDetails, Run | undefined]> {
  const { query } = view;
  const ended = await runDetails(query, id);
  if (ended !== undefined) return [ended, undefined];
  const unfinished = await unfinishedRuns(view);
  const open = unfinished.find(({ run_id }) => run_id === id);
  const ids = unfinished.map(({ run_id }) => run_id);
  if (open === undefined) throw noRun(id, await nearRun(query, id, ids));
  const { progress = null } = open;
  const findings = await findingsOf(query, open);
  const slowest = await slowestLinks(query, id);
  const noRow = { lake_root: null, command: null, phases: [], duration_ms: null };
  return [{ ...open, ...noRow, progress, findings, slowest }, open];
}

/** Shows a run, or the state of a batch, as their ids say. @throws NotThereError where the lake knows nothing of it */
export function showRunOrBatch(terminal: Terminal, id: string, flags: JsonFlag): Promise<void> {
  return (id.startsWith("onb_") ? showBatch : showRun)(terminal, id, flags);
}

export async function showRun(terminal: Terminal, id: string, { json }: JsonFlag): Promise<void> {
  return withRunsView(terminal, detailTables(kindOf(id)?.kind), async (view) => {
    const [run, open] = await readRun(view, id);
    if (view.missing !== undefined && open?.status === "interrupted") terminal.say(view.missing);
    showResult(terminal, json, run, () => [...runLines(run), ...openLines(open)]);
  });
}

export function noRun(id: string, near?: string): NotThereError {
  return new NotThereError(
    `there is no run ${id} in this lake. Nothing was changed.${meantWords(near)} To list its runs: nightledger runs list`,
  );
}

function runLines(run: RunDetails): string[] {
  const { run_id, kind, job_id, status, schedule, scheduled_at, findings, reason } = run;
  const took = tookWords(run);
  const times = [run.started_at && `from ${run.started_at}`, run.finished_at && `to ${run.finished_at}`];
  const done = doneWords(run);
  const phases = run.phases.map(({ phase, began_at, ended_at }) => {
    return `${phase} ${durationWords(Date.parse(ended_at) - Date.parse(began_at))}`;
  });
  const slowest = run.slowest.map(
    ({ link_id, ms, pages }) => `${link_id}: ${durationWords(ms)}, ${counted(pages, "page")}`,
  );
  const due = scheduled_at === null ? "" : `, due ${scheduled_at}`;
  return labelledLines([
    ["run", run_id],
    ["status", `${status}${took === "" ? "" : ` in ${took}`}`],
    ["command", run.command],
    ["why", reason && `${reason}: ${run.message}`],
    ["time", run.started_at === "" ? null : times.filter(Boolean).join(" ")],
    ["batch", kind === "onboard" ? job_id : null],
    ["schedule", schedule && `${schedule}${due}`],
    ["phases", phases.join(", ") || null],
    ["counts", done === "" ? null : done],
    ["cost", costWords(run)],
    ["slowest", slowest],
    ["root", run.lake_root],
    ...findings.map(findingWords),
    ...nextWords(run, findings).map((words): Labelled => ["next", words]),
  ]);
}

function openLines(open: Run | undefined): string[] {
  if (open === undefined) return [];
  const isWatched = open.progress != null;
  return [
    ...labelledLines([["progress", openRunWords(open)]]),
    ...waitingWords(open),
    ...labelledLines([["next", isWatched ? `nightledger runs watch ${open.run_id}` : null]]),
  ];
}

export interface ShownBatch {
  readonly batch_id: string;
  readonly playbook_key: string | null;
  readonly statuses: Readonly<Record<string, number>>;
  readonly runs: readonly { readonly run_id: string; readonly status: string }[];
  /** Progress by its workflow; null where none is running, or no worker answers. */
  readonly progress: BatchProgress | null;
  readonly findings: readonly Finding[];
}

export const BATCH_TABLES = [onboardings, runs] as const;

async function showBatch(terminal: Terminal, batchId: string, { json }: JsonFlag): Promise<void> {
  const shown = await withRunsView(terminal, BATCH_TABLES, (view) => readBatch(view, batchId));
  showResult(terminal, json, shown, text);
}

/** Reads the state of a batch. @throws NotThereError where the lake knows nothing of it. */
export async function readBatch(
  { client, query, lake: { scope, config } }: RunsView,
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
    statuses: Object.fromEntries(statuses.map(({ status, count }) => [status, count])),
    runs: ended,
    // A workflow that has ended still says how far it came.
    progress: ended.some(({ run_id }) => run_id === progress?.runId) ? null : (progress ?? null),
    findings: await findingsOf(query, { kind: "onboard", job_id: batchId, run_id: "" }),
  };
}

function text({ batch_id, playbook_key, statuses, runs, progress, findings }: ShownBatch): string[] {
  const counts = Object.entries(statuses).map(([status, count]) => `${count} ${status}`);
  const [latest] = runs;
  return labelledLines([
    ["batch", batch_id],
    ["playbook", playbook_key],
    ["recorded", counts.length === 0 ? "nothing yet" : counts.join(", ")],
    ["running", progress && progressWords(progress)],
    ["last run", latest === undefined ? null : `${latest.run_id} ${latest.status}`],
    ...findings.map(findingWords),
  ]);
}

export function progressWords({ customers: { total, queued, running }, paused }: BatchProgress): string {
  const words = `${total - queued - running}/${total} customers, ${running} running`;
  return paused === null ? words : `${words}; paused: ${paused.reason}`;
}
