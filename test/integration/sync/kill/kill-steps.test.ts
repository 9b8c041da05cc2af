import { afterAll, beforeAll, expect, test } from "vitest";
import { compiledProgram } from "../../../helpers/command/compiled-program.js";
import type { StoreFault } from "../../../helpers/kill/fault-store.js";
import { killAtSteps } from "../../../helpers/kill/kill-step.js";
import { sharedTemporal } from "../../../helpers/temporal/shared-temporal.js";

const temporal = sharedTemporal();
let script: string;

beforeAll(async () => {
  script = compiledProgram("test/helpers/kill/fault-worker.ts");
});
afterAll(() => temporal.stop());

/** Before the feed's commit, between it and its acknowledgement, and after the last; `npm run test:kill` takes every step. */
const MOMENTS: readonly StoreFault[] = [
  { on: "putIfAbsent", key: "^transaction_changes/_delta_log/", when: "before", effect: "kill" },
  { on: "putIfAbsent", key: "^transaction_changes/_delta_log/", when: "after", effect: "kill" },
  { on: "putIfAbsent", key: "^transactions/_delta_log/", when: "after", effect: "kill" },
];

test("a worker killed around each commit of a run: the next one ends the run exact", async () => {
  expect(await killAtSteps(temporal, script, MOMENTS)).toEqual([]);
});
