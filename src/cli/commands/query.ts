import { Option } from "commander";
import type { QueryFlags } from "../lake/show-query.js";
import { type AddCommand, examples } from "./command.js";
import { rowLimit } from "./option-values.js";
import { withTableOptions } from "./table-options.js";

export const queryCommand: AddCommand = (program, terminal) => {
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
    )
    .addHelpText(
      "after",
      examples(
        'nightledger query "select * from link_freshness"',
        'nightledger query "from transactions" --output transactions.parquet',
      ),
    );
  withTableOptions(query, "print all rows").action(async (sql: string, flags: QueryFlags) => {
    const { runQuery } = await import("../lake/show-query.js");
    await runQuery(terminal, sql, flags);
  });
};
