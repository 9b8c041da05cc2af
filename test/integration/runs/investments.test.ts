import { expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";
import { auditInvestments } from "../../helpers/sync/investment-audit.js";

const SYNC = [
  ...["sync", "--roster", "users.csv", "--streams", "transactions,investment_transactions,securities"],
  ...["--lookback", "400"],
];

const world = commandWorld({
  population: { kind: "synthetic", users: 3, linksPerUser: 2, rows: 3 },
  investments: 150,
});

const { say: run } = world;
const query = async (sql: string) => (await run("query", sql)).said;
const links = () => [...world.sandbox.world.links.keys()];
const audit = () => auditInvestments(query, world.sandbox, links());

test("a retry reads the investments of the user who failed, in the same window, and of nobody else", async () => {
  const [bad = ""] = links();
  await run(...SYNC);
  for (const link of links()) {
    world.sandbox.investments.change(link, { created: 3, updated: 3, removed: 3, days: 300 });
  }
  world.sandbox.addFault({
    kind: "status",
    status: 422,
    operation: "list_investment_transactions",
    link: bad,
  });
  const failed = await run(...SYNC);
  expect(failed).toMatchObject({ code: 1, said: { users: { failed: 1 }, links: { failed: 0 } } });
  world.sandbox.clearFaults();
  world.sandbox.clearRequests();
  const retried = await run("runs", "retry", failed.said.run_id);
  expect(retried).toMatchObject({ code: 0, said: { status: "completed", users: { total: 1 } } });
  const asked = world.sandbox.requests({ operation: "list_investment_transactions" });
  expect(new Set(asked.map(({ link }) => link)).size).toBe(2);
  expect(await audit()).toEqual([]);

  const [known] = world.sandbox.investments.transactions(bad);
  const explained = await world.run("explain", known?.id ?? "");
  expect(explained).toMatchObject({ code: 2, stdout: "" });
  expect(explained.stderr).toContain(
    `select * from investment_transaction_changes where investment_transaction_id = '${known?.id}'`,
  );
});
