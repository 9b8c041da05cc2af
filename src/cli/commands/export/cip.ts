import { resolve } from "node:path";
import type { Command } from "commander";
import type { CipFlags } from "../../bulk/export-cip.js";
import { withBulkOptions } from "../bulk-options.js";
import { type AddCommand, examples, type Schedulable } from "../command.js";
import { between } from "../option-values.js";

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

export const cipExport: AddCommand = (exports, terminal, end) => {
  const command = exports
    .command("cip")
    .description(
      "request the CIP report of every user in a roster and write them as one pack: tables, pages and a manifest",
    );
  command.addHelpText(
    "after",
    examples("nightledger export cip --roster users.csv --approver compliance@example.com"),
  );
  withCipOptions(command).action(async (flags: CipFlags) => {
    const { exportCip } = await import("../../bulk/export-cip.js");
    end(await exportCip(terminal, flags));
  });
};

export const scheduledCipExport: Schedulable = {
  words: ["export", "cip"],
  define: withCipOptions,
  async job(flags: CipFlags, cwd) {
    const { cipOptions } = await import("../../bulk/export-cip.js");
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
