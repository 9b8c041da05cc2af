import { join } from "node:path";
import { writeCustomers } from "../customers-file.js";
import { type OnboardRun, runOnboard } from "../onboard-command.js";
import { type Figure, inArena, type Scenario } from "../scenario.js";

const MOST_GROWTH = 1.1;

/** Ten times the customers: the memory of the processes must not follow. */
export const onboardMemory: Scenario = {
  name: "onboard-memory",
  title: "2,000 and 20,000 customers, no latency",
  async run({ quick, report }) {
    const figures: Figure[] = [];
    let first: OnboardRun | undefined;
    for (const customers of quick ? [100, 400] : [2_000, 20_000]) {
      report(`${customers} customers`);
      const run = await onboarded(customers);
      first ??= run;
      const ratio = run.process.peakRssMb / first.process.peakRssMb;
      figures.push({
        scenario: onboardMemory.name,
        variant: `${customers} customers`,
        measured: {
          peak_rss_mb: run.process.peakRssMb,
          receiver_peak_rss_mb: run.receiver.peakRssMb,
          temporal_peak_rss_mb: run.temporal.peakRssMb,
          seconds: run.seconds,
          customers_per_second: customers / run.seconds,
          calls: run.summary.calls,
        },
        ratio,
        target: `≤ ${MOST_GROWTH} of the first one's peak`,
        met: ratio <= MOST_GROWTH,
      });
    }
    return figures;
  },
};

function onboarded(customers: number): Promise<OnboardRun> {
  return inArena({ users: customers, linksPerUser: 1, rows: 0 }, async ({ standIn, directory }) => {
    const place = await directory();
    const file = join(place, "customers.csv");
    await writeCustomers(file, customers);
    return runOnboard({ standIn, directory: place, customers: file, delayMs: 0, window: 100 });
  });
}
