import { kindWords } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { leftOf } from "../../domain/run.js";
import { NOBODY } from "../../domain/service/nobody.js";
import { countRows } from "../../intake/bulk/input-rows.js";
import { type ProxyFlags, readProxyHeaders } from "../../intake/bulk/proxy-request.js";
import { readSecrets, type SecretFiles, secretsAgain } from "../../intake/bulk/secrets.js";
import type { AnyJob } from "../../jobs/job.js";
import { BulkStaging, type FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { EffectClaims } from "../../lake/bulk/effect-claims.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { runs } from "../../lake/tables/runs.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import type { Terminal } from "../terminal/terminal.js";
import { newRun } from "./run.js";

/** What a retry has to be given again, because nothing keeps it once a run has ended. */
type RetryBulkFlags = JobFlags & SecretFiles & Partial<ProxyFlags>;

type FrozenJob = Pick<FrozenFile, "options" | "secrets">;

/** Runs the rows that failed in a run of a bulk job, as a run of their own; the exit code. @throws InputError */
export async function retryBulk(
  terminal: Terminal,
  job: AnyJob,
  runId: string,
  flags: RetryBulkFlags,
): Promise<number> {
  const given = {
    ...(await readSecrets(flags, terminal.cwd)),
    ...(await readProxyHeaders(terminal.cwd, flags)),
  };
  let isOpen = false;
  return runFrozen(terminal, job, flags, {
    async find(sealed) {
      const holder = job.effect ? await new EffectClaims(sealed, job.kind).holder() : undefined;
      // Only the staging of a run with an effect knows what it has sent.
      isOpen = holder?.runId === runId;
      return new BulkStaging(sealed, isOpen && holder ? holder.staging : leftOf(runId));
    },
    missing: (store) => nothingToRetry(store, runId),
    again(file) {
      if (isOpen) return file;
      // Each retry is asked anew whether to send again what may have been carried out.
      const { send_unknown: _, ...options } = file.options;
      return {
        options: flags.sendUnknown ? { ...options, send_unknown: true } : options,
        secrets: secretsAgain(runId, file, given),
      };
    },
    restart: false,
  });
}

/** Says why a run has no rows for a retry. */
async function nothingToRetry(store: ObjectStore, runId: string): Promise<string> {
  const sql = `select status, failed from runs where run_id = ${sqlText(runId)}`;
  type Ended = { readonly status: string; readonly failed: number | null };
  const [run] = await withStoreQuery(store, (query) => rowsOf<Ended>(query, sql), { tables: [runs] });
  const list = "nightledger runs list shows the runs of the lake.";
  if (run === undefined)
    return `run ${runId} has not ended, or is not in this lake. Nothing was started. ${list}`;
  if (Number(run.failed ?? 0) === 0 && !/^(failed|cancelled)$/.test(run.status))
    return `nothing failed in run ${runId}. Nothing was started. ${list}`;
  return `the rows of run ${runId} were run again already, or deleted from the staging area. Nothing was started. ${list}`;
}

/**
 * Continues the run of a job with an effect that began in a lake and did not end. Returns the exit code.
 * @throws InputError
 */
export async function continueBulk(
  terminal: Terminal,
  job: AnyJob,
  { restart = false, ...flags }: JobFlags & { readonly restart?: boolean },
): Promise<number> {
  return runFrozen(terminal, job, flags, {
    async find(sealed) {
      const holder = await new EffectClaims(sealed, job.kind).holder();
      return holder && new BulkStaging(sealed, holder.staging);
    },
    missing: async () => `every ${kindWords(job.kind)} run of this lake has ended. Nothing was started.`,
    again: (file) => file,
    restart,
  });
}

/** Runs rows that an earlier run left frozen in the lake; `missing` is said where there are none. */
async function runFrozen(
  terminal: Terminal,
  job: AnyJob,
  flags: JobFlags,
  {
    find,
    missing,
    again,
    restart,
  }: {
    find(sealed: SealedStore): Promise<BulkStaging | undefined>;
    missing(store: ObjectStore): Promise<string>;
    /** What the run is given again, for what its file was frozen with. */
    again(file: FrozenFile): FrozenJob;
    readonly restart: boolean;
  },
): Promise<number> {
  return runJob(terminal, flags, {
    async plan({ keys, store }) {
      const staging = keys && (await find(new SealedStore(store, createSealer(keys))));
      const file = await staging?.file.find();
      if (staging === undefined || file === undefined) throw new InputError(await missing(store));
      const { retryOf } = file;
      const { options, secrets } = again(file);
      // The frozen copy keeps its identity: rows of an earlier version would count as others today.
      const judged = {
        ...(await countRows(() => staging.everyRow(file), staging.bytesOf)),
        sha256: file.sha256,
      };
      const run = newRun(job, { judged, options, secrets, retryOf, restart });
      return { pingedUser: NOBODY, run };
    },
  });
}
