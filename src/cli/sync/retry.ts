import { InputError } from "../../domain/failures.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { isStep, SAME_SYNC } from "../../domain/sync/sync-totals.js";
import { type FailedPart, retryRoster } from "../../intake/sync/retry-roster.js";
import { startSync } from "../../intake/sync/start.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { rowsOf, withStoreQuery } from "../lake/query.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import type { Terminal } from "../terminal/terminal.js";
import { syncRun } from "./sync-run.js";

/** Retries the links and users that failed in a sync that has ended. Returns the exit code. @throws InputError */
export async function retrySync(terminal: Terminal, runId: string, flags: JobFlags): Promise<number> {
  return runJob(terminal, flags, {
    async plan({ store }) {
      const { options, ...failed } = await failedSync(store, runId);
      const roster = retryRoster(failed);
      const run = syncRun(terminal, ({ preflight: { scope, taskQueue, store }, temporal }) =>
        startSync(temporal.client, store, { scope, taskQueue, roster, options }),
      );
      return { pingedUser: roster.rows[0]?.fp_id, run };
    },
  });
}

async function failedSync(store: ObjectStore, runId: string) {
  const id = sqlText(runId);
  return withStoreQuery(
    store,
    async (query) => {
      const [run] = await rowsOf<{ readonly options: string; readonly status: string }>(
        query,
        `select options, status from runs where run_id = ${id} and message is null`,
      );
      if (run === undefined) throw refusal(`run ${runId} has not ended, or is not in this lake`);
      const owners = await rowsOf<{ readonly owner: string }>(
        query,
        `select distinct owner from run_failures where run_id = ${id}`,
      );
      const step = owners.find(({ owner }) => isStep(owner))?.owner;
      if (step?.startsWith("g")) {
        throw refusal(
          `a whole group of run ${runId} failed (${step}), and its links are not known one by one`,
          AGAIN,
        );
      }
      const links = await rowsOf<FailedPart["links"][number]>(
        query,
        `select distinct fp_id, link_id from link_syncs where run_id = ${id} and status = 'failed'`,
      );
      const users = owners.map(({ owner }) => owner).filter((owner) => !isStep(owner));
      if (links.length + users.length === 0) {
        if (run.status === "cancelled")
          throw refusal(`run ${runId} was cancelled, and no link or user failed in it`, AGAIN);
        throw step === undefined
          ? refusal(`nothing failed in run ${runId}`)
          : refusal(`run ${runId} failed in a step (${step}), not by a link or user`, AGAIN);
      }
      const asked = JSON.parse(run.options) as SyncOptions;
      const options: SyncOptions = { ...asked, full: false, retryOf: runId };
      return { users, links, options };
    },
    { tables: [runs, linkSyncs, runFailures] },
  );
}

const AGAIN = `${SAME_SYNC[0]?.toUpperCase()}${SAME_SYNC.slice(1)}.`;

function refusal(what: string, instead = "nightledger runs list shows the runs of the lake."): InputError {
  return new InputError(`${what}. Nothing was started. ${instead}`);
}
