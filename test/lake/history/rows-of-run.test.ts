import { expect, test } from "vitest";
import { rowsOfRun } from "../../../src/lake/history/rows-of-run.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, night, THINGS, thing } from "../../helpers/history/history-lake.js";

const at = eachTest(() => HistoryLake.open());

const count = (run: string) => rowsOfRun(at.lake, THINGS, run);

test("the rows of a run, those of other runs left out, before and after files are merged", async () => {
  await at.night(1, ["u/a on", "u/b on"]);
  await at.observe({ run: "r2", part: "g0", at: night(2), things: [thing("u/a off")] });
  await at.observe({ run: "r10", at: night(2), things: [thing("w/c on")] });
  await at.observe({ run: "r2", part: "g1", at: night(2), things: [thing("v/d on")] });
  const counted = {
    r1: { changed: 2, removed: 0 },
    r2: { changed: 2, removed: 1 },
    r10: { changed: 1, removed: 0 },
    r3: { changed: 0, removed: 0 },
  };
  for (const [run, rows] of Object.entries(counted)) expect(await count(run)).toEqual(rows);
  await at.bringUp();
  for (const [run, rows] of Object.entries(counted)) expect(await count(run)).toEqual(rows);
});

test("a run that repeats a commit counts its rows once", async () => {
  const observed = { run: "r1", at: night(1), things: [thing("u/a on")] };
  await at.observe(observed);
  await at.observe(observed);
  expect(await count("r1")).toEqual({ changed: 1, removed: 0 });
});

test("undefined where a version since the run's first can't be read any more", async () => {
  await at.night(1, ["u/a on"]);
  await at.observe({ run: "r1", part: "g1", at: night(1), things: [thing("v/b on")] });
  await at.lake.store.delete("things/_delta_log/00000000000000000000.json");
  expect(await count("r1")).toBeUndefined();
});
