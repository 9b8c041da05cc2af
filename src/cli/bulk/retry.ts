import { resolve } from "node:path";
import { failedRowsOf } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { openBulkStaging } from "../../intake/bulk/bulk-staging.js";
import { readSignKey } from "../../intake/bulk/sign-key.js";
import type { AnyJob } from "../../jobs/job.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import { NOBODY } from "../session/service.js";
import type { Terminal } from "../terminal/terminal.js";
import { runOfFrozen } from "./run.js";

interface RetryFlags extends JobFlags {
  readonly signKey?: string;
}

/** Runs the rows of a bulk job's run that failed, as a run of their own; the exit code. @throws InputError */
export async function retryRun(
  terminal: Terminal,
  job: AnyJob,
  runId: string,
  flags: RetryFlags,
): Promise<number> {
  const { signKey } = flags;
  const given = signKey === undefined ? {} : await readSignKey(resolve(terminal.cwd, signKey));
  return runJob(terminal, flags, {
    async plan({ keys, store }) {
      const nothing = new InputError(
        `run ${runId} left no failed rows in the lake: it has not ended, none failed, or they were run again. ` +
          "Nothing was started. The runs are in the table runs.",
      );
      if (keys === undefined) throw nothing;
      const kept = openBulkStaging(new SealedStore(store, createSealer(keys)), failedRowsOf(runId));
      const file = await kept.findFile();
      if (file === undefined) throw nothing;
      const secrets: Readonly<Record<string, string | null>> = { ...file.secrets, ...given };
      if (secrets.signKey === null) {
        throw new InputError(
          `run ${runId} signed its pack, and the key was not kept. Nothing was started. Give --sign-key again.`,
        );
      }
      return { pingedUser: NOBODY, run: await runOfFrozen(job, kept, { ...file, secrets }, false) };
    },
  });
}
