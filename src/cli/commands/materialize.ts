import type { Command } from "commander";
import { readConfig } from "../../config.js";
import { openLake } from "../../lake/lake.js";
import { materialize } from "../../lake/materialize.js";
import { interruption } from "../interruption.js";
import type { AddCommand } from "../main.js";
import { Releases } from "../releases.js";

/** `nightledger materialize` */
export const materializeCommand: AddCommand = (program: Command, terminal) => {
  program
    .command("materialize")
    .description(
      "bring the table transactions up to the change feed's head, in this process; a sync ends with it",
    )
    .option("--json", "print what was done as one JSON value on standard output")
    .action(async ({ json }: { readonly json?: boolean }) => {
      const { lake: where, warnings } = readConfig({ env: terminal.env, cwd: terminal.cwd }, ["lake"]);
      for (const warning of warnings) terminal.say(`warning: ${warning}`);
      const releases = new Releases();
      try {
        const { signal } = interruption(releases);
        const lake = openLake({ directory: where.address });
        releases.add(() => lake.close());
        const started = Date.now();
        const done = { ...(await materialize(lake, { signal })), duration_ms: Date.now() - started };
        if (json) return terminal.result(JSON.stringify(done));
        terminal.result(
          done.from === done.to
            ? `transactions is at the feed's version ${done.to}; nothing to do`
            : `transactions went from the feed's version ${done.from} to ${done.to}: ${done.rows} rows written, ${done.rewritten} files replaced`,
        );
      } finally {
        await releases.run();
      }
    });
};
