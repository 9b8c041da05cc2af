import { InputError } from "../../domain/failures.js";
import { type EndReason, isCutShort, leftOf } from "../../domain/run.js";
import type { SyncOptions } from "../../domain/sync/job.js";
import { type FailedPart, type Roster, retryRoster, rosterOf } from "../../intake/sync/roster-file.js";
import { startSync } from "../../intake/sync/start.js";
import { rowsOf, withStoreQuery } from "../../lake/query/store-query.js";
import { sqlText } from "../../lake/sql/duckdb-sql.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { wholeRoster } from "../../lake/sync/frozen-roster.js";
import { linkSyncs } from "../../lake/tables/link-syncs.js";
import { runFailures, runs } from "../../lake/tables/runs.js";
import { notEnded } from "../lake/near-run.js";
import { placeOf } from "../session/preflight.js";
import { type JobFlags, runJob } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { SYNC } from "./form.js";

/** Retries what failed in a sync that has ended, or the whole of one that was cut short. Returns the exit code. @throws InputError */
export async function retrySync(terminal: Terminal, runId: string, flags: JobFlags): Promise<number> {
  return runJob(terminal, flags, {
    async plan({ store }) {
      const { roster, options } = await failedSync(store, runId);
      return {
        kind: SYNC,
        pingedUser: roster.rows[0]?.fp_id,
        start: ({ preflight, temporal }) =>
          startSync(temporal.client, preflight.store, { ...placeOf(preflight), roster, options }),
      };
    },
  });
}

async function failedSync(
  store: ObjectStore,
  runId: string,
): Promise<{ roster: Roster; options: SyncOptions }> {
  const id = sqlText(runId);
  return withStoreQuery(
    store,
    async (query) => {
      const [run] = await rowsOf<EndReason & { readonly options: string }>(
        query,
        `select options, reason, message from runs where run_id = ${id}`,
      );
      if (run === undefined) throw refusal(await notEnded(query, runId));
      const asked = JSON.parse(run.options) as SyncOptions;
      if (isCutShort(run)) {
        const rows = await wholeRoster(store, leftOf(runId));
        if (rows.length > 0) return { roster: rosterOf(rows), options: { ...asked, retryOf: runId } };
        throw refusal(`the roster of run ${runId} is not kept any more, as after a retry.`, SAME_SYNC);
      }
      const owners = await rowsOf<{ readonly owner: string }>(
        query,
        `select distinct owner from run_failures where run_id = ${id}`,
      );
      const links = await rowsOf<FailedPart["links"][number]>(
        query,
        `select distinct fp_id, link_id from link_syncs where run_id = ${id} and status = 'failed'`,
      );
      if (links.length + owners.length === 0) throw refusal(`nothing failed in run ${runId}.`);
      const roster = retryRoster({ users: owners.map(({ owner }) => owner), links });
      return { roster, options: { ...asked, full: false, retryOf: runId } };
    },
    { tables: [runs, linkSyncs, runFailures] },
  );
}

const SAME_SYNC = "Run the same sync again: each link that was committed costs only one call.";

function refusal(what: string, instead = "nightledger runs list shows the runs of the lake."): InputError {
  return new InputError(`${what} Nothing was started. ${instead}`);
}
