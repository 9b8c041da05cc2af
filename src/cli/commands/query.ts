import type { Command } from "commander";
import { tableOf } from "../lake/row-table.js";
import type { AddCommand } from "./command.js";
import { rowLimit } from "./option-values.js";

interface QueryFlags {
  readonly json?: boolean;
  readonly limit: number;
  readonly decrypt?: boolean;
}

/** `nightledger query` */
export const queryCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("query")
    .argument("<sql>", "a DuckDB SELECT over the lake's tables, each a view of its name")
    .description("read the lake with SQL; decimals come as exact text")
    .option("--json", "print an array of rows on standard output")
    .option("--limit <rows>", "rows shown without --json; 0 shows all", rowLimit, 100)
    .option("--decrypt", "show encrypted columns in the clear; needs the lake's keys")
    .action(async (sql: string, flags: QueryFlags) => {
      const { withLakeQuery } = await import("../lake/query.js");
      const rows: Readonly<Record<string, unknown>>[] = [];
      let more = false;
      await withLakeQuery(
        terminal,
        async (lake) => {
          for await (const batch of lake.query(sql)) {
            rows.push(...batch);
            more = !flags.json && rows.length > flags.limit;
            if (more) return;
          }
        },
        flags.decrypt,
      );
      if (flags.json) return terminal.result(JSON.stringify(rows));
      terminal.result(tableOf(rows.slice(0, flags.limit)));
      if (more) terminal.say(`the first ${flags.limit} rows; --limit 0 shows all`);
    });
};
