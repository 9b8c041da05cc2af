import { InputError } from "../../domain/failures.js";
import { openBulkStaging } from "../../intake/bulk/bulk-staging.js";
import { effectClaims } from "../../intake/bulk/claim.js";
import type { AnyJob } from "../../jobs/job.js";
import { SealedStore } from "../../lake/store/sealed-store.js";
import { createSealer } from "../../temporal/encryption/sealer.js";
import { type JobFlags, runJob } from "../session/run-job.js";
import { NOBODY } from "../session/service.js";
import type { Terminal } from "../terminal/terminal.js";
import { runOfFrozen } from "./run.js";

interface ContinueFlags extends JobFlags {
  readonly restart?: boolean;
}

/** Continues the run of a job with an effect that began in a lake and did not end; the exit code. @throws InputError */
export async function continueRun(terminal: Terminal, job: AnyJob, flags: ContinueFlags): Promise<number> {
  return runJob(terminal, flags, {
    async plan({ keys, store }) {
      const sealed = keys === undefined ? undefined : new SealedStore(store, createSealer(keys));
      const holder = sealed && (await effectClaims(sealed, job.kind).holder());
      if (sealed === undefined || holder === undefined) {
        throw new InputError(`every ${job.kind} run of this lake has ended. Nothing was started.`);
      }
      const staging = openBulkStaging(sealed, holder.staging);
      const run = await runOfFrozen(job, staging, await staging.file(), flags.restart === true);
      return { pingedUser: NOBODY, run };
    },
  });
}
