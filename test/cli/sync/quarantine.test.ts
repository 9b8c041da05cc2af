import { beforeEach, expect, test } from "vitest";
import { openLake } from "../../../src/lake/lake.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { quarantine } from "../../../src/lake/tables/quarantine.js";
import { runHere } from "../../helpers/command/command-here.js";
import { eachTest } from "../../helpers/each-test.js";
import { openTestLake } from "../../helpers/lake/delta-lake.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const base = eachTest(openTestLake);
beforeEach(async () => {
  const lake = openLake({ directory: base.directory });
  const row = {
    ...{ run_id: "run-1", stream: "transactions", fp_id: "fp_1", link_id: "a", page: 0, list: "created" },
    ...{
      reason: "amount: not a decimal string; date: not a day",
      payload: '{"transaction_id":"txn_1","description":"PERSONAL"}',
    },
    fetched_at: "2026-01-02T03:04:05Z",
  };
  const rows = [
    { ...row, index: 1 },
    { ...row, index: 2, fetched_at: "2026-01-02T03:04:06Z" },
    {
      ...row,
      stream: "accounts",
      link_id: null,
      list: "accounts",
      index: 0,
      run_id: "run-2",
      fetched_at: "2026-01-03T03:04:05Z",
    },
  ];
  await appendRows(lake, quarantine, rows);
  await lake.close();
});

const run = (...args: string[]) =>
  runHere({ directory: base.directory, env: { NIGHTLEDGER_LAKE: base.directory } }, ["quarantine", ...args]);
const listed = async (...args: string[]) => {
  const { stdout } = await run("list", "--json", ...args);
  return JSON.parse(stdout).items as Readonly<Record<string, unknown>>[];
};

test("open rows are listed without their payload, which comes when it is asked for", async () => {
  const { code, stdout, stderr } = await run("list");
  const [, id] = /^(\w{12}) {2}fp_1$/m.exec(stdout) ?? [];
  expect(code).toBe(0);
  expect(stdout).toContain(`${id}  fp_1\n      amount: not a decimal string\n      date: not a day\n`);
  expect(stdout).toMatch(/^\w{12} {2}a {2}txn_1\n/m);
  expect((await listed()).map(({ transaction_id }) => transaction_id)).toEqual([null, "txn_1", "txn_1"]);
  expect(stdout).toContain("      accounts; 2026-01-03 03:04, run-2\n");
  expect(stdout).toContain("      transactions, created; 2026-01-02 03:04, run-1\n");
  expect(stdout).toMatch(/\n3 open\n$/);
  expect(stderr).toContain("nightledger quarantine resolve --row <id> --reason");
  expect(stdout.split("\n").filter((line) => line.length > 80)).toEqual([]);
  expect(stdout + JSON.stringify(await listed())).not.toContain("PERSONAL");
  expect((await run("list", "--payload")).stdout).toContain("PERSONAL");
  expect((await listed("--payload"))[0]).toMatchObject({ payload: expect.stringContaining("PERSONAL") });
  expect((await listed("--link", "a")).map(({ index, closed_by }) => [index, closed_by])).toEqual([
    [2, null],
    [1, null],
  ]);
  expect(await listed("--run", "run-2")).toHaveLength(1);
});

test("a link that the lake does not know is refused, and one without bad rows has none", async () => {
  const lake = openLake({ directory: base.directory });
  await appendRows(lake, linkSyncs, [{ run_id: "run-1", link_id: "good" }]);
  await lake.close();
  expect((await run("list", "--link", "good")).stdout).toBe("0 open\n");
  expect(await run("list", "--link", "nope")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("the lake knows no bank link nope."),
  });
});

test("rows are closed by id, and what was closed is said; again, nothing is", async () => {
  const [newest] = await listed();
  const id = String(newest?.row_id);
  const { stdout } = await run("resolve", "--row", id, "--reason", "a test row of the bank");
  expect(stdout).toContain(id);
  expect(stdout).toMatch(/\n1 closed, 2 open\n$/);
  const again = await run("resolve", "--row", id, "--reason", "again");
  expect([again.code, again.stdout]).toEqual([0, "no open row matches; nothing was closed, 2 open\n"]);
  expect(await listed()).toHaveLength(2);
  expect((await run("list", "--all")).stdout).toContain("closed by somebody: a test row of the bank\n");
  const rest = await run("resolve", "--all-open", "--reason", "seen", "--json");
  expect(JSON.parse(rest.stdout)).toMatchObject({ closed: [{ link_id: "a" }, { link_id: "a" }], open: 0 });
  expect((await run("list")).stdout).toBe("0 open\n");
});

test.each<[string, string[], RegExp]>([
  // commander says this one on the process's own standard error.
  ["no reason", ["--all-open"], /^$/],
  ["an empty reason", ["--all-open", "--reason", " "], /--reason is empty/],
  ["no rows", ["--reason", "x"], /Nothing says which rows.*--row, --link, --run and --all-open/],
  ["rows in two ways", ["--reason", "x", "--link", "a", "--all-open"], /more than one way/],
  [
    "a row that is not there",
    ["--reason", "x", "--row", "0123456789ab"],
    /0123456789ab: no row in quarantine/,
  ],
])("%s is refused, and nothing is closed", async (_, args, words) => {
  const { code, stderr } = await run("resolve", ...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(words);
  expect(await listed()).toHaveLength(3);
});
