import { activityInfo } from "@temporalio/activity";
import { SHORT_RETRY, triesOf } from "../domain/backoff.js";
import { type Phases, shownPhases } from "../domain/phases.js";
import type { EndReason, NewRun, RunStatus } from "../domain/run.js";
import type { Lake } from "../lake/lake.js";
import { appendRun } from "../lake/root/lake-root.js";
import { appendOnce } from "../lake/tables/append.js";
import { writeRows } from "../lake/tables/parquet-file.js";
import { runFailures } from "../lake/tables/runs.js";
import type { Logger } from "../logger.js";
import { VERSION } from "../version.js";
import type { Dependencies } from "./dependencies.js";

interface EndedRun extends NewRun {
  readonly jobId: string;
  /** First word of the run's id. */
  readonly kind: string;
  readonly status: RunStatus;
  /** What was requested; nothing personal. */
  readonly options: object;
  readonly rosterSha256?: string | undefined;
  /** Counts by column; those left out are null. */
  readonly counts?: Readonly<Record<string, number>>;
  readonly phases?: Phases;
  /** Of a bulk job, for the metrics: how many rows of its file were done, failed or skipped. */
  readonly rows?: Readonly<Record<"done" | "failed" | "skipped", number>>;
  /** Why it ended so. */
  readonly why: EndReason;
}

export interface EndedRow {
  readonly duration_ms: number;
  /** The lake's root when the run ended; null if it could not be computed. */
  readonly lake_root: string | null;
}

const LEVELS = {
  completed: "info",
  running: "info",
  paused: "info",
  cancelled: "warn",
  completed_with_failures: "warn",
  failed: "error",
} as const satisfies Record<RunStatus, keyof Logger>;

/** Writes the row of a run that has ended once, with the lake's root, logs the end, and calls `runEnded`. */
export async function writeRunRow(
  { api, lake, log, metrics, runEnded }: Pick<Dependencies, "api" | "lake" | "log" | "metrics" | "runEnded">,
  run: EndedRun,
): Promise<EndedRow> {
  const { runId, startedAt, firing } = run;
  const due = firing && { schedule: firing.schedule, dueAt: firing.dueAt };
  const finishedAt = new Date();
  const row = {
    run_id: runId,
    job_id: run.jobId,
    kind: run.kind,
    status: run.status,
    options: JSON.stringify(run.options),
    roster_sha256: run.rosterSha256,
    ...run.counts,
    started_at: startedAt,
    finished_at: finishedAt.toISOString(),
    version: VERSION,
    schedule: firing?.schedule,
    scheduled_at: firing?.dueAt,
    command: run.command,
    phases: run.phases && JSON.stringify(shownPhases(run.phases, finishedAt)),
    ...run.why,
    service_time: api.serviceTime,
  };
  const lake_root = await appendRun(lake, runId, row, (error) =>
    log.error({ run_id: runId, err: error }, "could not compute the lake's root; the run's row has none"),
  );
  const duration_ms = finishedAt.getTime() - Date.parse(startedAt);
  const { kind, status, why } = run;
  const told = { run_id: runId, kind, status, ...why, ...due, ...run.counts, duration_ms, lake_root };
  const words = why.reason === "not_begun" ? `run did not begin: ${why.message}` : "run ended";
  log[LEVELS[run.status]](told, words);
  metrics?.runEnded({
    ...{ kind, status, schedule: firing?.schedule, seconds: duration_ms / 1_000 },
    ...{ counts: run.counts ?? {}, rows: run.rows },
  });
  await runEnded?.(runId);
  return { duration_ms, lake_root };
}

interface RunFailure {
  /** Given for a sync. */
  readonly stream?: string;
  /** Given for a bulk job: line of its file. */
  readonly line?: number;
  readonly owner: string;
  readonly reason: string;
  /** The service's words, masked. */
  readonly message?: string;
}

/** Writes what failed in one part of a run, once. */
export async function recordFailures(
  lake: Lake,
  { runId, part }: { readonly runId: string; readonly part: string },
  failures: readonly RunFailure[],
): Promise<void> {
  if (failures.length === 0) return;
  const failed_at = new Date().toISOString();
  await appendOnce(lake, runFailures, `${runId}/${part}`, () =>
    writeRows(
      lake,
      runFailures,
      runId,
      failures.map((failure) => ({ run_id: runId, ...failure, failed_at })),
    ),
  );
}

/** Deletes what an ended run staged; where that fails, the run ends all the same. */
export async function dropStaged(log: Logger, run_id: string, drop: () => Promise<void>): Promise<void> {
  await drop().catch((error) => {
    if (activityInfo().attempt < triesOf(SHORT_RETRY)) throw error;
    log.warn({ run_id, err: error }, "could not delete what the run staged; `maintain` will");
  });
}
