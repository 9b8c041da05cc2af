import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { commandWorld } from "../../helpers/command/command-world.js";
import { holding } from "../../helpers/onboarding/planted-texts.js";
import { openedHistories } from "../../helpers/temporal/opened-history.js";
import { sharedTemporal } from "../../helpers/temporal/shared-temporal.js";

const CALL = { operation: "import_transactions" } as const;
const HEADER = "link_id,account_id,amount,date,description,transaction_id,transaction_type";
/** Each line but the second and the last right ones breaks one rule. */
const WRONG = [
  ["l,a,1.50,2026-11-02,,own-1,debit"],
  [
    "l,a,1e3,2026-11-02,,,",
    "amount",
    "not_amount",
    "is not a decimal number of at most 18 digits and 10 decimals, such as -12.50",
  ],
  ["l,a,1.50,2026-02-30,,,", "date", "not_date", "is not an ISO 8601 date, YYYY-MM-DD, or with a time"],
  ["l,,1.50,2026-11-02,,,", "account_id", "missing", "is missing"],
  ["l,a,1.50,2026-11-02,,,transfer", "transaction_type", "wrong_value", "is neither debit nor credit"],
  ["l,a,1.50,2026-11-02,,own-1,", "transaction_id", "repeated", "is the same as in line 2"],
  ["l,of-m,1.50,2026-11-02,,,", "account_id", "no_account", "is not an account of its bank link"],
  ["nowhere,a,1.50,2026-11-02,,,", "link_id", "no_link", "is not a bank link of the service"],
  ["l,a,2.50,2026-11-02,,own-2,credit"],
] as const;

const world = commandWorld();
beforeEach(async () => {
  world.sandbox.addLink({ fp_id: "u", id: "l", accounts: [{ id: "a" }] });
  world.sandbox.addLink({ fp_id: "u", id: "m", accounts: [{ id: "of-m" }] });
  await world.write("users.csv", "fp_id\nu\n");
});

const { write, say: run } = world;
const imported = (file: string, ...more: string[]) => run("import", "--transactions", file, ...more);
const posts = () => world.sandbox.requests(CALL).length;
const ids = () => world.sandbox.truth("l").rows.map(({ transaction_id }) => transaction_id);

test("every invalid row by line, column, code and rule; the valid ones go in with --continue-invalid", async () => {
  await write("rows.csv", `\u{feff}${[HEADER, ...WRONG.map(([line]) => line)].join("\r\n")}\r\n`);
  const problems = WRONG.flatMap(([, column, code, rule], at) =>
    column === undefined
      ? []
      : [{ line: at + 2, column, code, rule, ...(code === "repeated" && { same_as_line: 2 }) }],
  );
  const judged = await imported("rows.csv", "--validate-only");
  expect(judged).toMatchObject({ code: 2, said: { rows: { total: 9, invalid: 7 } } });
  expect(judged.said.problems).toEqual(problems);
  const refused = await imported("rows.csv");
  expect(refused.code).toBe(2);
  expect(refused.said.error.message).toMatch(/Nothing was started/);
  expect(posts()).toBe(0);
  const continued = await imported("rows.csv", "--continue-invalid");
  expect(continued).toMatchObject({ code: 1, said: { rows: { total: 9, done: 2, invalid: 7 } } });
  expect(ids()).toEqual(["own-1", "own-2"]);
  // The one command that started a run asked once whether the service is there.
  expect(world.sandbox.requests({ operation: "get_user" })).toHaveLength(1);
});

test("runs show says which rows an import skipped, and why", async () => {
  const row = "l,a,1.50,2026-11-02,,own-1,debit";
  await write("rows.csv", `${HEADER}\n${row}\n`);
  await imported("rows.csv");
  await write("more.csv", `${HEADER}\nl,a,2.50,2026-11-02,,own-2,\n${row}\n`);
  const judged = await imported("more.csv", "--validate-only");
  expect(judged).toMatchObject({ code: 0, said: { rows: { total: 2, invalid: 0, done: 1 } } });
  expect(posts()).toBe(1);
  const { said } = await imported("more.csv");
  expect(said).toMatchObject({ rows: { done: 1, skipped: 1 } });
  expect((await run("runs", "show", said.run_id)).said.findings).toEqual([
    { status: "skipped", reason: "already imported", count: 1, action: null, examples: ["line 3 l"] },
  ]);
});

test("what came back and what did not", async () => {
  await write("rows.csv", [HEADER, WRONG[0][0], WRONG[8][0], ""].join("\n"));
  expect(await imported("rows.csv")).toMatchObject({ code: 0, said: { rows: { done: 2 } } });
  const unseen = await world.run(...["import", "verify", "--days", "0", "--json"]);
  const said = JSON.parse(unseen.stdout);
  expect([unseen.code, said.days, said.unseen_total, said.items.length]).toEqual([1, 0, 2, 2]);
  expect(said.items[0]).toMatchObject({ transaction_id: "own-1", status: "accepted", line: 2 });
  expect(await run("import", "verify")).toMatchObject({ code: 0, said: [] });
  expect((await run("sync", "--roster", "users.csv")).code).toBe(0);
  expect(await run("import", "verify", "--days", "0")).toMatchObject({ code: 0, said: [] });
});

test("an import that began and did not end is finished without its file", async () => {
  await write("rows.csv", [HEADER, WRONG[0][0], WRONG[8][0], ""].join("\n"));
  await write("other.csv", [HEADER, "l,a,9.50,2026-11-02,,own-9,", ""].join("\n"));
  const nothing = await run("import", "continue");
  expect(nothing).toMatchObject({ code: 2, said: { error: { class: "InputError" } } });
  const release = world.sandbox.hold(CALL);
  const asked = world.sandbox.waitForRequests(1, CALL);
  const { said } = await imported("rows.csv", "--detach");
  await asked;
  const client = await sharedTemporal().client();
  for await (const { workflowId, memo } of client.client.workflow.list({
    query: 'WorkflowType = "bulkJob"',
  })) {
    if (memo?.runId === said.run_id) await client.client.workflow.getHandle(workflowId).terminate();
  }
  release();
  const other = await imported("other.csv");
  expect(other.said.error.message).toMatch(new RegExp(`run ${said.run_id} .*: nightledger import continue`));
  expect(await run("import", "continue")).toMatchObject({ code: 0, said: { rows: { total: 2, done: 2 } } });
  expect(await imported("other.csv")).toMatchObject({ code: 0, said: { rows: { done: 1 } } });
  expect([...ids()].sort()).toEqual(["own-1", "own-2", "own-9"]);
});

test("what a row says of people and money is in no log, no staging and no history", async () => {
  const planted = ["Quitepersonal rent", "998877.66", "own-planted"];
  await write(
    "rows.csv",
    [HEADER, `l,a,${planted[1]},2026-11-02,${planted[0]},${planted[2]},`, ""].join("\n"),
  );
  world.sandbox.addFault({
    ...CALL,
    kind: "status",
    status: 400,
    times: 1,
    body: `no ${planted[2]} ${planted[0]}`,
  });
  const { code, said, stderr } = await imported("rows.csv");
  expect({ code, reason: said.failures[0].reason }).toEqual({ code: 1, reason: "refused http_400" });
  const words = `${JSON.stringify(said)}${stderr}`;
  expect(planted.filter((text) => words.includes(text))).toEqual([]);
  expect(await holding(join(world.folder.lake, "_staging"), planted)).toEqual([]);
  const files = (await holding(world.folder.directory, planted)).filter(
    (found) => !found.startsWith("rows.csv"),
  );
  expect(files.filter((found) => !found.includes(".parquet"))).toEqual([]);
  const { client } = await sharedTemporal().client();
  const opened = await openedHistories(client, "bulkJob", said.run_id);
  expect(planted.filter((text) => opened.join("\n").includes(text))).toEqual([]);
  expect(opened.length).toBeGreaterThan(10);
});
