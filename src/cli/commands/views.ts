import type { ViewsFlags } from "../lake/views.js";
import { type AddCommand, examples } from "./command.js";

/** `nightledger views` */
export const viewsCommand: AddCommand = (program, terminal) => {
  program
    .command("views")
    .description("make a DuckDB file with views over the lake's live files, for tools without Delta")
    .requiredOption("--out <file>", "the file to make")
    .option("--force", "replace the file if it is there")
    .addHelpText("after", examples("nightledger views --out lake.duckdb"))
    .action(async (flags: ViewsFlags) => {
      const { runViews } = await import("../lake/views.js");
      await runViews(terminal, flags);
    });
};
