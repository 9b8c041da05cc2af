import { afterAll, beforeAll, expect, test } from "vitest";
import { type CompiledProgram, compileProgram } from "../helpers/command/compiled-program.js";
import { type StoreFault, WRITE_STEPS } from "../helpers/kill/fault-store.js";
import { killAtSteps } from "../helpers/kill/kill-step.js";
import { startTestTemporal, type TestTemporal } from "../helpers/temporal/temporal-environment.js";

let temporal: TestTemporal;
let program: CompiledProgram;

beforeAll(async () => {
  temporal = await startTestTemporal();
  program = await compileProgram("test/helpers/kill/fault-worker.ts");
});
afterAll(async () => {
  await program?.release();
  await temporal?.stop();
});

test.each(["before", "after"] as const)(
  "a worker killed %s each step of a run: the next one ends the run exact",
  async (when) => {
    const faults = WRITE_STEPS.map(([on, key]): StoreFault => ({ on, key, when, effect: "kill" }));
    expect(await killAtSteps(temporal, program, faults)).toEqual([]);
  },
);
