import { resolve } from "node:path";
import type { Command } from "commander";
import type { CipFlags } from "../bulk/export-cip.js";
import type { VaultFlags } from "../bulk/export-vault.js";
import type { BulkFlags } from "../bulk/run.js";
import { withBulkOptions } from "./bulk-options.js";
import { type AddCommand, examples, type Schedulable } from "./command.js";
import { between } from "./option-values.js";

function withCipOptions(command: Command): Command {
  return withBulkOptions(
    command
      .requiredOption(
        "--roster <file>",
        "CSV or JSONL file: fp_id, optionally external_id, risk, account_closed_on, legal_hold, excluded (a reason)",
      )
      .requiredOption(
        "--approver <name>",
        "who is accountable for automatic approvals: a name or an e-mail address",
      )
      .option("--kyb <file>", "also put the businesses in this file into the pack; as `export kyb` takes it")
      .option("--since <export>", "the export to compare with, by id or directory (default: the newest)")
      .option("--reason <text>", "why the export is made; recorded in the manifest")
      .option(
        "--unmasked",
        "show tax ids, birth dates, addresses and IP addresses in pages and CSV; needs --reason",
      )
      .option(
        "--sample <people>",
        "people per stratum in the examiner's sample, 1 to 1,000",
        between(1, 1_000),
      )
      .option("--sample-seed <text>", "seed of the sample; the same seed and strata select the same people")
      .option("--no-pdf", "skip report.pdf, which is made where Chromium is installed")
      .option("--sign-key <file>", "Ed25519 private key (PEM) that signs the manifest")
      .option("--out <directory>", "where to write the pack (default: _exports/cip in the lake)"),
  );
}

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

interface KybFlags extends BulkFlags {
  readonly businesses: string;
}

function withKybOptions(command: Command): Command {
  return withBulkOptions(
    command.requiredOption(
      "--businesses <file>",
      "CSV or JSONL file: fp_bid, optionally external_id, fp_id (the person that it belongs to)",
    ),
  );
}

export const exportCommand: AddCommand = (program, terminal, end) => {
  const exports = program
    .command("export")
    .description("export customers as a self-verifying pack, businesses and vault data as tables");
  const cip = exports
    .command("cip")
    .description(
      "request the CIP report of every user in a roster and write them as one pack: tables, pages and a manifest",
    );
  cip.addHelpText(
    "after",
    examples("nightledger export cip --roster users.csv --approver compliance@example.com"),
  );
  withCipOptions(cip).action(async (flags: CipFlags) => {
    const { exportCip } = await import("../bulk/export-cip.js");
    end(await exportCip(terminal, flags));
  });
  const vault = exports
    .command("vault")
    .description("decrypt fields of the vaults of all users in a roster into the table vault_values");
  vault.addHelpText(
    "after",
    examples('nightledger export vault --roster users.csv --fields id.email,id.dob --reason "yearly review"'),
  );
  withVaultOptions(vault).action(async (flags: VaultFlags) => {
    const { exportVault } = await import("../bulk/export-vault.js");
    end(await exportVault(terminal, flags));
  });
  const kyb = exports
    .command("kyb")
    .description("export what the service knows of all businesses in a file into tables of the lake");
  kyb.addHelpText("after", examples("nightledger export kyb --businesses businesses.csv"));
  withKybOptions(kyb).action(async (flags: KybFlags) => {
    const { runBulk } = await import("../bulk/run.js");
    const { kybJob } = await import("../../jobs/kyb.js");
    end(await runBulk(terminal, kybJob, flags.businesses, {}, flags));
  });
};

export const scheduledVaultExport: Schedulable = {
  words: ["export", "vault"],
  define: withVaultOptions,
  async job(flags: VaultFlags, cwd) {
    const { vaultOptions } = await import("../bulk/export-vault.js");
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

export const scheduledCipExport: Schedulable = {
  words: ["export", "cip"],
  define: withCipOptions,
  async job(flags: CipFlags, cwd) {
    const { cipOptions } = await import("../bulk/export-cip.js");
    return {
      kind: "bulk",
      job: "cip",
      file: resolve(cwd, flags.roster),
      ...(flags.kyb !== undefined && { along: { job: "kyb", file: resolve(cwd, flags.kyb) } }),
      continueInvalid: flags.continueInvalid === true,
      options: cipOptions(cwd, flags),
      signKey: flags.signKey === undefined ? null : resolve(cwd, flags.signKey),
    };
  },
};

export const scheduledKybExport: Schedulable = {
  words: ["export", "kyb"],
  define: withKybOptions,
  job: (flags: KybFlags, cwd) => ({
    kind: "bulk",
    job: "kyb",
    file: resolve(cwd, flags.businesses),
    continueInvalid: flags.continueInvalid === true,
    options: {},
    signKey: null,
  }),
};
