import { cipJob } from "./cip.js";
import { importJob } from "./import.js";
import type { AnyJob } from "./job.js";
import { kybJob } from "./kyb.js";
import { reconcileJob } from "./reconcile.js";
import { vaultJob } from "./vault.js";
import { vaultWriteJob } from "./vault-write.js";

/** What each kind of bulk job does, in the order of `KINDS`; a new one adds one line here and there. */
export const JOBS: readonly AnyJob[] = [cipJob, vaultJob, kybJob, reconcileJob, importJob, vaultWriteJob];
