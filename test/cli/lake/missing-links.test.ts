import { beforeEach, expect, test } from "vitest";
import { missingLinks, missingWords } from "../../../src/cli/lake/missing-links.js";
import { openLake } from "../../../src/lake/lake.js";
import { linkSyncs } from "../../../src/lake/tables/link-syncs.js";
import { eachTest, tempDirectory } from "../../helpers/each-test.js";
import { appendRows } from "../../helpers/query/append-rows.js";

const temp = eachTest(tempDirectory);
const lake = eachTest(() => openLake({ directory: temp.path }));
beforeEach(async () => {
  const rows = [
    { run_id: "r1", link_id: "a" },
    { run_id: "r1", link_id: "b" },
    { run_id: "r2", link_id: "c" },
  ];
  await appendRows(lake, linkSyncs, rows);
});

const missing = (named: readonly string[], runId?: string) =>
  missingLinks(lake.store, named, linkSyncs, runId);

test("links without a row of the run are named once, the first ten of many", async () => {
  expect(await missing(["a", "b"], "r1")).toEqual([]);
  expect(await missing(["a", "c", "x'", "c"], "r1")).toEqual(["c", "x'"]);
  expect(await missing(["c", "x"])).toEqual(["x"]);
  expect(missingWords([])).toEqual([]);
  expect(missingWords(["c", "x'"])).toEqual([
    "--links names 2 links that this run did not find: c, x'; check the ids, and whether the roster has their users",
  ]);
  const many = Array.from({ length: 11 }, (_, n) => `x${n}`);
  expect(missingWords(await missing(many))).toEqual([expect.stringMatching(/11 links.* x9, …;/)]);
});

test("nothing is said where the links of a user could not be listed", async () => {
  await appendRows(lake, linkSyncs, [{ run_id: "r1", link_id: null }]);
  expect(await missing(["x"], "r1")).toEqual([]);
  expect(await missing(["x"], "r2")).toHaveLength(1);
});
