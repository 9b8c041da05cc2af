import { expect, test } from "vitest";
import { cutPowerAtEachStep } from "../../helpers/kill/power-cuts.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("the power is cut before each fourth step of a run, and all that was not synced is lost: the lake is exact", async () => {
  expect(await cutPowerAtEachStep(worlds, "before", "each fourth")).toEqual([]);
});
