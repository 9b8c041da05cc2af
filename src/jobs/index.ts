import { InputError } from "../domain/failures.js";
import { cipJob } from "./cip.js";
import { importJob } from "./import.js";
import type { AnyJob } from "./job.js";
import { kybJob } from "./kyb.js";
import { proxyJob } from "./proxy.js";
import { reconcileJob } from "./reconcile.js";
import { vaultJob } from "./vault.js";
import { vaultWriteJob } from "./vault-write.js";

/** What each kind of bulk job does, in the order of `KINDS`; a new one adds one line here and there. */
export const JOBS: readonly AnyJob[] = [
  cipJob,
  vaultJob,
  kybJob,
  reconcileJob,
  importJob,
  proxyJob,
  vaultWriteJob,
];

/** The declaration of a kind. @throws InputError when this version has none. */
export function jobOfKind(kind: string, jobs = JOBS): AnyJob {
  const job = jobs.find((one) => one.kind === kind);
  if (job === undefined)
    throw new InputError(
      `this version does not know the bulk job "${kind}". Nothing was done. Update nightledger where the worker runs.`,
    );
  return job;
}
