import { readConfig } from "../../config.js";
import { NOBODY } from "../../domain/service/external-id.js";
import { TRY_NOW } from "../../domain/waiting.js";
import { type BulkRequest, openJob } from "../../intake/bulk/bulk-request.js";
import { type JudgedRows, judgeFile, refuseInvalid } from "../../intake/bulk/input-rows.js";
import { type AskedJob, askerOf, startBulk } from "../../intake/bulk/start.js";
import type { AnyJob } from "../../jobs/job.js";
import type { ObjectStore } from "../../lake/store/object-store.js";
import { signalRunning } from "../../temporal/running-workflows.js";
import { missingLinks, missingWords } from "../lake/missing-links.js";
import { placeOf } from "../session/preflight.js";
import { pingService } from "../session/service.js";
import type { Job } from "../shell/kind.js";
import { type JobFlags, runJob } from "../shell/shell.js";
import type { Terminal } from "../terminal/terminal.js";
import { bulkKind } from "./form.js";
import { rowsCheckedByService, validateFile } from "./validate.js";

export interface BulkFlags extends JobFlags {
  readonly validateOnly?: boolean;
  readonly restart?: boolean;
}

/** Runs or joins a bulk job over a file and waits for its end, or only validates the file. Returns the exit code. */
export async function runBulk(terminal: Terminal, asked: BulkRequest, flags: BulkFlags): Promise<number> {
  const { restart = false, json = false } = flags;
  const { file, continueInvalid } = asked;
  const warn = (warning: string) => terminal.say(`warning: ${warning}`);
  const { job, options, secrets, warning } = await openJob(asked);
  if (warning) warn(warning);
  if (job.checkHere) await job.checkHere(options, readConfig(terminal, ["lake"]).lake);
  if (flags.validateOnly) return validateFile(terminal, job, { file, options }, json);
  return runJob(terminal, flags, {
    read: () => judgeFile(job, asked, warn),
    async plan({ config: { api }, store }, rows) {
      const given = { options, secrets, restart };
      const pingedUser = rows.first && (pingable(rows.first) ?? NOBODY);
      const judge = missingOf(store, job, options);
      const jobOf = (judged: JudgedRows) => ({
        ...bulkJob(job, { judged, ...given }),
        ...(judge && { judge }),
      });
      if (job.check === undefined) return { ...jobOf(rows), pingedUser };
      await pingService(api, pingedUser);
      return jobOf(refuseInvalid(job, file, await rowsCheckedByService(job, rows, api), continueInvalid));
    },
  });
}

export function bulkJob(
  job: AnyJob,
  asked: Pick<AskedJob, "judged" | "options"> & Partial<Pick<AskedJob, "secrets" | "retryOf" | "restart">>,
): Job {
  return {
    kind: bulkKind(job),
    async start({ preflight, sealed, temporal, signal }) {
      const asker = askerOf(preflight.config.api, preflight.config.institution);
      const whole = { secrets: {}, retryOf: null, restart: false, ...asked };
      const given = { ...whole, ...placeOf(preflight), sealed, job, asker, signal };
      const started = await startBulk(temporal.client, given);
      // Running the command again resumes a waiting run.
      if (started.joined) await signalRunning(temporal.client, started.handle.workflowId, TRY_NOW);
      return started;
    },
  };
}

/** Judges a run as failed where it found nothing of a link that `--links` names. */
function missingOf(
  store: ObjectStore,
  { linksFoundIn: table }: AnyJob,
  { links: named }: BulkRequest["options"],
): Job["judge"] {
  if (table === undefined || !Array.isArray(named)) return undefined;
  return async ({ run_id, status }) => {
    if (status !== "completed" && status !== "completed_with_failures") return { notes: [] };
    const missing = await missingLinks(store, named, table, run_id);
    const also = { links_not_found: missing };
    return { also, failed: missing.length > 0, notes: missingWords(missing) };
  };
}

/** The user of a row; other owners, such as a business or a request, are no user of the service. */
function pingable(row: object): string | undefined {
  const { fp_id } = row as { readonly fp_id?: unknown };
  return typeof fp_id === "string" ? fp_id : undefined;
}
