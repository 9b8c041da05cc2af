import { afterAll, beforeAll, expect, test } from "vitest";
import { compiledProgram } from "../helpers/command/compiled-program.js";
import { type StoreFault, WRITE_STEPS } from "../helpers/kill/fault-store.js";
import { killAtSteps } from "../helpers/kill/kill-step.js";
import { sharedTemporal } from "../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
let script: string;

beforeAll(async () => {
  script = compiledProgram("test/helpers/kill/fault-worker.ts");
});
afterAll(() => temporal.stop());

test.each(["before", "after"] as const)(
  "a worker killed %s each step of a run: the next one ends the run exact",
  async (when) => {
    const faults = WRITE_STEPS.map(([on, key]): StoreFault => ({ on, key, when, effect: "kill" }));
    expect(await killAtSteps(temporal, script, faults)).toEqual([]);
  },
);
