import { cipJob } from "./cip.js";
import { importJob } from "./import.js";
import type { AnyJob } from "./job.js";

/** Every kind of bulk job; a new one is one line more. */
export const JOBS: readonly AnyJob[] = [cipJob, importJob];
