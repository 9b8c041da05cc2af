import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { JOBS } from "../../jobs/index.js";
import { type AnyJob, jobOfKind } from "../../jobs/job.js";
import type { FrozenFile } from "../../lake/bulk/bulk-staging.js";
import { givenBytes } from "../files/text.js";

/** A bulk job as a command line asks for it; a schedule keeps it. */
export interface BulkRequest {
  readonly kind: string;
  readonly file: string;
  readonly continueInvalid: boolean;
  readonly options: BulkOptions;
  /** As given for the kind's `inputs`; paths are absolute. */
  readonly inputs: BulkOptions;
}

interface OpenedJob extends Pick<FrozenFile, "options" | "secrets"> {
  readonly job: AnyJob;
  readonly warning: string | undefined;
}

/** Reads the inputs of a job. @throws InputError where one does not hold what its option is for */
export async function openJob({ kind, options, inputs }: BulkRequest): Promise<OpenedJob> {
  const job = jobOfKind(kind, JOBS);
  const open = (option: string, path: string) => givenBytes(path, option);
  const secret = await job.read?.({ options, inputs }, open);
  const secrets = job.secret && secret !== undefined ? { [job.secret]: secret } : {};
  const warning = secret === undefined ? undefined : job.doubt?.secret?.(secret);
  return { job, options, secrets, warning };
}
