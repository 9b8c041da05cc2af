import { setTimeout as sleep } from "node:timers/promises";
import { startSandbox } from "../../../sandbox/index.js";
import { Random } from "../../../sandbox/world/random.js";
import type { BulkSummary } from "../../../src/domain/bulk/bulk-totals.js";
import type { OnboardSummary } from "../../../src/domain/onboarding/batch/batch-totals.js";
import { cipProblems, KILLED_CIP } from "../bulk/cip-trial.js";
import type { TrialReport } from "../kill/kill-trial.js";
import { auditLake } from "../lake/lake-audit.js";
import { openService, PLANTED, writeCustomers } from "../onboarding/killed-batch.js";
import { auditBatch, auditEnd, untabledEvents } from "../onboarding/onboarding-audit.js";
import { holding } from "../onboarding/planted-texts.js";
import type { Cluster } from "./cluster.js";
import { runStruck } from "./struck-run.js";

const KILLS = 3;
const NIGHTS = 2;
const CUSTOMERS = 150;
const MEMBERS = 200;
const LOOK_EVERY_MS = 500;
/** Longer than the stand-in sends a webhook again, and workers need to be there again. */
const SETTLE_MS = 240_000;

/** A round of one job: kills while it runs, and everything that is not exactly right afterwards. */
type Round = (cluster: Cluster, seed: number) => Promise<TrialReport>;

export const ROUNDS: Readonly<Record<string, Round>> = { sync, onboard, export: exportCip };

/** Two nights, the second of what has changed. */
async function sync(cluster: Cluster, seed: number): Promise<TrialReport> {
  const random = new Random(`cluster/sync/${seed}`);
  const [users, linksPerUser, rows, size] = [6, 3, 1_000, 100];
  const population = { kind: "synthetic", users, linksPerUser, rows, otherStates: true, seed } as const;
  const sandbox = await startSandbox({ population, latencyMs: 60 });
  const lake = await cluster.openLake(sandbox);
  const told = { kills: [] as TrialReport["kills"][number][], problems: [] as string[] };
  try {
    for (let night = 0; night < NIGHTS && told.problems.length === 0; night += 1) {
      if (night > 0) sandbox.advance({ seed, created: 150, updated: 40, removed: 20 });
      const { kills, problems, summary } = await runStruck(lake, sandbox, random, {
        args: ["sync", "--roster", "users.csv", "--page-size", String(size), "--json"],
        operation: "sync_transactions",
        requests: users * linksPerUser * (night === 0 ? rows / size : 2),
        kills: night === 0 ? KILLS : 1,
      });
      told.kills.push(...kills);
      told.problems.push(...problems);
      if (summary !== undefined) told.problems.push(...(await auditLake(lake.folder.lake, sandbox)));
    }
    return told;
  } finally {
    await lake.release();
    await sandbox.close();
  }
}

/** A batch whose webhooks come late, twice or never. */
async function onboard(cluster: Cluster, seed: number): Promise<TrialReport> {
  const sandbox = await openService(seed, CUSTOMERS);
  const lake = await cluster.openLake(sandbox);
  try {
    const users = await writeCustomers(lake.folder, sandbox, CUSTOMERS);
    const { kills, problems, summary, runs } = await runStruck(
      lake,
      sandbox,
      new Random(`cluster/onboard/${seed}`),
      {
        args: ["onboard", "--customers", "customers.csv", "--playbook", "pb_kyc", "--json"],
        operation: "create_onboarding",
        requests: CUSTOMERS,
        kills: KILLS,
      },
    );
    if (summary === undefined) return { kills, problems };
    const batch = { lake: lake.folder.lake, sandbox, users };
    const untabled = await settled(() => untabledEvents(batch));
    await lake.end();
    const found = [
      ...problems,
      ...lake.problems(),
      ...untabled.map((event) => `a webhook is not in its table: ${event}`),
      ...(await auditBatch(batch)),
      ...(await auditEnd(batch, summary as OnboardSummary, runs)),
      ...(await holding(lake.folder.lake, PLANTED)),
    ];
    return { kills, problems: found };
  } finally {
    await lake.release();
    await sandbox.close();
  }
}

async function exportCip(cluster: Cluster, seed: number): Promise<TrialReport> {
  const sandbox = await startSandbox({ seed, latencyMs: 60, ...KILLED_CIP.sandbox });
  const slow = { kind: "slow", chunkBytes: 200, intervalMs: 200, probability: 0.1, seed } as const;
  sandbox.addFault({ ...slow, operation: "create_cip_report" });
  const lake = await cluster.openLake(sandbox);
  try {
    await KILLED_CIP.prepare?.(lake.folder, sandbox);
    const { kills, problems, summary } = await runStruck(
      lake,
      sandbox,
      new Random(`cluster/export/${seed}`),
      {
        args: KILLED_CIP.args,
        operation: "create_cip_report",
        requests: MEMBERS,
        kills: KILLS,
      },
    );
    if (summary === undefined) return { kills, problems };
    const wrong = await cipProblems(lake.folder, sandbox, summary as BulkSummary);
    return { kills, problems: [...problems, ...wrong] };
  } finally {
    await lake.release();
    await sandbox.close();
  }
}

/** Waits until nothing is left, or it has taken too long; what is left then. */
async function settled(left: () => Promise<string[]>): Promise<string[]> {
  const notAfter = Date.now() + SETTLE_MS;
  for (;;) {
    const some = await left();
    if (some.length === 0 || Date.now() > notAfter) return some;
    await sleep(LOOK_EVERY_MS);
  }
}
