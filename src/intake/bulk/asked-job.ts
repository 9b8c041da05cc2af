import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { JOBS } from "../../jobs/index.js";
import { type AnyJob, jobOfKind } from "../../jobs/job.js";
import { type FrozenFile, secretPrint } from "../../lake/bulk/bulk-staging.js";
import { givenBytes } from "../files/text.js";

/** A bulk job as a command line asks for it; a schedule keeps it. */
export interface AskedBulk {
  readonly kind: "bulk";
  /** Kind of the bulk job. */
  readonly job: string;
  readonly file: string;
  readonly continueInvalid: boolean;
  readonly options: BulkOptions;
  /** What its kind declares as `inputs`, as it was given; paths are absolute. */
  readonly inputs: BulkOptions;
}

/** A job with what its inputs hold. */
interface OpenedJob extends Pick<FrozenFile, "options" | "secrets"> {
  readonly job: AnyJob;
}

/** Reads the inputs of a job. @throws InputError where one can't be read, or does not hold what its option is for. */
export async function openJob({ job: kind, options, inputs }: Omit<AskedBulk, "kind">): Promise<OpenedJob> {
  const job = jobOfKind(kind, JOBS);
  const open = (option: string, path: string) => givenBytes(path, option);
  const secret = await job.read?.({ options, inputs }, open);
  const secrets = job.secret && secret !== undefined ? { [job.secret.name]: secret } : {};
  return { job, options, secrets };
}

type KeptFile = Pick<FrozenFile, "options" | "secrets" | "secretPrints" | "sha256">;

/** Whether a run was given a secret that nothing has kept, so a retry must be given it again. */
export function isSecretGone({ secret }: Pick<AnyJob, "secret">, { secrets }: Pick<KeptFile, "secrets">) {
  return secret !== undefined && secrets[secret.name] === null;
}

/**
 * The secret of a run, which is given again for a retry.
 *
 * @param inputs what the command was given
 * @param flags those of the kind's options that give it
 * @throws InputError that names an option
 */
export async function secretAgain(
  runId: string,
  { kind, secret }: Pick<AnyJob, "kind" | "secret">,
  { options, secrets: kept, secretPrints = {}, sha256 }: KeptFile,
  inputs: BulkOptions,
  flags: readonly string[],
): Promise<FrozenFile["secrets"]> {
  if (secret === undefined) return kept;
  const { name, use, isSame } = secret;
  const refused = (problem: string, advice: string) =>
    new InputError(`run ${runId} ${problem}. Nothing was started. ${advice}`);
  const isGiven = Object.keys(inputs).length > 0;
  if (isGiven && !Object.hasOwn(kept, name))
    throw refused(`was not given ${flags.join(" or ")} before`, "Leave it out.");
  if (!isGiven && kept[name] !== null) return kept;
  const again = `${flags.length > 1 ? "each " : ""}${flags.join(", ")}`;
  if (!isGiven) throw refused(`${use}, and what it was given was not kept`, `Give ${again} again.`);
  const opened = await openJob({ job: kind, file: "", continueInvalid: false, options, inputs });
  const print = secretPrints[name];
  if (isSame && print !== undefined && secretPrint(opened.secrets[name] ?? "", sha256) !== print)
    throw refused(`${use} with another key`, `Give ${again} the key of that run.`);
  return { ...kept, ...opened.secrets };
}
