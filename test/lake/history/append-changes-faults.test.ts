import { expect, test } from "vitest";
import { type Lake, openLake } from "../../../src/lake/lake.js";
import { createLocalStore } from "../../../src/lake/store/local/local-store.js";
import { eachTest } from "../../helpers/each-test.js";
import { HistoryLake, night, type Thing, thing } from "../../helpers/history/history-lake.js";
import { type StoreFault, withFaults } from "../../helpers/kill/fault-store.js";

const at = eachTest(() => HistoryLake.open());

const NIGHTS: readonly (readonly Thing[])[] = [
  [thing("u/a on"), thing("u/b on")],
  [thing("u/a off")],
  [thing("u/a off"), thing("u/b on")],
];
const STEPS = [
  ["upload", "^things/.*parquet$"],
  ["putIfAbsent", "^things/_delta_log/"],
  ["upload", "^things_current/.*parquet$"],
  ["putIfAbsent", "^things_current/_delta_log/"],
] as const;

/** Every night with its bring-up, each repeated until it succeeds, as a workflow repeats an activity. */
async function runNights(lake: Lake): Promise<void> {
  for (const [n, things] of NIGHTS.entries()) {
    await again(() => at.observe({ run: `r${n}`, at: night(n + 1), things, whole: ["u"] }, lake));
    await again(() => at.bringUp(lake));
  }
}

async function again(work: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work();
      return;
    } catch (error) {
      if (attempt === 5) throw error;
    }
  }
}

const EFFECTS = [
  { when: "before", effect: "lost" },
  { when: "before", effect: "full" },
  { when: "after", effect: "lost" },
  { when: "after", effect: "lost", blind: true },
] as const;
const FAULTS = STEPS.flatMap(([on, key]) => EFFECTS.map((how): StoreFault => ({ on, key, ...how, nth: 2 })));

test.for(
  FAULTS.map(
    (fault) =>
      [
        `${fault.effect}${fault.blind ? " and blind" : ""} ${fault.when} ${fault.on} ${fault.key}`,
        fault,
      ] as const,
  ),
)("%s: what is repeated adds each change once", async ([, fault]) => {
  const store = withFaults(createLocalStore(`${at.base}/lake`), [fault]);
  const lake = openLake({ directory: `${at.base}/lake`, store });
  await runNights(lake);
  expect(store.fired).toHaveLength(1);
  await lake.close();
  expect(await at.history()).toEqual(["u/a on", "u/a off", "u/b on", "u/b on gone", "u/b on"]);
  expect(await at.small()).toEqual(["u/a off", "u/b on"]);
  expect(await at.current()).toEqual(["u/a off", "u/b on"]);
});
