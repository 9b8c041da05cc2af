import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { BulkOptions } from "../../../src/domain/bulk/bulk-job.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import { leftOf, taskQueue } from "../../../src/domain/run.js";
import { countRows, type JudgedRows, judgeRows } from "../../../src/intake/bulk/input-rows.js";
import { startBulk } from "../../../src/intake/bulk/start.js";
import type { AnyJob } from "../../../src/jobs/job.js";
import { BulkStaging } from "../../../src/lake/bulk/bulk-staging.js";
import { SealedStore } from "../../../src/lake/store/sealed-store.js";
import { createSealer } from "../../../src/temporal/encryption/cipher.js";
import type { StartedRun } from "../../../src/temporal/running-workflows.js";
import { openSyncWorld, type WorldOptions } from "../sync/sync-harness.js";
import { TEST_KEYS, type TestTemporal } from "../temporal/temporal-environment.js";

export type BulkWorld = Awaited<ReturnType<typeof openBulkWorld>>;

/** Opens a world around a running Temporal server whose worker knows one kind of bulk job. */
export async function openBulkWorld(temporal: TestTemporal, job: AnyJob, options: WorldOptions = {}) {
  const world = await openSyncWorld(temporal, { ...options, jobs: [job] });
  const sealed = new SealedStore(world.store, createSealer(TEST_KEYS));
  const start = (judged: JudgedRows, asked: BulkOptions, retryOf: string | null) =>
    startBulk(world.client, {
      ...{ scope: world.scope, taskQueue: taskQueue(world.scope), sealed, job, judged, options: asked },
      asker: { operator: "ada", host: "here", service: world.sandbox.url, mode: "test", keyFingerprint: "0" },
      ...{ secrets: {}, retryOf, restart: false },
    });
  const resultOf = async ({ handle }: StartedRun) => (await handle.result()) as BulkSummary;
  const begin = async (rows: readonly object[], asked: BulkOptions = {}) => {
    const path = join(dirname(world.lake), "rows.jsonl");
    await writeFile(path, rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return start(await judgeRows(job, path), asked, null);
  };
  return {
    ...world,
    sealed,
    begin,
    run: async (rows: readonly object[], asked?: BulkOptions) => resultOf(await begin(rows, asked)),
    /** Runs what failed in a run that has ended, to the end. */
    async retry(runId: string) {
      const kept = new BulkStaging(sealed, leftOf(runId));
      const file = await kept.file.require();
      const judged = await countRows(() => kept.everyRow(file));
      return resultOf(await start(judged, file.options, runId));
    },
  };
}
