import type { JobKind } from "../kind.js";
import { cipKind } from "./cip.js";
import { importKind } from "./import.js";
import { kybKind } from "./kyb.js";
import { reconcileKind } from "./reconcile.js";
import { vaultKind } from "./vault.js";
import { vaultWriteKind } from "./vault-write.js";

/** Every kind of bulk job, in the order of `--help`; `JOBS` of src/jobs/index.ts has what each does. */
export const KINDS: readonly JobKind[] = [
  cipKind,
  vaultKind,
  kybKind,
  reconcileKind,
  importKind,
  vaultWriteKind,
];
