import { InputError } from "../../domain/failures.js";
import type { TableFlags } from "../lake/row-table.js";
import type { RestoreFlags, SnapshotFlags } from "../lake/snapshot.js";
import { type AddCommand, examples } from "./command.js";
import { type MaintainFlags, withMaintainOptions } from "./maintain.js";
import { positive } from "./option-values.js";
import { withTableOptions } from "./table-options.js";

export const materializeCommand: AddCommand = (program, terminal) => {
  program
    .command("materialize")
    .description("bring the transactions table up to date with the change feed; every sync ends with this")
    .option("--json", "print what was done as JSON")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runMaterialize } = await import("../lake/materialize.js");
      await runMaterialize(terminal, json === true);
    });
};

export const maintainCommand: AddCommand = (program, terminal, end) => {
  const command = program
    .command("maintain")
    .description(
      "merge small files, shorten logs, and delete what nobody needs any more; runs may go on meanwhile",
    )
    .addHelpText("after", examples("nightledger maintain --dry-run"));
  withMaintainOptions(command).action(async (flags: MaintainFlags) => {
    if (flags.schedule) {
      if (flags.dryRun) throw new InputError("--schedule changes something: leave out --dry-run.");
      const { scheduleUpkeep } = await import("../schedules/upkeep.js");
      return end(await scheduleUpkeep(terminal, flags));
    }
    const { runMaintain } = await import("../lake/maintain.js");
    const { applyRetention } = await import("../../lake/sync/retention/apply-retention.js");
    end(await runMaintain(terminal, flags, applyRetention));
  });
};

export const rebindCommand: AddCommand = (program, terminal) => {
  program
    .command("rebind")
    .description(
      "tell the lake that its service has moved to the address in NIGHTLEDGER_API_URL; nothing will be read or posted again",
    )
    .option("--json", "print what was done as JSON")
    .addHelpText("after", examples("NIGHTLEDGER_API_URL=https://new.example.com nightledger rebind"))
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { runRebind } = await import("../lake/rebind.js");
      await runRebind(terminal, json === true);
    });
};

export const lakeCommand: AddCommand = (program, terminal, end) => {
  const lake = program.command("lake").description("move a lake, back it up, and restore it");
  lake
    .command("copy")
    .argument("<from>", "the lake: a directory, or s3://bucket/prefix")
    .argument("<to>", "where it goes: a directory or s3://bucket/prefix with nothing in it")
    .description(
      "copy a lake to another place, prove the copy, and let jobs use it; run it again to continue",
    )
    .option("--json", "print what was done as JSON")
    .addHelpText("after", examples("nightledger lake copy ./lake s3://ledger/tables"))
    .action(async (from: string, to: string, { json }: { readonly json?: boolean }) => {
      const { runCopy } = await import("../sync/copy-lake.js");
      end(await runCopy(terminal, from, to, json === true));
    });
  lake
    .command("snapshot")
    .argument("<to>", "where snapshots of the lake are kept: a directory, or s3://bucket/prefix")
    .description("back the lake up, while runs go on; only what is new is copied")
    .option("--keep <count>", "keep so many snapshots there and delete older ones", positive)
    .option("--list", "show the snapshots that are there, and take none")
    .option("--dry-run", "say how much would be copied, and copy nothing")
    .option("--json", "print what was done as JSON")
    .addHelpText("after", examples("nightledger lake snapshot s3://backup/ledger --keep 14"))
    .action(async (to: string, flags: SnapshotFlags) => {
      const { runSnapshot } = await import("../lake/snapshot.js");
      await runSnapshot(terminal, to, flags);
    });
  lake
    .command("restore")
    .argument("<from>", "where its snapshots are: a directory, or s3://bucket/prefix")
    .description("restore a snapshot to NIGHTLEDGER_LAKE, where no lake is, and check every byte of it")
    .option("--root <root>", "restore the snapshot with this root, and no other; default: the newest")
    .option("--dry-run", "check every byte of the snapshot, and restore nothing")
    .option("--json", "print what was done as JSON")
    .addHelpText("after", examples("nightledger lake restore s3://backup/ledger"))
    .action(async (from: string, flags: RestoreFlags) => {
      const { runRestore } = await import("../lake/snapshot.js");
      await runRestore(terminal, from, flags);
    });
};

export const tablesCommand: AddCommand = (program, terminal) => {
  const tables = program
    .command("tables")
    .description("list the lake's tables: version, rows, files, bytes")
    .addHelpText("after", examples("nightledger tables"));
  withTableOptions(tables, "print the tables").action(async (flags: TableFlags) => {
    const { withLakeQuery } = await import("../lake/query.js");
    const { showRows } = await import("../lake/row-table.js");
    const found = await withLakeQuery(terminal, (lake) => lake.listTables());
    if (flags.json) return terminal.result(JSON.stringify({ items: found }));
    const shown = found.map(({ columns: _, ...table }) => table);
    if (found.length === 0 && !flags.csv) terminal.result("no tables yet: run `nightledger sync`");
    else showRows(terminal, shown, { ...flags, names: ["table", "version", "rows", "files", "bytes"] });
  });
};
