import { labelledLines } from "../../domain/words/texts.js";
import { whyNoLake } from "../lake/query.js";
import type { JobSession } from "../session/job-session.js";
import { runPreflight } from "../session/preflight.js";
import { type JsonFlag, showResult, showText } from "../terminal/colours.js";
import type { Terminal } from "../terminal/terminal.js";
import { describedSchedule, type ShownSchedule, shownSchedules, withSchedules } from "./described.js";

export async function listSchedules(terminal: Terminal, { json }: JsonFlag): Promise<void> {
  // Listing must not make a lake.
  const preflight = await runPreflight(terminal);
  const absent = await whyNoLake(preflight.store);
  if (absent !== undefined) {
    terminal.say(absent);
    if (json) terminal.result(JSON.stringify({ items: [] }));
    return;
  }
  const list = async ({ temporal: { client } }: JobSession) => {
    const shown = await shownSchedules(client, preflight.scope);
    if (json) return terminal.result(JSON.stringify({ items: shown }));
    if (shown.length === 0) {
      terminal.say(
        "no schedule yet; nightledger schedule create nightly --at 03:15 -- sync --roster users.csv",
      );
    }
    for (const { name, when, command, paused, next, last } of shown) {
      const [newest] = last;
      const lastWords = newest === undefined ? "never ran" : `last ${newest.due_at} ${newest.status}`;
      const state = paused ? "paused" : `next ${next[0] ?? "never"}`;
      showText(terminal, `${name}: ${when}; ${state}\n  ${lastWords}\n  ${command}`);
    }
  };
  return withSchedules(terminal, list, preflight);
}

export async function showSchedule(terminal: Terminal, name: string, { json }: JsonFlag): Promise<void> {
  return withSchedules(terminal, async ({ temporal: { client }, preflight: { scope } }) => {
    const shown = await describedSchedule(client, scope, name);
    showResult(terminal, json, shown, text);
  });
}

function text({
  name,
  command,
  when,
  paused,
  next,
  last,
  skipped_overlaps,
  missed,
}: ShownSchedule): string[] {
  const [skipped, dropped] = notFiredWords({ skipped_overlaps, missed });
  const runs = last.map(({ due_at, run_id, status }) => [due_at, status, run_id].filter(Boolean).join("  "));
  return labelledLines([
    ["schedule", `${name}${paused ? " (paused)" : ""}`],
    ["runs", command],
    ["when", when],
    ["next", next],
    ["last", runs.length === 0 ? "never ran" : runs],
    ["skipped", skipped],
    ["missed", dropped],
  ]);
}

/** How often it skipped and missed what was due; null for never. */
export function notFiredWords({
  skipped_overlaps,
  missed,
}: Pick<ShownSchedule, "skipped_overlaps" | "missed">): readonly [
  skipped: string | null,
  missed: string | null,
] {
  return [
    skipped_overlaps > 0 ? `${times(skipped_overlaps)}, while the run before was still running` : null,
    missed > 0 ? `${times(missed)}, while Temporal was off for more than 6 hours` : null,
  ];
}

function times(count: number): string {
  return count === 1 ? "once" : `${count} times`;
}
