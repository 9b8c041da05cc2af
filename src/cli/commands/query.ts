import { tableOf } from "../lake/row-table.js";
import type { AddCommand } from "./command.js";
import { rowLimit } from "./option-values.js";

export const queryCommand: AddCommand = (program, terminal) => {
  program
    .command("query")
    .argument("<sql>", "a DuckDB SELECT; each table is a view of the same name")
    .description("query the lake with SQL; decimals are printed as exact text")
    .option("--json", "print the rows as a JSON array")
    .option("--limit <rows>", "rows to show without --json; 0 shows all", rowLimit, 100)
    .option("--decrypt", "decrypt encrypted columns; needs the lake's keys")
    .action(
      async (
        sql: string,
        flags: { readonly json?: boolean; readonly limit: number; readonly decrypt?: boolean },
      ) => {
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
        if (more) terminal.say(`showing the first ${flags.limit} rows; --limit 0 shows all`);
      },
    );
};
