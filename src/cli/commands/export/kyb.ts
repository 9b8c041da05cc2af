import { resolve } from "node:path";
import type { Command } from "commander";
import type { BulkFlags } from "../../bulk/run.js";
import { withBulkOptions } from "../bulk-options.js";
import { type AddCommand, examples, type Schedulable } from "../command.js";

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

export const kybExport: AddCommand = (exports, terminal, end) => {
  const command = exports
    .command("kyb")
    .description("export what the service knows of all businesses in a file into tables of the lake");
  command.addHelpText("after", examples("nightledger export kyb --businesses businesses.csv"));
  withKybOptions(command).action(async (flags: KybFlags) => {
    const { runBulk } = await import("../../bulk/run.js");
    const { kybJob } = await import("../../../jobs/kyb.js");
    end(await runBulk(terminal, kybJob, flags.businesses, {}, flags));
  });
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
