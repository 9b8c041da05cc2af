import { writeFile } from "node:fs/promises";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startSandbox } from "../../../sandbox/index.js";
import type { RunModel } from "../../../src/cli/board/pages/run.js";
import type { ShownSchedule } from "../../../src/cli/schedules/described.js";
import { readPage } from "../../helpers/board/read-page.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { eachTest } from "../../helpers/each-test.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const sandbox = eachTest(startSandbox);
let folder: JobFolder;
beforeEach(async () => {
  sandbox.addLink({ fp_id: "u1", id: "l1", accounts: [{ id: "a1" }] });
  folder = await openClusterFolder(sandbox, sharedTemporal());
  await writeFile(folder.roster, "fp_id\nu1\n");
});
afterEach(async () => {
  await folder?.release();
});

test("a scheduled run in progress is first in the list and shows how far it is; its schedule leads to it", async () => {
  const letGo = sandbox.hold({ operation: "sync_transactions" });
  const create = ["schedule", "create", "nightly", "--at", "03:00", "--", "sync", "--roster", "users.csv"];
  expect((await runHere(folder, create)).code).toBe(0);
  expect((await runHere(folder, ["schedule", "trigger", "nightly"])).code).toBe(0);
  const listed = () => readPage<{ unfinished: readonly { run_id: string }[] }>(folder, "/runs");
  await expect.poll(async () => (await listed()).model.unfinished).toHaveLength(1);
  const [{ run_id } = { run_id: "" }] = (await listed()).model.unfinished;
  const shown = () => readPage<RunModel>(folder, `/runs/${run_id}`);
  await expect.poll(async () => (await shown()).model.figures).not.toBeNull();
  const { model, body } = await shown();
  expect(model).toMatchObject({
    status: "running",
    schedule: "nightly",
    open: expect.stringContaining("links done"),
  });
  expect(model.commands).toEqual([
    `nightledger runs continue ${run_id}`,
    `nightledger runs cancel ${run_id}`,
  ]);
  expect(body.html).toContain('<progress max="1" value="0"');
  letGo();
  await expect.poll(async () => (await shown()).model.status).toBe("completed");
  const ended = (await shown()).model;
  expect(ended.command).toBe("nightledger sync --roster users.csv");
  const phases = ["reading", "loading", "committing", "materializing", "finishing"];
  expect(ended.phases.map(({ phase }) => phase).sort()).toEqual(phases.sort());
  const [first, last] = [ended.phases[0], ended.phases.at(-1)];
  expect([first?.phase, last?.phase, last?.ended_at]).toEqual(["reading", "finishing", ended.finished_at]);
  const dueOnes = () => readPage<{ schedules: readonly ShownSchedule[] }>(folder, "/schedules");
  const lastOf = async () => (await dueOnes()).model.schedules[0]?.last[0];
  await expect.poll(lastOf).toMatchObject({ run_id, status: "completed" });
  const due = await dueOnes();
  expect(due.model.schedules).toEqual((await sayHere(folder, "schedule", "list")).said);
  expect(due.model.schedules[0]?.next).toHaveLength(5);
  expect(due.body.html).toContain(`href="/runs/${run_id}"`);
});
