import { join } from "node:path";
import type { SyncSummary } from "../../src/domain/sync/sync-summary.js";
import { findTemporalCli } from "../../src/temporal/cli/cli-binary.js";
import { installRuntime } from "../../src/temporal/runtime.js";
import { acquireEmbeddedServer, type EmbeddedServer } from "../../src/temporal/server/embedded-server.js";
import { NIGHTLEDGER, startNode } from "../command-process.js";
import { type Arena, type Figure, inArena, type Scenario } from "../scenario.js";

/** Long enough that one worker leaves most of two cores idle. */
const LATENCY_MS = 400;
/** Calls in flight of each worker. */
const CONCURRENCY = 4;
const LEAST_RATIO = 1.9;

interface Night {
  readonly seconds: number;
  readonly calls: number;
}

/** One worker and two of a cluster, where the service's latency is the bound: what the second one adds. */
export const workers: Scenario = {
  name: "workers",
  title: `1,800 links, ${LATENCY_MS} ms a call, ${CONCURRENCY} in flight for each worker: one worker, two`,
  onRequest: true,
  async run({ quick, report }) {
    const users = quick ? 50 : 900;
    installRuntime({ debug: ignore, info: ignore, warn: ignore, error: ignore });
    const { path: cliPath } = await findTemporalCli({ env: process.env, report: ignore });
    return inArena({ users, linksPerUser: 2, rows: 20, latencyMs: LATENCY_MS }, async (arena) => {
      const home = await arena.directory();
      const server = await acquireEmbeddedServer({ home, cliPath, report: ignore });
      try {
        report("one worker");
        const one = await night(arena, server, 1);
        report("two workers");
        const two = await night(arena, server, 2);
        return [figureOf(one, two)];
      } finally {
        await server.release();
      }
    });
  },
};

const ignore = () => undefined;

function figureOf(one: Night, two: Night): Figure {
  const ratio = one.seconds / two.seconds;
  const bound = ({ calls }: Night, count: number) => (calls * LATENCY_MS) / 1000 / (CONCURRENCY * count);
  return {
    scenario: workers.name,
    variant: `${one.calls} calls`,
    measured: {
      one_seconds: one.seconds,
      two_seconds: two.seconds,
      one_bound_seconds: bound(one, 1),
      two_bound_seconds: bound(two, 2),
    },
    ratio,
    target: `two workers ≥ ${LEAST_RATIO} × the pace of one`,
    met: ratio >= LEAST_RATIO,
  };
}

/** Syncs into a new lake with so many workers. @throws Error when the sync does not complete. */
async function night(
  { standIn, roster, directory }: Arena,
  { address, namespace }: EmbeddedServer,
  count: number,
): Promise<Night> {
  const cwd = await directory();
  const env = (name: string) => ({
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace,
    NIGHTLEDGER_API_URL: standIn.url,
    NIGHTLEDGER_API_KEY: standIn.apiKey,
    NIGHTLEDGER_API_CONCURRENCY: String(CONCURRENCY),
    NIGHTLEDGER_ENCRYPTION_KEYS: `bench:${Buffer.alloc(32, 7).toString("base64")}`,
    NIGHTLEDGER_LAKE: join(cwd, "lake"),
    NIGHTLEDGER_HOME: join(cwd, name),
  });
  const started = Array.from({ length: count }, (_, at) =>
    startNode(NIGHTLEDGER, ["worker"], { cwd, env: env(`worker-${at}`) }),
  );
  try {
    await Promise.all(started.map((worker) => worker.said(/working on task queue/)));
    const sync = startNode(NIGHTLEDGER, ["sync", "--roster", roster, "--json"], { cwd, env: env("command") });
    const { code, stdout, stderr } = await sync.ended;
    if (code !== 0) throw new Error(`the sync ended with ${code}: ${stderr.slice(-2000)}`);
    const { duration_ms, calls } = JSON.parse(stdout) as SyncSummary;
    return { seconds: duration_ms / 1000, calls };
  } finally {
    for (const { child } of started) child.kill("SIGTERM");
    await Promise.all(started.map(({ ended }) => ended));
  }
}
