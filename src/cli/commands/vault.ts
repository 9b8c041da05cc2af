import { resolve } from "node:path";
import type { Command } from "commander";
import type { AnyJob } from "../../jobs/job.js";
import type { BulkFlags } from "../bulk/run.js";
import { addContinue, withBulkOptions } from "./bulk-options.js";
import { type AddCommand, examples, type Schedulable } from "./command.js";

interface WriteFlags extends BulkFlags {
  readonly file: string;
}

function withWriteOptions(command: Command): Command {
  return withBulkOptions(
    command.requiredOption(
      "--file <file>",
      "CSV or JSONL file: fp_id, data identifiers such as id.email, and upload:<identifier> with paths of files",
    ),
  );
}

export const vaultCommand: AddCommand = (program, terminal, end) => {
  const vault = program.command("vault").description("write into the vaults of users");
  const write = vault
    .command("write")
    .description("write the values and files of each row into its user's vault");
  write.addHelpText("after", examples("nightledger vault write --file values.csv"));
  withWriteOptions(write).action(async (flags: WriteFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { vaultWriteJob } = await import("../../jobs/vault-write.js");
    end(await runBulk(terminal, vaultWriteJob, flags.file, {}, flags));
  });
  const load = async () => (await import("../../jobs/vault-write.js")).vaultWriteJob as AnyJob;
  addContinue(vault, "write", load, terminal, end);
};

export const scheduledVaultWrite: Schedulable = {
  words: ["vault", "write"],
  define: withWriteOptions,
  job: (flags: WriteFlags, cwd) => ({
    kind: "bulk",
    job: "vault_write",
    file: resolve(cwd, flags.file),
    continueInvalid: flags.continueInvalid === true,
    options: {},
    signKey: null,
  }),
};
