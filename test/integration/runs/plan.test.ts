import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNC = ["sync", "--roster", "users.csv"];

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  sandbox = await startSandbox({
    population: { kind: "synthetic", users: 6, linksPerUser: 3, rows: 120, seed: 3 },
    playbooks: [{ key: "pb_kyc", outcomes: { pass: 1 } }],
  });
  folder = await openClusterFolder(sandbox, sharedTemporal());
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const run = async (...args: string[]) => JSON.parse((await runHere(folder, [...args, "--json"])).stdout);
const plan = async (...job: string[]) =>
  JSON.parse((await runHere(folder, ["plan", "--json", ...job])).stdout);
const within = (planned: number, made: number) => Math.abs(planned - made) / made;

test("a plan of a sync is within a fifth of what the run then calls, quiet, in full, and with new users", async () => {
  const whole = sandbox.rosterCsv().trim().split("\n");
  await writeFile(folder.roster, `${whole.slice(0, 4).join("\n")}\n`);
  expect(await plan(...SYNC)).toMatchObject({ rows: 3, forecast: { calls: null } });
  await run(...SYNC, "--page-size", "20");
  for (const [bytes, ...more] of [[false], [true], [true, "--full"]] as const) {
    const job = [...SYNC, "--page-size", "20", ...more];
    const { forecast, ms } = await plan(...job);
    const { calls, answer_bytes } = await run(...job);
    expect(within(forecast.calls, calls)).toBeLessThanOrEqual(0.2);
    // A first night says nothing of a later one.
    if (bytes) expect(within(forecast.bytes, answer_bytes)).toBeLessThanOrEqual(0.2);
    else expect(forecast.bytes).toBeNull();
    expect(ms.at_pace).toBeGreaterThan(0);
  }
  await writeFile(folder.roster, `${whole.join("\n")}\n`);
  const { forecast } = await plan(...SYNC, "--page-size", "20");
  const { calls, answer_bytes } = await run(...SYNC, "--page-size", "20");
  expect(within(forecast.calls, calls)).toBeLessThanOrEqual(0.2);
  expect(within(forecast.bytes, answer_bytes)).toBeLessThanOrEqual(0.2);
});

test("a plan of an import counts what the ledger has as done, and sends nothing", async () => {
  const id = sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  const file = join(folder.directory, "rows.csv");
  const write = (rows: number) =>
    writeFile(
      file,
      `link_id,account_id,amount,date\n${Array.from({ length: rows }, (_, at) => `${id},a,${at + 1}.00,2026-01-05\n`).join("")}`,
    );
  const job = ["import", "--transactions", "rows.csv", "--chunk", "10"];
  await write(20);
  await run(...job);
  // Rows that an earlier run had done cost this one nothing, and teach nothing.
  await write(21);
  await run(...job);
  await write(60);
  const sent = sandbox.requests({ operation: "import_transactions" }).length;
  const { forecast, ...counts } = await plan(...job);
  expect(counts).toMatchObject({ rows: 60, done: 21, invalid: 0 });
  expect(forecast.calls).toBeGreaterThanOrEqual(4);
  expect(sandbox.requests({ operation: "import_transactions" })).toHaveLength(sent);
});

test("a plan of an onboarding posts nobody again whom any batch has posted, and makes no lake", async () => {
  const ids = ["fp_1", "fp_2", "fp_3"];
  for (const fp_id of ids) sandbox.addUser({ fp_id });
  const write = (...named: string[]) =>
    writeFile(join(folder.directory, "customers.csv"), ["fp_id", ...named, ""].join("\n"));
  const job = ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc"];
  await write("fp_1", "fp_2");
  expect(await plan(...job)).toMatchObject({ rows: 2, done: 0 });
  expect(await folder.names()).not.toContain("lake");
  await run(...job);
  await write(...ids);
  const { forecast, ...counts } = await plan(...job);
  expect(counts).toMatchObject({ rows: 3, done: 2 });
  expect(within(forecast.calls, (await run(...job)).calls)).toBeLessThanOrEqual(0.2);
});
