import type { NewRun, RunStatus } from "../domain/run.js";
import { appendOnce } from "../lake/tables/append.js";
import { writeRows } from "../lake/tables/parquet-file.js";
import { runs } from "../lake/tables/runs.js";
import { VERSION } from "../version.js";
import type { Dependencies } from "./dependencies.js";

/** A run that has ended, as the table `runs` has it. */
interface EndedRun extends NewRun {
  readonly jobId: string;
  /** First word of its id. */
  readonly kind: string;
  readonly status: RunStatus;
  /** What was asked for; nothing personal. */
  readonly options: object;
  readonly rosterSha256?: string | undefined;
  /** By column; those left out are null. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Why a run did not begin. */
  readonly message?: string;
}

/** Writes the row of a run that has ended, once, and tells whoever waits for the ends of runs. */
export async function writeRunRow(
  { lake, runEnded }: Pick<Dependencies, "lake" | "runEnded">,
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
  await runEnded?.();
  return { duration_ms: finishedAt.getTime() - Date.parse(startedAt) };
}
