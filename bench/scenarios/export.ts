import { runBulk } from "../bulk-command.js";
import { besideBound } from "../latency-bound.js";
import { inArena, type Scenario } from "../scenario.js";

const LIMITS = { latencyMs: 300, concurrency: 32 };
const USERS = 10_000;

/** An export of CIP reports beside its latency bound; without the PDF, which a browser prints. */
export const exportReports: Scenario = {
  name: "export",
  title: `${USERS} CIP reports, ${LIMITS.latencyMs} ms a call, ${LIMITS.concurrency} in flight`,
  async run({ quick, report }) {
    const users = quick ? 500 : USERS;
    const population = { users, linksPerUser: 1, rows: 1, latencyMs: LIMITS.latencyMs };
    report(`${users} users`);
    const run = await inArena(population, async ({ standIn, roster, directory }) => {
      const args = ["export", "cip", "--roster", roster, "--approver", "ops@bank.example", "--no-pdf"];
      return runBulk({ standIn, args, directory: await directory(), concurrency: LIMITS.concurrency });
    });
    return [besideBound(exportReports.name, `${users} users`, run, LIMITS)];
  },
};
