import { readConfig } from "../../config.js";
import { counted } from "../../domain/words/counted.js";
import { bringUpHistories } from "../../lake/history/current-table.js";
import { lakeAt } from "../../lake/lake.js";
import { materialize } from "../../lake/materialize/materialize.js";
import { TABLES } from "../../tables.js";
import { type JsonFlag, showText } from "../terminal/colours.js";
import { withInterruption } from "../terminal/interruption.js";
import type { Terminal } from "../terminal/terminal.js";
import { existingLake } from "./query.js";

/** Materializes all derived tables without Temporal. @throws InputError without a lake */
export async function runMaterialize(terminal: Terminal, { json }: JsonFlag): Promise<void> {
  const { pending } = readConfig(terminal, ["pending"]);
  const place = await existingLake(terminal);
  await withInterruption(async ({ signal, releases }) => {
    const lake = lakeAt(place, { pending });
    releases.add(() => lake.close());
    const started = Date.now();
    const feed = await materialize(lake, { signal });
    for await (const { table, because } of bringUpHistories(lake, TABLES, "materialize")) {
      terminal.say(`warning: the small table of ${table} was rebuilt: ${because}`);
    }
    const done = { ...feed, duration_ms: Date.now() - started };
    if (done.because !== undefined) {
      terminal.say(`warning: transactions was rebuilt from the whole feed: ${done.because}`);
    }
    if (json) return terminal.result(JSON.stringify(done));
    showText(
      terminal,
      done.from === done.to && !done.rebuilt
        ? `transactions is at the feed's version ${done.to}; nothing to do`
        : `brought transactions from the feed's version ${done.from} to ${done.to}: wrote ${counted(done.rows, "row")}, replaced ${counted(done.rewritten, "file")}`,
    );
  });
}
