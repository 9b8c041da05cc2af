import { expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import { openJobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { rowsOf, withLake } from "../../helpers/lake/lake-audit.js";
import { onceAVersion } from "../../helpers/lake/once-a-version.js";
import { endProcess } from "../../helpers/temporal/processes.js";

const EVERY_MS = 4_000;
const MISSED = 3;

const sandbox = eachTest(() =>
  startSandbox({ population: { kind: "synthetic", users: 2, linksPerUser: 1, rows: 20 } }),
);
const folder = eachTest(() => openJobFolder(sandbox));

interface Run {
  readonly run_id: string;
  readonly status: string;
  /** Epoch milliseconds. */
  readonly due: number;
  readonly finished: number;
}

const runsOf = onceAVersion(
  () => folder.lake,
  async (schedule): Promise<Run[]> => {
    const sql = `select run_id, status, epoch_ms(scheduled_at) as due, epoch_ms(finished_at) as finished from runs
      where schedule = '${schedule}' order by due`;
    const found = await withLake(folder.lake, (query) => rowsOf(query, sql)).catch(() => []);
    return found.map((run) => ({ ...run, due: Number(run.due), finished: Number(run.finished) }) as Run);
  },
);
const runs = () => runsOf("nightly");

const ended = (least: number) =>
  expect.poll(() => runs().then(({ length }) => length), { timeout: 180_000 }).toBeGreaterThanOrEqual(least);

test("what became due while everything was killed is caught up with once, and nothing runs twice", async () => {
  const create = ["schedule", "create", "nightly", "--every", "4s", "--", "sync", "--roster", "users.csv"];
  expect((await folder.command(create).ended).code).toBe(0);
  expect(folder.servers()).toEqual([]);
  const dev = folder.command(["dev"]);
  await ended(2);
  // A run is over a moment after its row is written: a kill between the two would be neither of the cases below.
  await expect
    .poll(async () => Date.now() - Math.max(...(await runs()).map(({ finished }) => finished)), {
      timeout: 60_000,
    })
    .toBeGreaterThan(EVERY_MS / 4);
  const killedAt = Date.now();
  await dev.end("SIGKILL");
  for (const server of folder.servers()) await endProcess(server);
  // The clock is what is waited for.
  await expect.poll(() => Date.now() - killedAt).toBeGreaterThan((MISSED + 1) * EVERY_MS);
  const backAt = Date.now();
  folder.command(["dev"]);
  await expect
    .poll(() => runs().then((all) => all.filter(({ due }) => due > backAt + EVERY_MS).length), {
      timeout: 60_000,
    })
    .toBeGreaterThan(0);
  const all = await runs();
  expect(new Set(all.map(({ run_id }) => run_id)).size).toBe(all.length);
  expect(new Set(all.map(({ due }) => due)).size).toBe(all.length);
  expect(all.filter(({ status }) => status !== "completed")).toEqual([]);
  // Either the run that was killed in its middle, during which everything is skipped, or one for all that was missed.
  expect(all.filter(({ due, finished }) => due < backAt && finished > backAt)).toHaveLength(1);
});
