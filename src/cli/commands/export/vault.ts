import { resolve } from "node:path";
import type { Command } from "commander";
import type { VaultFlags } from "../../bulk/export-vault.js";
import { withBulkOptions } from "../bulk-options.js";
import { type AddCommand, examples, type Schedulable } from "../command.js";

function withVaultOptions(command: Command): Command {
  return withBulkOptions(
    command
      .requiredOption("--roster <file>", "CSV or JSONL file: fp_id, optionally external_id")
      .requiredOption(
        "--fields <list>",
        "data identifiers to decrypt, separated by commas: id.email,custom.plan",
      )
      .requiredOption(
        "--reason <text>",
        "why the data is decrypted; the service logs it, and the table has it",
      )
      .option(
        "--transforms <list>",
        "transforms of every value, separated by commas: suffix(4), hmac_sha256, to_lowercase, …",
      )
      .option("--hmac-key <file>", "file with the key of hmac_sha256")
      .option(
        "--allow-plain",
        "decrypt tax ids, card and account numbers and passwords without a transform that protects them",
      ),
  );
}

export const vaultExport: AddCommand = (exports, terminal, end) => {
  const command = exports
    .command("vault")
    .description("decrypt fields of the vaults of all users in a roster into the table vault_values");
  command.addHelpText(
    "after",
    examples('nightledger export vault --roster users.csv --fields id.email,id.dob --reason "yearly review"'),
  );
  withVaultOptions(command).action(async (flags: VaultFlags) => {
    const { exportVault } = await import("../../bulk/export-vault.js");
    end(await exportVault(terminal, flags));
  });
};

export const scheduledVaultExport: Schedulable = {
  words: ["export", "vault"],
  define: withVaultOptions,
  async job(flags: VaultFlags, cwd) {
    const { vaultOptions } = await import("../../bulk/export-vault.js");
    return {
      kind: "bulk",
      job: "vault",
      file: resolve(cwd, flags.roster),
      continueInvalid: flags.continueInvalid === true,
      options: vaultOptions(flags),
      signKey: null,
      ...(flags.hmacKey !== undefined && { hmacKey: resolve(cwd, flags.hmacKey) }),
    };
  },
};
