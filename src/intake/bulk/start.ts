import { createHash } from "node:crypto";
import { hostname, userInfo } from "node:os";
import type { Client } from "@temporalio/client";
import {
  type Asker,
  type BulkOptions,
  bulkJobText,
  bulkWorkflowId,
  continueCommand,
  kindWords,
  type StartedBulk,
} from "../../domain/bulk/bulk-job.js";
import { durationWords, MINUTE } from "../../domain/duration.js";
import { InputError } from "../../domain/failures.js";
import type { NewRun } from "../../domain/run.js";
import { keyMode } from "../../domain/service/key-mode.js";
import type { RetentionRules } from "../../domain/tables/retention.js";
import type { AnyJob } from "../../jobs/job.js";
import { BulkStaging, type FrozenFile, secretPrint } from "../../lake/bulk/bulk-staging.js";
import { type EffectClaim, EffectClaims } from "../../lake/bulk/effect-claims.js";
import type { SealedStore } from "../../lake/store/sealed-store.js";
import { namespaceId, type StartedRun } from "../../temporal/running-workflows.js";
import { type AskedRun, startOrJoin } from "../start-or-join.js";
import type { JudgedRows } from "./input-rows.js";

export interface AskedJob extends AskedRun, Pick<FrozenFile, "options" | "asker" | "secrets" | "retryOf"> {
  readonly sealed: SealedStore;
  readonly job: AnyJob;
  readonly judged: Pick<JudgedRows, "total" | "invalid" | "sha256" | "rows" | "bytes">;
  readonly restart: boolean;
}

/** Joins the job's run in progress, unless that is to be given up, or freezes the rows and starts a new run. */
export async function startBulk(client: Client, asked: AskedJob): Promise<StartedRun> {
  const { scope, sealed, job, judged, options, asker, secrets, retryOf, restart } = asked;
  const { kind, groupRows, effect } = job;
  const told = { ...options, ...secretsName(secrets, judged.sha256), retry_of: retryOf };
  const text = bulkJobText(kind, judged.sha256, told);
  const jobId = createHash("sha256").update(text).digest("hex").slice(0, 16);
  const workflowId = bulkWorkflowId(scope, kind, jobId);
  const stagingOf = (runId: string) => (effect ? `${kind}-${jobId}` : runId);
  return startOrJoin(client, {
    ...{ ...asked, workflow: "bulkJob", workflowId, kind },
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
      const ofFile = { rows, groups: groups.total, packs: job.publish !== undefined };
      const input: Omit<StartedBulk, keyof NewRun> = { jobId, kind, staging, ...ofFile };
      return { input };
    },
    // The staging of a job with an effect alone knows what was sent; another run continues it.
    async discard(runId) {
      if (!effect) await new BulkStaging(sealed, stagingOf(runId)).drop();
    },
  });
}

/** A job continues with the secrets that it was frozen with. */
function secretsName(secrets: FrozenFile["secrets"], salt: string): BulkOptions {
  if (Object.keys(secrets).length === 0) return {};
  return { secrets: secretPrint(JSON.stringify(secrets), salt) };
}

/** A run that made a call within this time counts as alive. */
const STILL_MS = 2 * MINUTE;

/** A run is the only one of its kind in a lake. Both throw an InputError that names the run in the way. */
interface Claim {
  /** Before anything is frozen. */
  assertFree(): Promise<void>;
  /** Once the rows are frozen. */
  take(): Promise<void>;
}

/**
 * A run that began and did not end is in the way, unless it is of the same job and this Temporal no longer runs it, or
 * `restart` gives it up: then the new run continues it.
 */
export async function openClaim(
  client: Client,
  sealed: SealedStore,
  kind: string,
  { restart, ...run }: Omit<EffectClaim, "namespaceId"> & { readonly restart: boolean },
): Promise<Claim> {
  const claims = new EffectClaims(sealed, kind);
  const own = await namespaceId(client);
  const assertFreeOf = async (holder: EffectClaim) => {
    const isHere = holder.namespaceId === own;
    const isSame = holder.staging === run.staging;
    if (isSame && isHere) return;
    if (isSame && restart) return assertStill(sealed, holder);
    throw new InputError(
      `run ${holder.runId} of this lake has not ended, and only one ${kindWords(kind)} run may be open at a time. ` +
        `Nothing was started. ${wayOut(kind, { isHere, isSame })}`,
    );
  };
  return {
    async assertFree() {
      const holder = await claims.holder();
      if (holder !== undefined) await assertFreeOf(holder);
    },
    take: () => claims.take({ ...run, namespaceId: own }, assertFreeOf),
  };
}

/** Two HOMEs that work on one run would delete each other's records. */
async function assertStill(sealed: SealedStore, holder: EffectClaim): Promise<void> {
  const age = Date.now() - (await new BulkStaging(sealed, holder.staging).lastCallAt());
  if (age >= STILL_MS) return;
  throw new InputError(
    `run ${holder.runId} worked ${durationWords(age)} ago, so something still runs it. Nothing was started. ` +
      `Finish or cancel it there. If that machine is dead, give this command again ${durationWords(STILL_MS)} after its end.`,
  );
}

function wayOut(kind: string, { isHere, isSame }: Readonly<Record<"isHere" | "isSame", boolean>>): string {
  if (isHere)
    return `Finish it first: ${continueCommand(kind)}, or the command that started it. Either one follows it if a worker is already on it.`;
  const continued = isSame
    ? "--restart continues it here"
    : `${continueCommand(kind)} --restart continues it here`;
  return `It began on another machine, or in another NIGHTLEDGER_HOME. Finish it there; once nothing runs it any more, ${continued}.`;
}

/** Who starts a job in this process, on which machine, for whom, with which key. */
export function askerOf(
  { url, key }: { readonly url: string; readonly key: string },
  institution?: { readonly name?: string | undefined; readonly retention: RetentionRules },
): Asker {
  const keyFingerprint = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return {
    operator: userInfo().username,
    host: hostname(),
    institution: institution?.name,
    retention: institution?.retention ?? {},
    service: url,
    mode: keyMode(key),
    keyFingerprint,
  };
}
