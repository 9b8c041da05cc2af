import { runBulk } from "../bulk-command.js";
import { inArena, type Scenario } from "../scenario.js";

const LATENCY_MS = 300;
const CONCURRENCY = 32;
const USERS = 10_000;
const MOST_RATIO = 1.15;

/** An export of CIP reports beside its latency bound; without the PDF, which a browser prints. */
export const exportReports: Scenario = {
  name: "export",
  title: `${USERS} CIP reports, ${LATENCY_MS} ms a call, ${CONCURRENCY} in flight`,
  async run({ quick, report }) {
    const users = quick ? 500 : USERS;
    const population = { users, linksPerUser: 1, rows: 1, latencyMs: LATENCY_MS };
    report(`${users} users`);
    const run = await inArena(population, async ({ standIn, roster, directory }) => {
      const args = ["export", "cip", "--roster", roster, "--approver", "ops@bank.example", "--no-pdf"];
      return runBulk({ standIn, args, directory: await directory(), concurrency: CONCURRENCY });
    });
    const bound = (run.summary.calls * LATENCY_MS) / 1000 / CONCURRENCY;
    const ratio = run.seconds / bound;
    return [
      {
        scenario: exportReports.name,
        variant: `${users} users`,
        measured: {
          seconds: run.seconds,
          command_seconds: run.commandSeconds,
          bound_seconds: bound,
          calls: run.summary.calls,
          peak_rss_mb: run.process.peakRssMb,
          cpu_seconds: run.process.cpuSeconds,
        },
        ratio,
        target: `≤ ${MOST_RATIO} × (calls × ${LATENCY_MS} ms / ${CONCURRENCY})`,
        met: ratio <= MOST_RATIO,
      },
    ];
  },
};
