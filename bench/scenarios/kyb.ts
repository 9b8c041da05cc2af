import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { runBulk } from "../bulk-command.js";
import { besideBound } from "../latency-bound.js";
import { inArena, type Scenario } from "../scenario.js";

const LIMITS = { latencyMs: 300, concurrency: 32 };
const BUSINESSES = 2_000;

/** An export of businesses with one onboarding each beside its latency bound. */
export const exportBusinesses: Scenario = {
  name: "kyb",
  title: `${BUSINESSES} businesses, ${LIMITS.latencyMs} ms a call, ${LIMITS.concurrency} in flight`,
  async run({ quick, report }) {
    const businesses = quick ? 200 : BUSINESSES;
    const population = { users: 1, linksPerUser: 1, rows: 1, latencyMs: LIMITS.latencyMs };
    report(`${businesses} businesses`);
    const run = await inArena({ ...population, businesses }, async ({ standIn, directory }) => {
      const path = await directory();
      const file = join(path, "businesses.csv");
      const ids = Array.from({ length: businesses }, (_, at) => `fp_bid_${String(at + 1).padStart(5, "0")}`);
      await writeFile(file, `fp_bid\n${ids.join("\n")}\n`);
      const args = ["export", "kyb", "--businesses", file];
      return runBulk({ standIn, args, directory: path, concurrency: LIMITS.concurrency });
    });
    return [besideBound(exportBusinesses.name, `${businesses} businesses`, run, LIMITS)];
  },
};
