import { readConfig } from "../../config.js";
import { openLake } from "../../lake/lake.js";
import { materialize } from "../../lake/materialize/materialize.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";

/** Brings `transactions` up to the feed's head, without Temporal. */
export async function runMaterialize(terminal: Terminal, json: boolean): Promise<void> {
  const { lake: where, warnings } = readConfig({ env: terminal.env, cwd: terminal.cwd }, ["lake"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  await withInterruption(async ({ signal, releases }) => {
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
  });
}
