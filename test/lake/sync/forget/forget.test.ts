import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { askForgotten } from "../../../../src/cli/sync/forget/forgotten-users.js";
import type { TableSpec } from "../../../../src/lake/delta/delta-schema.js";
import { type Lake, openLake } from "../../../../src/lake/lake.js";
import { readTables } from "../../../../src/lake/query/query-views.js";
import { forget, readAgain, rowsOfPerson } from "../../../../src/lake/sync/forget/forget.js";
import { isForgotten } from "../../../../src/lake/sync/forget/forgotten.js";
import { setHold } from "../../../../src/lake/sync/forget/holds.js";
import { personOf } from "../../../../src/lake/sync/forget/person.js";
import { transactionImports } from "../../../../src/lake/tables/bulk.js";
import { cipReports } from "../../../../src/lake/tables/cip.js";
import { erasures, FORGOTTEN_NOW } from "../../../../src/lake/tables/erasures.js";
import { businessInsights } from "../../../../src/lake/tables/kyb.js";
import { linkSyncs } from "../../../../src/lake/tables/link-syncs.js";
import { onboardings } from "../../../../src/lake/tables/onboardings.js";
import { transactionChanges } from "../../../../src/lake/tables/transactions.js";
import { bankLinkStream } from "../../../../src/streams/bank-links.js";
import { TABLES } from "../../../../src/tables.js";
import { SILENT } from "../../../helpers/command/silent-terminal.js";
import { eachTest } from "../../../helpers/each-test.js";
import { openTestLake } from "../../../helpers/lake/delta-lake.js";
import { appendRows } from "../../../helpers/query/append-rows.js";

const ASKED = { reason: "asked for it", by: "privacy" };

const base = eachTest(openTestLake);
const lake = eachTest(() => openLake({ directory: base.directory }));
afterEach(async () => {
  vi.useRealTimers();
});

const append = (spec: TableSpec, ...rows: Readonly<Record<string, unknown>>[]) =>
  appendRows(lake, spec, rows);

const rowsOfX = async () => rowsOfPerson(lake, TABLES, await personOf(lake, TABLES, "fp_x"));
const feedNow = () => lake.table(transactionChanges.name).snapshot();

// A sync that began between the look for runs and the tombstone brought the rows back.
test("what runs is looked for once syncs leave the person out, and erases nothing where there is some", async () => {
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  const before = await rowsOfX();
  let wasLeftOut = false;
  const beforeErasing = async () => {
    wasLeftOut = isForgotten(await feedNow(), "fp_x");
    throw new Error("a sync has not ended");
  };
  await expect(forget(lake, TABLES, "fp_x", { ...ASKED, beforeErasing })).rejects.toThrow("has not ended");
  expect(wasLeftOut).toBe(true);
  expect(await rowsOfX()).toEqual(before);
});

// Only `hold add` was asked, at the beginning: the roster's hold went with the rows, and one that came meanwhile was too late.
test.each([
  ["by the roster of its newest export", "by the roster of r. Nothing was erased.", true],
  ["by the roster of an export before one that is dated ahead", "by the roster of r. Nothing", true, "2999"],
  [
    "by a hold that comes meanwhile",
    /by hold add\. What \w+ and the tables after it have of them stays/,
    false,
  ],
])("whom the lake holds %s is not erased", async (_, why, legal_hold, other = "2026") => {
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  const report = { fp_id: "fp_x", run_id: "q", asked_at: `${other}-01-01T00:00:00Z`, legal_hold: false };
  await append(cipReports, report, { ...report, run_id: "r", asked_at: "2026-01-02T00:00:00Z", legal_hold });
  const before = await rowsOfX();
  const beforeErasing = async () => void (await setHold(lake, ["fp_x"], "held", ASKED));
  await expect(forget(lake, TABLES, "fp_x", { ...ASKED, beforeErasing })).rejects.toThrow(why);
  expect(await rowsOfX()).toEqual(before);
});

/** Kills a step of the lake at its commit into the feed. */
const killedAtFeed = (): Lake => ({
  ...lake,
  table(name) {
    if (name === transactionChanges.name) throw new Error("killed");
    return lake.table(name);
  },
});

// Killed before its rows in `erasures`, `forget` left a user whom `sync` did not name, and whom `--again` did not read.
test("a sync names whom the feed's log says are forgotten, and reads them again by it", async () => {
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  const beforeErasing = () => Promise.reject(new Error("killed"));
  await expect(forget(lake, TABLES, "fp_x", { ...ASKED, beforeErasing })).rejects.toThrow("killed");
  const said: string[] = [];
  const asked = (again: boolean) =>
    askForgotten(
      { ...SILENT, say: (line) => said.push(line) },
      {
        place: { address: base.directory, scratch: { directory: base.directory, mostBytes: 0 } },
        store: lake.store,
      },
      new Set(["fp_x", "fp_y"]),
      again,
    );
  await asked(false);
  await asked(true);
  expect(said).toEqual([
    "1 user of the roster was forgotten and will not be read; --again reads them",
    "1 user of the roster was forgotten; from now on, syncs read them again",
  ]);
  expect(isForgotten(await feedNow(), "fp_x")).toBe(false);
});

// The other way round a sync said that a user would not be read, and read them.
test("killed between its two commits, reading again has not begun", async () => {
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  await forget(lake, TABLES, "fp_x", ASKED);
  await expect(readAgain(killedAtFeed(), ["fp_x"], ASKED)).rejects.toThrow("killed");
  expect(await readTables(lake, [erasures], (sql) => sql.rows(FORGOTTEN_NOW))).toEqual([]);
  expect(isForgotten(await feedNow(), "fp_x")).toBe(true);
});

// Only links of the feed were looked for, and without one "No table has rows of fp_x".
test.each([
  ["a list of their user", bankLinkStream.table],
  ["what a sync reported", linkSyncs],
])("rows that were imported into a link known by %s alone go", async (_, spec) => {
  await append(spec, { fp_id: "fp_x", link_id: "link_x" });
  await append(transactionImports, { link_id: "link_x" }, { link_id: "link_y" });
  expect(await forget(lake, TABLES, "fp_x", ASKED)).toContainEqual({ table: "transaction_imports", rows: 1 });
  const left = await readTables(lake, [transactionImports], (sql) =>
    sql.rows("select link_id from transaction_imports"),
  );
  expect(left).toEqual([{ link_id: "link_y" }]);
});

// Its rows in the other tables of the export went, and this one had the names of the people who were screened.
test("of a person's business rows go that do not name the person, once", async () => {
  const row = { fp_bid: "b", onboarding_id: "o", screened_people: '["X"]' };
  await append(
    businessInsights,
    { ...row, fp_id: "fp_x" },
    row,
    { ...row, fp_id: "fp_y" },
    { ...row, fp_bid: "c" },
  );
  const killed = join(base.directory, businessInsights.name, ".tmp-1-killed");
  await writeFile(killed, "a row of x");
  const asked = { table: "business_insights", rows: 2 };
  expect(await rowsOfX()).toEqual([asked]);
  expect(await forget(lake, TABLES, "fp_x", ASKED)).toEqual([asked]);
  expect(existsSync(killed)).toBe(false);
  const left = await readTables(lake, [businessInsights], (sql) =>
    sql.rows("select fp_bid, fp_id from business_insights"),
  );
  expect(left).toEqual([
    { fp_bid: "b", fp_id: "fp_y" },
    { fp_bid: "c", fp_id: null },
  ]);
});

// By a clock that was a year ahead, the person stayed forgotten, or read again, for a year.
// The onboardings went before reports and rows: the same command then found nobody of that id, and those stayed.
test("killed before any table, a person whom onboardings alone name by an external id goes by it", async () => {
  await append(onboardings, { fp_id: "fp_x", external_id: "E", batch_id: "b", line: 1 });
  await append(cipReports, {
    fp_id: "fp_x",
    run_id: "r",
    asked_at: "2026-01-01T00:00:00Z",
    legal_hold: false,
  });
  await append(transactionChanges, { fp_id: "fp_x", link_id: "link_x" });
  for (let at = 0; (await rowsOfX()).length > 0; at += 1) {
    let left = at;
    const onTable = () => {
      if (left === 0) throw new Error("killed");
      left -= 1;
    };
    await forget(lake, TABLES, "E", { ...ASKED, onTable }).catch((error) => {
      expect(error).toMatchObject({ message: "killed" });
    });
  }
});

test("what a clock that is right records counts, after one that was ahead", async () => {
  const forgottenNow = () => readTables(lake, [erasures], (sql) => sql.rows(FORGOTTEN_NOW));
  const row = { fp_id: "fp_x", link_id: "link_x" };
  await append(transactionChanges, row);
  vi.useFakeTimers({ now: Date.now() + 365 * 86_400_000, toFake: ["Date"] });
  await forget(lake, TABLES, "fp_x", ASKED);
  vi.useRealTimers();
  await readAgain(lake, ["fp_x"], ASKED);
  expect(await forgottenNow()).toEqual([]);
  await append(transactionChanges, row);
  await forget(lake, TABLES, "fp_x", ASKED);
  expect(await forgottenNow()).toEqual([{ fp_id: "fp_x" }]);
});
