import { expect, test } from "vitest";
import { cutPowerAtEachStep } from "../../helpers/kill/power-cuts.js";
import { syncWorlds } from "../../helpers/sync/sync-worlds.js";

const worlds = syncWorlds();

test.each(["before", "after"] as const)(
  "the power is cut %s each step of a run, and all that was not synced is lost: the lake is exact",
  async (when) => {
    expect(await cutPowerAtEachStep(worlds, when)).toEqual([]);
  },
);
