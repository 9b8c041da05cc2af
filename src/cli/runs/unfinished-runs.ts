import type { Client } from "@temporalio/client";
import type { Run } from "../../domain/run.js";
import { NO_REASON, startOfRun } from "../../domain/run.js";
import { JOBS } from "../../jobs/index.js";
import { type EffectClaim, EffectClaims } from "../../lake/bulk/effect-claims.js";
import type { LakeQuery } from "../../lake/query/query.js";
import { rowsOf } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { namespaceId, progressOf, runningRuns, type StartedRun } from "../../temporal/running-workflows.js";
import { batchOf, ONBOARD } from "../onboarding/batch-run.js";
import type { LakeView } from "../session/preflight.js";
import { isPaused } from "../shell/run.js";
import { kindOf } from "./kinds.js";
import type { RunsView } from "./view.js";

/** Finds the runs that have not ended: those that Temporal has, and those of which only the staging is left. */
export async function unfinishedRuns({ client, lake, query }: RunsView): Promise<Run[]> {
  const listed = client === undefined ? [] : await runningRuns(client, lake.taskQueue);
  const going = await Promise.all(listed.map((running) => goingRun(client as Client, running)));
  const known = new Set(going.flatMap(({ run_id, job_id }) => [run_id, job_id]));
  const left = await runsInStaging(lake, query, { isGoing: (id) => known.has(id), client });
  return [...going, ...left.map((run) => ({ ...run, status: leftStatus(run, client !== undefined) }))].sort(
    (a, b) => (a.started_at < b.started_at ? 1 : -1),
  );
}

/** Temporal lists what began a little later than it begins. */
const LISTED_AFTER_MS = 15_000;

/** What a run is that Temporal, where it was asked, does not list. */
export function leftStatus(
  { started_at }: Pick<Run, "started_at">,
  isAsked: boolean,
  now = Date.now(),
): "running" | "interrupted" | "lost" {
  if (!isAsked) return "interrupted";
  return now - Date.parse(started_at) < LISTED_AFTER_MS ? "running" : "lost";
}

export function withoutProgress({ progress: _, ...run }: Run): Run {
  return run;
}

async function goingRun(client: Client, { runId, memo, handle }: StartedRun): Promise<Run> {
  const progress = (await progressOf(client, handle)) ?? null;
  const kind = kindOf(runId)?.kind ?? runId.replace(/-\d{8}T.*$/, "");
  return {
    ...unfinished(runId, kind),
    job_id: kind === ONBOARD.kind ? batchOf(handle.workflowId) : null,
    status: isPaused(progress) ? "paused" : "running",
    schedule: typeof memo.schedule === "string" ? memo.schedule : null,
    progress,
  };
}

/** Finds runs with staging that are not in `runs` and that nothing works on. */
async function runsInStaging(
  { store, keys }: LakeView,
  query: LakeQuery,
  { isGoing, client }: { isGoing(id: string): boolean; readonly client: Client | undefined },
): Promise<Run[]> {
  const folders = await store.folders("_staging/");
  const named = folders.filter((name) => kindOf(name) !== undefined || /^onb_[0-9a-f]{24}$/.test(name));
  const claims = new Map((await claimsOf(store, keys)).map((claim) => [claim.runId, claim.namespaceId]));
  const found = [...named, ...claims.keys()];
  if (found.length === 0) return [];
  const ids = `(${found.map(sqlText).join(", ")})`;
  const sql = `select run_id as id from runs where run_id in ${ids}
    union all select job_id from runs where job_id in ${ids}`;
  const own = client && claims.size > 0 ? await namespaceId(client) : undefined;
  const homeOf = (id: string) =>
    own === undefined ? "unknown" : claims.get(id) === own ? "this" : "another";
  const ended = new Set((await rowsOf<{ readonly id: string }>(query, sql)).map(({ id }) => id));
  return found
    .filter((id) => !ended.has(id) && !isGoing(id))
    .map((id) => {
      const isBatch = kindOf(id) === undefined;
      const run = { ...unfinished(id, kindOf(id)?.kind ?? ONBOARD.kind), job_id: isBatch ? id : null };
      return claims.has(id) ? { ...run, home: homeOf(id) } : run;
    });
}

/** Finds runs of jobs with an effect, whose staging has the name of the job. */
async function claimsOf(store: LakeView["store"], keys: LakeView["keys"]): Promise<EffectClaim[]> {
  if (keys === undefined) return [];
  const sealed = new SealedStore(store, createSealer(keys));
  const effects = JOBS.filter(({ effect }) => effect);
  const holders = await Promise.all(effects.map(({ kind }) => new EffectClaims(sealed, kind).holder()));
  return holders.filter((holder) => holder !== undefined);
}

function unfinished(id: string, kind: string): Run {
  return {
    run_id: id,
    kind,
    job_id: null,
    status: "interrupted",
    schedule: null,
    scheduled_at: null,
    started_at: kindOf(id) === undefined ? "" : startOfRun(id),
    finished_at: null,
    counts: {},
    options: null,
    ...NO_REASON,
  };
}
