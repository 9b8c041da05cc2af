import { createHash } from "node:crypto";
import type { Client } from "@temporalio/client";
import {
  type BulkOptions,
  bulkJobText,
  bulkWorkflowId,
  type StartedBulk,
} from "../../domain/bulk/bulk-job.js";
import type { NewRun } from "../../domain/run.js";
import type { AnyJob } from "../../jobs/job.js";
import { BulkStaging, type FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { secretPrint } from "../../lake/bulk/secret-print.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { type AskedRun, type StartedRun, startOrJoin } from "../start-or-join.js";
import { openClaim } from "./claim.js";
import type { JudgedRows } from "./input-rows.js";

export interface AskedJob extends AskedRun, Pick<FrozenFile, "options" | "asker" | "secrets" | "retryOf"> {
  readonly sealed: SealedStore;
  readonly job: AnyJob;
  readonly judged: JudgedRows;
  readonly restart: boolean;
}

/** Joins the job's run in progress, unless that is to be given up, or freezes the rows and starts a new run. */
export async function startBulk(client: Client, asked: AskedJob): Promise<StartedRun> {
  const { scope, taskQueue, lake, sealed, job, judged, options, asker, secrets, retryOf } = asked;
  const { restart, signal, run } = asked;
  const { kind, groupRows, effect, publish } = job;
  const told = { ...options, ...secretsName(secrets, judged.sha256), retry_of: retryOf };
  const text = bulkJobText(kind, judged.sha256, told);
  const jobId = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const workflowId = bulkWorkflowId(scope, kind, jobId);
  const stagingOf = (runId: string) => (effect ? `${kind}-${jobId}` : runId);
  return startOrJoin(client, {
    ...{ run, signal, restart, workflow: "bulkJob", workflowId, taskQueue, lake, kind },
    async prepare({ runId }) {
      const staging = stagingOf(runId);
      const { total: rows, invalid, sha256 } = judged;
      const file = { kind, options, rows, invalid, sha256, origin: runId, asker, secrets, retryOf };
      const claim = effect
        ? await openClaim(client, sealed, kind, { runId, staging, workflowId, restart })
        : undefined;
      await claim?.assertFree();
      const { groups } = await new BulkStaging(sealed, staging).freeze(
        file,
        judged.rows(),
        groupRows,
        judged.bytes,
      );
      await claim?.take();
      const ofFile = { rows, groups: groups.total, packs: publish !== undefined };
      const input: Omit<StartedBulk, keyof NewRun> = { jobId, kind, staging, ...ofFile };
      return { input };
    },
    // Keeps the staging of a job with an effect: it alone knows what was sent, and another run continues it.
    async discard(runId) {
      if (!effect) await new BulkStaging(sealed, stagingOf(runId)).drop();
    },
  });
}

/** Tells jobs with other secrets apart: a job continues with those that it was frozen with. */
function secretsName(secrets: FrozenFile["secrets"], salt: string): BulkOptions {
  if (Object.keys(secrets).length === 0) return {};
  return { secrets: secretPrint(JSON.stringify(secrets), salt) };
}
