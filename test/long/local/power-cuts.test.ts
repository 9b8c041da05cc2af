import { expect, test } from "vitest";
import { cutPowerAtEachStep } from "../../helpers/kill/power-cuts.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test("the power is cut after each step of a run, and all that was not synced is lost: the lake is exact", async () => {
  expect(await cutPowerAtEachStep(worlds, "after")).toEqual([]);
});
