import { setTimeout as sleep } from "node:timers/promises";
import type { RecordedRequest } from "../../sandbox/calls.js";
import { descendantsOf } from "../process-usage.js";
import { type Arena, type Figure, inArena, type Scenario } from "../scenario.js";
import { runSync, startSync } from "../sync-command.js";

const CONCURRENCY = 32;

/** Everything is killed in the middle: what is asked for again. */
export const kill: Scenario = {
  name: "kill",
  title: "kill -9 of everything in the middle, run again",
  async run({ quick, runs, report }) {
    const rows = quick ? 5_000 : 20_000;
    const figures: Figure[] = [];
    for (let number = 1; number <= runs; number += 1) {
      const share = number / (runs + 1);
      report(`killed after ${Math.round(share * 100)} % of the pages`);
      figures.push(
        await inArena({ users: 20, linksPerUser: 1, rows, latencyMs: 5, record: true }, (arena) =>
          killedAt(arena, share, (20 * rows) / 500),
        ),
      );
    }
    return figures;
  },
};

async function killedAt(arena: Arena, share: number, pages: number): Promise<Figure> {
  const { control } = arena.standIn;
  const options = { ...arena, directory: await arena.directory(), concurrency: CONCURRENCY };
  const reached = control.waitForRequests(Math.round(pages * share), { operation: "sync_transactions" });
  const command = startSync(options);
  await Promise.race([reached, command.ended]);
  for (const pid of [command.pid, ...descendantsOf(command.pid)]) process.kill(pid, "SIGKILL");
  await command.ended;
  await sleep(0);
  const killedAtRequest = (await control.calls()).total;
  const run = await runSync(options);
  const again = repeats(await control.requests({ operation: "sync_transactions" }));
  const most = Math.max(0, ...again.values());
  const delivered = run.summary.rows.created;
  if (delivered !== pages * 500) throw new Error(`${delivered} rows came of ${pages * 500}`);
  return {
    scenario: kill.name,
    variant: `after ${Math.round(share * 100)} %`,
    measured: {
      seconds_of_second_command: run.commandSeconds,
      requests_before_kill: killedAtRequest,
      links_asked_again: again.size,
      pages_asked_again: [...again.values()].reduce((sum, count) => sum + count, 0),
      most_of_one_link: most,
    },
    target: "≤ 1 page again per link in flight",
    met: most <= 1,
  };
}

/** How many pages of each link were asked for more than once. */
function repeats(requests: readonly RecordedRequest[]): Map<string, number> {
  const seen = new Set<string>();
  const again = new Map<string, number>();
  for (const { link = "", cursor = "" } of requests) {
    const page = `${link} ${cursor}`;
    if (seen.has(page)) again.set(link, (again.get(link) ?? 0) + 1);
    seen.add(page);
  }
  return again;
}
