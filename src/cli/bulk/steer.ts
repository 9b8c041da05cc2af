import { kindWords } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { leftOf } from "../../domain/run.js";
import { NOBODY } from "../../domain/service/external-id.js";
import { JOBS } from "../../jobs/index.js";
import { type AnyJob, jobOfKind } from "../../jobs/job.js";
import { BulkStaging, type FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { EffectClaims } from "../../lake/bulk/effect-claims.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { runs } from "../../lake/tables/runs.js";
import { createSealer } from "../../temporal/encryption/cipher.js";
import { notEnded } from "../lake/near-run.js";
import { type JobFlags, type RetryFlags, runJob } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BulkFlags, bulkJob } from "./command.js";

/** Runs the rows that failed in a run of a bulk job, as a run of their own; the exit code. @throws InputError */
export async function retryBulk(
  terminal: Terminal,
  job: AnyJob,
  runId: string,
  flags: RetryFlags,
): Promise<number> {
  const find: Find = async (sealed) => {
    const holder = job.effect ? await new EffectClaims(sealed, job.kind).holder() : undefined;
    // Only the staging of a run with an effect knows what it has sent.
    const open = holder?.runId === runId ? holder : undefined;
    const staging = new BulkStaging(sealed, open?.staging ?? leftOf(runId));
    const file = await staging.file.find();
    if (file === undefined || open !== undefined) return file && { staging, file };
    // Each retry is asked anew whether to send again what may have been carried out.
    const { send_unknown: _, ...kept } = file.options;
    const options = flags.sendUnknown ? { ...kept, send_unknown: true } : kept;
    return { staging, file: { ...file, options } };
  };
  return runFrozen(terminal, job, flags, { find, missing: (store) => nothingToRetry(store, runId) });
}

async function nothingToRetry(store: ObjectStore, runId: string): Promise<string> {
  const sql = `select status, failed from runs where run_id = ${sqlText(runId)}`;
  type Ended = { readonly status: string; readonly failed: number | null };
  const why = await withStoreQuery(
    store,
    async (query) => {
      const [run] = await rowsOf<Ended>(query, sql);
      if (run === undefined) return notEnded(query, runId);
      return Number(run.failed ?? 0) === 0 && !/^(failed|cancelled)$/.test(run.status)
        ? `nothing failed in run ${runId}.`
        : `the rows of run ${runId} were run again already, or deleted from the staging area.`;
    },
    { tables: [runs] },
  );
  return `${why} Nothing was started. nightledger runs list shows the runs of the lake.`;
}

/**
 * Continues the run of a job with an effect that began in a lake and did not end. Returns the exit code.
 * @throws InputError
 */
export async function continueBulk(
  terminal: Terminal,
  kind: string,
  { restart = false, ...flags }: BulkFlags,
): Promise<number> {
  const find: Find = async (sealed) => {
    const holder = await new EffectClaims(sealed, kind).holder();
    const staging = holder && new BulkStaging(sealed, holder.staging);
    const file = await staging?.file.find();
    return staging && file && { staging, file };
  };
  const missing = async () => `every ${kindWords(kind)} run of this lake has ended. Nothing was started.`;
  return runFrozen(terminal, jobOfKind(kind, JOBS), flags, { find, missing, restart });
}

/** Finds the rows that an earlier run left frozen in the lake, with the options and secrets of the next run. */
type Find = (sealed: SealedStore) => Promise<{ staging: BulkStaging; file: FrozenFile } | undefined>;

/** Runs what `find` finds; `missing` is said where there is nothing. */
async function runFrozen(
  terminal: Terminal,
  job: AnyJob,
  flags: JobFlags,
  {
    find,
    missing,
    restart = false,
  }: { find: Find; missing: (store: ObjectStore) => Promise<string>; restart?: boolean },
): Promise<number> {
  return runJob(terminal, flags, {
    async plan({ keys, store }) {
      const found = keys && (await find(new SealedStore(store, createSealer(keys))));
      if (found === undefined) throw new InputError(await missing(store));
      const { staging, file } = found;
      const { options, secrets, retryOf } = file;
      const { rows: total, invalid, sha256 } = file;
      const rows = () => staging.everyRow(file);
      const judged = { total, invalid, sha256, rows, bytes: staging.bytesOf };
      return { ...bulkJob(job, { judged, options, secrets, retryOf, restart }), pingedUser: NOBODY };
    },
  });
}
