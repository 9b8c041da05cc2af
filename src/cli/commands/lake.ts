import { Option } from "commander";
import { InputError } from "../../domain/failures.js";
import type { PackFlags } from "../bulk/verify-pack.js";
import type { VerifyFlags } from "../sync/verify-lake.js";
import { type AddCommand, withTableOptions } from "./command.js";
import { type MaintainFlags, withMaintainOptions } from "./maintain.js";
import { rowLimit } from "./option-values.js";

export const lakeCommands: AddCommand = (program, run) => {
  program
    .command("materialize")
    .description("bring the transactions table up to date with the change feed; every sync ends with this")
    .option("--json", "print what was done as JSON")
    .action(run(async () => (await import("../lake/materialize.js")).runMaterialize));

  const command = program
    .command("maintain")
    .description(
      "merge small files, shorten logs, and delete what nobody needs any more; runs may go on meanwhile",
    );
  withMaintainOptions(command).action(
    run(async () => async (terminal, flags: MaintainFlags) => {
      if (!flags.schedule) {
        const { runMaintain } = await import("../lake/maintain.js");
        const { applyRetention } = await import("../../lake/sync/retention/apply-retention.js");
        return runMaintain(terminal, flags, applyRetention);
      }
      if (flags.dryRun) throw new InputError("--schedule changes something: leave out --dry-run.");
      return (await import("../schedules/upkeep.js")).scheduleUpkeep(terminal, flags);
    }),
  );

  program
    .command("rebind")
    .description(
      "tell the lake that its service has moved to the address in NIGHTLEDGER_API_URL; nothing will be read or posted again",
    )
    .option("--json", "print what was done as JSON")
    .action(run(async () => (await import("../lake/rebind.js")).runRebind));

  const tables = program.command("tables").description("list the lake's tables: version, rows, files, bytes");
  withTableOptions(tables, "print the tables").action(
    run(async () => (await import("../lake/show-query.js")).showTables),
  );

  program
    .command("views")
    .description("make a DuckDB file with views over the lake's live files, for tools without Delta")
    .requiredOption("--out <file>", "the file to make")
    .option("--force", "replace the file if it is there")
    .action(run(async () => (await import("../lake/views.js")).runViews));

  program
    .command("verify")
    .argument(
      "[directory]",
      "directory of an exported pack, or its s3:// address; leave it out to verify the lake",
    )
    .description("prove that nothing is missing or changed: in the lake, or offline in an exported pack")
    .option(
      "--quick",
      "of the lake: files by their size, and certificates; not bytes, derived tables and roots",
    )
    .option("--root <hash>", "a root that was kept elsewhere: fail unless the lake's history contains it")
    .option("--public-key <file>", "Ed25519 public key (PEM) of the signer; fail unless it signed the pack")
    .option("--json", "print what was verified as JSON")
    .action(
      run(async () => async (terminal, directory: string | undefined, flags: VerifyFlags & PackFlags) => {
        if (directory === undefined) {
          if (flags.publicKey === undefined)
            return (await import("../sync/verify-lake.js")).verifyLake(terminal, flags);
          throw new InputError(
            "--public-key is for an exported pack: give its directory. A lake has no signature.",
          );
        }
        if (flags.quick || flags.root !== undefined)
          throw new InputError("--quick and --root are for the lake: leave out the directory of the pack.");
        await (await import("../bulk/verify-pack.js")).runVerifyPack(terminal, directory, flags);
        return undefined;
      }),
    );

  const query = program
    .command("query")
    .argument("<sql>", "a DuckDB SELECT; each table is a view of the same name")
    .description("query the lake with SQL; decimals are exact text")
    .option("--limit <rows>", "rows to show as a table; 0 shows all", rowLimit, 100)
    .option("--decrypt", "decrypt encrypted columns; needs the lake's keys")
    .addOption(
      new Option("--output <file>", "write all rows to this file: .csv, .jsonl or .parquet").conflicts([
        "csv",
        "json",
      ]),
    );
  withTableOptions(query, "print all rows").action(
    run(async () => (await import("../lake/show-query.js")).runQuery),
  );
};
