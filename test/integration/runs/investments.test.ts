import { afterEach, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../../../sandbox/index.js";
import { openClusterFolder } from "../../helpers/command/cluster-folder.js";
import { runHere, sayHere } from "../../helpers/command/command-here.js";
import type { JobFolder } from "../../helpers/command/job-folder.js";
import { auditInvestments } from "../../helpers/sync/investment-audit.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const SYNC = [
  ...["sync", "--roster", "users.csv", "--streams", "transactions,investment_transactions,securities"],
  ...["--lookback", "400"],
];

let sandbox: Sandbox;
let folder: JobFolder;
beforeEach(async () => {
  const population = { kind: "synthetic", users: 3, linksPerUser: 2, rows: 3 } as const;
  sandbox = await startSandbox({ population, investments: 150 });
  folder = await openClusterFolder(sandbox, sharedTemporal());
});
afterEach(async () => {
  await folder?.release();
  await sandbox?.close();
});

const run = (...args: string[]) => sayHere(folder, ...args);
const query = async (sql: string) => (await run("query", sql)).said;
const links = () => [...sandbox.world.links.keys()];
const audit = () => auditInvestments(query, sandbox, links());

test("a retry reads the investments of the user who failed, in the same window, and of nobody else", async () => {
  const [bad = ""] = links();
  await run(...SYNC);
  for (const link of links()) {
    sandbox.investments.change(link, { created: 3, updated: 3, removed: 3, days: 300 });
  }
  sandbox.addFault({ kind: "status", status: 422, operation: "list_investment_transactions", link: bad });
  const failed = await run(...SYNC);
  expect(failed).toMatchObject({ code: 1, said: { users: { failed: 1 }, links: { failed: 0 } } });
  sandbox.clearFaults();
  sandbox.clearRequests();
  const retried = await run("runs", "retry", failed.said.run_id);
  expect(retried).toMatchObject({ code: 0, said: { status: "completed", users: { total: 1 } } });
  const asked = sandbox.requests({ operation: "list_investment_transactions" });
  expect(new Set(asked.map(({ link }) => link)).size).toBe(2);
  expect(await audit()).toEqual([]);

  const [known] = sandbox.investments.transactions(bad);
  const explained = await runHere(folder, ["explain", known?.id ?? ""]);
  expect(explained).toMatchObject({ code: 2, stdout: "" });
  expect(explained.stderr).toContain(
    `select * from investment_transaction_changes where investment_transaction_id = '${known?.id}'`,
  );
});

test("a schedule reads investments as its command says", async () => {
  await run(...SYNC);
  for (const link of links()) {
    sandbox.investments.change(link, { created: 3, updated: 3, removed: 3, days: 300 });
  }
  await runHere(folder, ["schedule", "create", "nightly", "--at", "03:00", "--", ...SYNC]);
  await runHere(folder, ["schedule", "trigger", "nightly"]);
  const ended = () => query("select status from runs where schedule = 'nightly'");
  await expect.poll(ended).toEqual([{ status: "completed" }]);
  expect(await audit()).toEqual([]);
});
