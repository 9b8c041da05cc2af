import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { linksNotFound, validateRoster } from "../../../src/cli/sync/command.js";
import { currentOf, type HistorySpec } from "../../../src/lake/history/history-spec.js";
import { openLake } from "../../../src/lake/lake.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { accountStream } from "../../../src/streams/accounts.js";
import { SILENT } from "../../helpers/command/silent-terminal.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));
beforeEach(async () => {
  const rows = [{ run_id: "r1", link_id: "a" }];
  await appendRows(lake, linkSyncs, rows);
  const accounts = currentOf(accountStream.table as HistorySpec);
  await appendRows(lake, accounts, [{ link_id: "d" }]);
});

const whole = { run_id: "r1", status: "completed", users: { total: 2, failed: 0 } } as const;

test.each([
  ["of the run's transactions", whole, ["a", "c"], ["accounts", "transactions"], ["c"]],
  ["of the accounts that are known", whole, ["a", "d"], ["accounts"], ["a"]],
  ["none of a run of all links", whole, null, ["transactions"], []],
  ["none where nothing tells", whole, ["x"], ["bank_links"], []],
  ["none of a run that was cancelled", { ...whole, status: "cancelled" }, ["x"], ["transactions"], []],
  ["none where a user failed", { ...whole, users: { total: 2, failed: 1 } }, ["x"], ["transactions"], []],
] as const)("after a sync: %s", async (_, summary, links, streams, named) => {
  expect(await linksNotFound(lake.store, summary, { links, streams })).toEqual(named);
});

test.each([
  ["fp_id\nfp_1\na/b\nfp_1\n", 2, { total: 3, invalid: 2, done: 0 }, [3, 4]],
  ["fp_id\nfp_1\n", 0, { total: 1, invalid: 0, done: 0 }, []],
] as const)(
  "--validate-only of a roster %j names every wrong row and reads nothing",
  async (text, code, rows, lines) => {
    const path = join(temp.path, "users.csv");
    await writeFile(path, text);
    const results: string[] = [];
    const terminal = { ...SILENT, result: (said: string) => void results.push(said) };
    expect(await validateRoster(terminal, path, true)).toBe(code);
    const said = JSON.parse(results.join(""));
    expect(said.rows).toEqual(rows);
    expect(said.problems.map(({ line }: { line: number }) => line)).toEqual(lines);
  },
);
