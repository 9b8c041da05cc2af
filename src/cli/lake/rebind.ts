import { readConfig, scopeOf } from "../../config.js";
import { taskQueue } from "../../domain/run.js";
import { type Labelled, labelledLines } from "../../domain/words/texts.js";
import { readBinding, rebind } from "../../lake/service-binding.js";
import { openStore } from "../../lake/store/open-store.js";
import { serviceAddress } from "../session/preflight.js";
import { type JsonFlag, showResult } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";

/** The lake's service is now at the configured address. @throws InputError */
export async function runRebind(terminal: Terminal, { json }: JsonFlag): Promise<void> {
  const { api, lake, warnings } = readConfig(terminal, ["api", "lake"]);
  for (const warning of warnings) terminal.say(`warning: ${warning}`);
  const store = openStore(lake);
  const before = await readBinding(store);
  const { url: to, mode } = await rebind(store, serviceAddress(api));
  const from = before?.url ?? to;
  const queue = taskQueue(scopeOf(to, lake.address));
  const said = { lake: lake.address, from, to, mode, task_queue: queue };
  showResult(terminal, json, said, () =>
    from === to ? `the lake ${lake.address} is bound to ${to} already` : words(from, to, queue),
  );
  if (from !== to) {
    terminal.say(
      `a run that is still under way at ${from} must be ended there: no command joins it any more`,
    );
  }
}

function words(from: string, to: string, queue: string): string[] {
  const said: readonly Labelled[] = [
    ["moved", `from ${from} to ${to}`],
    [
      "stays",
      "tables, cursors, certificates, keys of rows and batches: nothing will be posted or read again",
    ],
    ["changes", `ids of workflows, and the task queue, which is now ${queue}: restart workers and receivers`],
  ];
  return labelledLines(said, 8);
}
