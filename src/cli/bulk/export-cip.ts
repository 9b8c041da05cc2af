import { isAbsolute, resolve } from "node:path";
import { readConfig } from "../../config.js";
import type { BulkOptions } from "../../domain/bulk/bulk-job.js";
import { InputError } from "../../domain/failures.js";
import { readSignKey } from "../../intake/bulk/sign-key.js";
import { checkPrevious, exportsDirectory } from "../../jobs/cip/earlier-exports.js";
import { cipJob } from "../../jobs/cip.js";
import { checkWritable } from "../session/preflight.js";
import type { Terminal } from "../terminal/terminal.js";
import { type BulkFlags, runBulk } from "./run.js";

export interface CipFlags extends BulkFlags {
  readonly roster: string;
  readonly approver: string;
  readonly since?: string;
  readonly reason?: string;
  readonly unmasked?: boolean;
  readonly sample?: number;
  readonly sampleSeed?: string;
  readonly pdf: boolean;
  readonly signKey?: string;
  readonly out?: string;
}

/** Runs or joins an export of CIP reports. Returns the exit code. @throws InputError */
export async function exportCip(terminal: Terminal, flags: CipFlags): Promise<number> {
  const { signKey } = flags;
  const options = cipOptions(terminal.cwd, flags);
  const { lake } = readConfig(terminal, ["lake"]);
  if (options.out !== null) await checkWritable("--out", options.out);
  await checkPrevious(exportsDirectory(lake.address, options.out), options.since);
  const secrets = signKey === undefined ? {} : await readSignKey(resolve(terminal.cwd, signKey));
  return runBulk(terminal, cipJob, flags.roster, options, flags, secrets);
}

/** What is asked of an export, from its flags; part of the job's identity. @throws InputError naming the flag that is wrong. */
export function cipOptions(cwd: string, flags: CipFlags) {
  const { approver, since, reason, unmasked, sample, sampleSeed, pdf, out } = flags;
  const refused = (problem: string) => new InputError(`${problem} Nothing was started.`);
  if (approver.trim() === "") {
    throw refused("--approver is blank. Give the name or e-mail address that means an automatic approval.");
  }
  if (reason?.trim() === "") throw refused("--reason is blank. Say why the export is made, or leave it out.");
  if (unmasked && reason === undefined) {
    throw refused(
      "--unmasked shows tax ids, birth dates, addresses and IP addresses, so it needs --reason, which is recorded in the manifest.",
    );
  }
  return {
    approver,
    since: since?.includes("/") && !isAbsolute(since) ? resolve(cwd, since) : (since ?? null),
    reason: reason ?? null,
    unmasked: unmasked ?? false,
    sample: sample ?? null,
    sample_seed: sampleSeed ?? null,
    pdf,
    out: out === undefined ? null : resolve(cwd, out),
  } satisfies BulkOptions;
}
