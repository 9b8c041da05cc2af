import type { NewRun, RunStatus } from "../domain/run.js";
import { appendOnce } from "../lake/tables/append.js";
import { writeRows } from "../lake/tables/parquet-file.js";
import { runs } from "../lake/tables/runs.js";
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
  /** Why a run did not begin. */
  readonly message?: string;
}

const LEVELS = {
  completed: "info",
  running: "info",
  paused: "info",
  cancelled: "warn",
  completed_with_failures: "warn",
  failed: "error",
} as const satisfies Record<RunStatus, keyof Logger>;

/** Writes the row of a run that has ended once, logs the end, and calls `runEnded`. */
export async function writeRunRow(
  { lake, log, runEnded }: Pick<Dependencies, "lake" | "log" | "runEnded">,
  run: EndedRun,
): Promise<{ readonly duration_ms: number }> {
  const { runId, startedAt, firing } = run;
  const finishedAt = new Date();
  await appendOnce(lake, runs, `${runId}/run`, () =>
    writeRows(lake, runs, runId, [
      {
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
        message: run.message,
      },
    ]),
  );
  const duration_ms = finishedAt.getTime() - Date.parse(startedAt);
  const told = { run_id: runId, kind: run.kind, status: run.status, ...firing, ...run.counts, duration_ms };
  const words = run.message === undefined ? "run ended" : `run did not begin: ${run.message}`;
  log[LEVELS[run.status]](told, words);
  await runEnded?.();
  return { duration_ms };
}
