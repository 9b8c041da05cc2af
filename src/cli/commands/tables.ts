import { tableOf } from "../lake/row-table.js";
import type { AddCommand } from "./command.js";

export const tablesCommand: AddCommand = (program, terminal) => {
  program
    .command("tables")
    .description("list the lake's tables: version, rows, files, bytes")
    .option("--json", "print the tables with their columns as a JSON array")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { withLakeQuery } = await import("../lake/query.js");
      const tables = await withLakeQuery(terminal, (lake) => lake.listTables());
      if (json) return terminal.result(JSON.stringify(tables));
      const shown = tables.map(({ table, version, rows, files, bytes }) => {
        return { table, version, rows, files, bytes };
      });
      terminal.result(tables.length === 0 ? "no tables yet: run `nightledger sync`" : tableOf(shown));
    });
};
