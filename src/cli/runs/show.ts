import { NotThereError } from "../../domain/failures.js";
import { type Labelled, labelledLines } from "../../domain/labelled-lines.js";
import { meantWords } from "../../domain/words/nearest.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";
import type { Finding, SeenRun } from "../shell/seen-run.js";
import { showResult } from "../terminal/colours.js";
import { EXIT } from "../terminal/exit-code.js";
import type { Terminal } from "../terminal/terminal.js";
import { endedRun, nearRun } from "./ended-runs.js";
import { findingsOf, skippedIn } from "./findings.js";
import { kindNamed, kindOf } from "./kinds.js";
import {
  costWords,
  doneWords,
  findingWords,
  nextWords,
  openRunWords,
  tookWords,
  waitingWords,
} from "./text.js";
import { listedRun, type UnfinishedRun, unfinishedRuns } from "./unfinished-runs.js";
import { type RunsView, withRunsView } from "./view.js";

/** Everything that is known of a run, as `runs show --json` prints it. */
export interface ShownRun extends SeenRun {
  readonly duration_ms: number | null;
  /** Progress by the run's workflow; null where the run has ended or no worker answers. */
  readonly progress: unknown;
  readonly findings: readonly Finding[];
  /** The lake's root when the run ended (docs/use/tables.md, "Root"); null before that, or if it could not be computed. */
  readonly lake_root: string | null;
}

/** Reads what is known of a run; also the run itself where it has not ended. @throws NotThereError where there is none of that id */
export async function readRun(
  view: RunsView,
  query: LakeQuery,
  id: string,
): Promise<readonly [ShownRun, UnfinishedRun | undefined]> {
  const ended = await endedRun(query, id);
  if (ended !== undefined) {
    const findings = [...(await findingsOf(query, ended)), ...(await skippedIn(query, ended))];
    const counts = { ...ended.counts, ...(await ownCounts(query, ended)) };
    const { lake_root } = ended;
    return [{ ...facts({ ...ended, counts }), findings, lake_root }, undefined];
  }
  const unfinished = await unfinishedRuns(view, query);
  const open = unfinished.find(({ run_id }) => run_id === id);
  const ids = unfinished.map(({ run_id }) => run_id);
  if (open === undefined) throw noRun(id, await nearRun(query, id, ids));
  const { progress = null } = open;
  const findings = await findingsOf(query, open);
  return [{ ...facts(listedRun(open)), progress, findings, lake_root: null }, open];
}

export async function showRun(terminal: Terminal, id: string, json: boolean): Promise<number> {
  return withRunsView(terminal, async (view) => {
    const shown = await withStoreQuery(view.lake.store, (query) => readRun(view, query, id), {
      tables: [runs, linkSyncs, runFailures, ...(kindOf(id)?.tables ?? [])],
    });
    const [run, open] = shown;
    if (view.missing !== undefined && open?.status === "interrupted") terminal.say(view.missing);
    showResult(terminal, json, run, () => [...runLines(run), ...openLines(terminal, open)].join("\n"));
    return EXIT.completed;
  });
}

/** What a kind counts besides rows, as its tables say. */
async function ownCounts(query: LakeQuery, { kind, run_id }: SeenRun): Promise<Record<string, number>> {
  const counted = kindNamed(kind)?.countedRows?.(run_id);
  if (counted === undefined) return {};
  const rows = await rowsOf<{ readonly name: string; readonly count: number }>(query, counted);
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
}

export function noRun(id: string, near?: string): NotThereError {
  return new NotThereError(
    `there is no run ${id} in this lake. Nothing was changed.${meantWords(near)} To list its runs: nightledger runs list`,
  );
}

function facts(run: SeenRun): Omit<ShownRun, "findings" | "lake_root"> {
  const { started_at, finished_at } = run;
  const duration_ms = finished_at === null ? null : Date.parse(finished_at) - Date.parse(started_at);
  return { ...run, duration_ms, progress: null };
}

function runLines(run: ShownRun): string[] {
  const { run_id, kind, job_id, status, schedule, scheduled_at, findings, reason } = run;
  const took = tookWords(run);
  const times = [run.started_at && `from ${run.started_at}`, run.finished_at && `to ${run.finished_at}`];
  const done = doneWords(run);
  const due = scheduled_at === null ? "" : `, due ${scheduled_at}`;
  return labelledLines([
    ["run", run_id],
    ["status", `${status}${took === "" ? "" : ` in ${took}`}`],
    ["why", reason && `${reason}: ${run.message}`],
    ["time", run.started_at === "" ? null : times.filter(Boolean).join(" ")],
    ["batch", kind === "onboard" ? job_id : null],
    ["schedule", schedule && `${schedule}${due}`],
    ["counts", done === "" ? null : done],
    ["cost", costWords(run)],
    ["root", run.lake_root],
    ...findings.map(findingWords),
    ...nextWords(run, findings).map((words): Labelled => ["next", words]),
  ]);
}

function openLines(terminal: Terminal, open: UnfinishedRun | undefined): string[] {
  if (open === undefined) return [];
  const isWatched = open.progress !== undefined;
  return [
    ...labelledLines([["progress", openRunWords(terminal, open)]]),
    ...waitingWords(open),
    ...labelledLines([["next", isWatched ? `nightledger runs watch ${open.run_id}` : null]]),
  ];
}
